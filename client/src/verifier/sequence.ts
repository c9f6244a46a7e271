import { hex, same } from './bytes';
import { digest } from './canonical';
import type { Dossier } from './shoe_document';
import { Unproven } from './unproven';

/** Several shoes against each other: numbered and chained, so that none can be left out unseen. */
export interface Sequence {
  shoes: number;
  /** Numbers that were not given between the first and the last of each table. */
  missing: readonly number[];
  fault: Unproven | null;
}

export async function checkSequence(dossiers: readonly Dossier[]): Promise<Sequence> {
  const missing: number[] = [];
  const sorted = dossiers.toSorted(
    ({ commitment: one }, { commitment: other }) =>
      Number(one.table > other.table) - Number(one.table < other.table) || one.shoe - other.shoe,
  );
  let fault: Unproven | null = null;
  for (const [i, second] of sorted.entries()) {
    const first = sorted[i - 1];
    if (!first || first.commitment.table !== second.commitment.table || !same(first.receipt.key, second.receipt.key))
      continue;
    fault ??= await findFault(first, second);
    for (let shoe = first.commitment.shoe + 1; shoe < second.commitment.shoe; shoe += 1) missing.push(shoe);
  }
  return { shoes: dossiers.length, missing, fault };
}

/** What two shoes that follow each other, or have one number, do not agree in. */
async function findFault(first: Dossier, second: Dossier): Promise<Unproven | null> {
  const [older, newer] = [first.commitment, second.commitment];
  const [left, right] = [first.receipt.checkpoint, second.receipt.checkpoint];
  const told = { table: newer.table, shoe: newer.shoe, before: older.shoe };
  const isOneHeight = left.house === right.house && left.height === right.height;
  if (isOneHeight && !(same(left.head, right.head) && same(left.root, right.root)))
    return new Unproven('receipt', 'sequence-histories', { table: newer.table, height: left.height });
  const [digested, own] = [await digest(older.plain), await digest(newer.plain)];
  const isSame = hex(digested) === hex(own);
  if (older.shoe === newer.shoe && !isSame) return new Unproven('commitment.shoe', 'sequence-number', told);
  if (newer.shoe === older.shoe + 1 && !same(newer.previous, digested))
    return new Unproven('commitment.previous', 'sequence-previous', told);
  if (!isSame && first.included[0]!.height >= second.included[0]!.height)
    return new Unproven('commitment', 'sequence-order', told);
  return null;
}
