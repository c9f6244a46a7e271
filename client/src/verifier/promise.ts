import { ascii, type Bytes, hex, HASH } from './bytes';
import { digest, encode, type Json } from './canonical';
import { listed, mapping, octets, text, whole } from './fields';
import { signed } from './signature';

/** What a player signs: his promise, for one shoe of one table and the very commitment that he was shown. */
export async function promiseMessage(commitment: Json, player: string, promise: Bytes): Promise<Bytes> {
  const { table, shoe } = commitment as { table: string; shoe: number };
  const digested = hex(await digest(commitment));
  const statement = { table, shoe, commitment: digested, player, promise: hex(promise) };
  return ascii(`ventuno/promise/1\n${encode(statement)}`);
}

/** All promises of a cut in the order in which they came, signed by the house before anybody reveals. */
export interface PromiseList {
  house: string;
  table: string;
  shoe: number;
  commitment: string;
  promises: readonly { player: string; promise: string }[];
  key: Bytes;
  /** Whether the house signed it; null where this browser has no Ed25519. */
  checkSignature: () => Promise<boolean | null>;
}

export function readPromiseList(raw: Json | undefined, at: string): PromiseList {
  const one = mapping(raw, at, ['listed', 'key', 'signature']);
  const place = `${at}.listed`;
  const plain = mapping(one.listed, place, ['house', 'table', 'shoe', 'commitment', 'promises']);
  const [key, signature] = [octets(one.key, `${at}.key`, 32), octets(one.signature, `${at}.signature`, 64)];
  return {
    house: text(plain.house, `${place}.house`),
    table: text(plain.table, `${place}.table`),
    shoe: whole(plain.shoe, `${place}.shoe`),
    commitment: hex(octets(plain.commitment, `${place}.commitment`, HASH)),
    promises: listed(plain.promises, `${place}.promises`).map((entry, i) =>
      readPromise(entry, `${place}.promises[${i}]`),
    ),
    key,
    checkSignature: () => signed(key, signature, ascii(`ventuno/promises/1\n${encode(plain)}`)),
  };
}

function readPromise(raw: Json, at: string): PromiseList['promises'][number] {
  const one = mapping(raw, at, ['player', 'promise']);
  return { player: text(one.player, `${at}.player`), promise: hex(octets(one.promise, `${at}.promise`, HASH)) };
}
