import type { Dossier } from './shoe_document';
import type { Comparison } from './kept';
import type { Sheet } from './sheet';
import { endOf, hasWheel, isVerifiable } from './verify';

/** What a document does not claim: a missing reveal, a shoe not open yet, a void. */
export interface Note {
  kind:
    | 'house-cut'
    | 'no-cut'
    | 'missing'
    | 'void'
    | 'open-round'
    | 'in-use'
    | 'retired'
    | 'draws-unsealed'
    | 'draws-later'
    | 'beacon-late'
    | Comparison['notes'][number];
  told: Readonly<Record<string, string | number>>;
}

export function notes({ commitment, entropy, rounds, dealt, opening }: Dossier, sheet: Sheet): Note[] {
  const found: Note[] = [];
  const add = (kind: Note['kind'], told: Note['told'] = {}): number => found.push({ kind, told });
  const parts = entropy.contributions;
  if (!isVerifiable(entropy)) add(parts.some((one) => one.origin === 'server') ? 'house-cut' : 'no-cut');
  for (const { player, origin } of parts) if (origin === 'missing') add('missing', { player });
  if (commitment.beacon && !entropy.beacon.length) add('beacon-late', { round: String(commitment.beacon.round) });
  for (const one of rounds) if (one.void) add('void', { code: one.code, ...one.void });
  const late = dealt.filter((one) => one.play >= endOf(rounds)).length;
  if (late) add('open-round', { count: late });
  if (hasWheel(sheet) && !commitment.draws.length) add('draws-unsealed');
  if (!opening) {
    add('in-use');
    if (commitment.draws.length && rounds.some((one) => one.scenario?.bonus.length)) add('draws-later');
  } else if (opening.retired !== 'cut-card') add('retired', { reason: opening.retired });
  return found;
}
