import type { Acknowledged, ReceiptResponse, ShoeMessage } from './types';

/**
 * What this browser keeps of each shoe that it cut, bounded, as the verifiers read it: commitment, bytes, key, all
 * promises as they were before the reveals, what the house acknowledged, a receipt from before the bet and one from
 * after it. What says nothing is left out.
 */
export interface KeptShoe {
  format: 'ventuno-kept/1';
  table: string;
  shoe: number;
  player: string;
  commitment: string;
  key?: string;
  promise?: string;
  entropy: string;
  promise_list?: NonNullable<ShoeMessage['promises']>;
  acknowledgements?: Pick<Acknowledged, 'taken' | 'key' | 'signature'>[];
  receipts?: ReceiptResponse[];
}

const INDEX = 'ventuno.kept';
export const MOST_KEPT = 300;

const place = (one: Pick<KeptShoe, 'table' | 'shoe' | 'player'>): string =>
  `${INDEX}:${one.player}:${one.table}:${one.shoe}`;

function readJson<T>(name: string): T | null {
  try {
    const written = localStorage.getItem(name);
    return written === null ? null : (JSON.parse(written) as T);
  } catch {
    return null;
  }
}

/** Where the browser keeps nothing, nothing is kept: play goes on. */
function write(name: string, value: object): void {
  try {
    localStorage.setItem(name, JSON.stringify(value));
  } catch {
    // full, or forbidden
  }
}

export function keep(one: KeptShoe): void {
  const name = place(one);
  const names = (readJson<string[]>(INDEX) ?? []).filter((other) => other !== name);
  for (const old of names.splice(0, names.length + 1 - MOST_KEPT)) localStorage.removeItem(old);
  write(name, one);
  write(INDEX, [...names, name]);
}

export const getKept = (table: string, shoe: number, player: string): KeptShoe | null =>
  readJson<KeptShoe>(place({ table, shoe, player }));

/** Everything that was kept of a shoe, by whomever in this browser. */
export const findKept = (table: string, shoe: number): KeptShoe[] =>
  (readJson<string[]>(INDEX) ?? [])
    .filter((name) => name.endsWith(`:${table}:${shoe}`))
    .map((name) => readJson<KeptShoe>(name))
    .filter((one) => one !== null);

/** The first receipt stays, since it may be from before the bet; of those after it the last. */
export function addReceipt(one: KeptShoe, receipt: ReceiptResponse): KeptShoe {
  const [first] = one.receipts ?? [];
  return { ...one, receipts: first ? [first, receipt] : [receipt] };
}
