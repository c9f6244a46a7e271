import { ascii, type Bytes, hex } from './bytes';
import { digest, encode, type Json } from './canonical';

/** What a player signs: his promise, for one shoe of one table and the very commitment that he was shown. */
export async function promiseMessage(commitment: Json, player: string, promise: Bytes): Promise<Bytes> {
  const { table, shoe } = commitment as { table: string; shoe: number };
  const digested = hex(await digest(commitment));
  const statement = { table, shoe, commitment: digested, player, promise: hex(promise) };
  return ascii(`ventuno/promise/1\n${encode(statement)}`);
}
