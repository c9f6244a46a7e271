import { bytes, type Bytes, joinBytes, same, sha256 } from './bytes';

/** Merkle trees of RFC 6962, as far as a reader needs them. */
export const leaf = (data: Bytes): Promise<Bytes> => sha256(joinBytes(bytes(0), data));
export const node = (left: Bytes, right: Bytes): Promise<Bytes> => sha256(joinBytes(bytes(1), left, right));

/** The root over the hashes of all leaves: the left part is the largest power of two below their number. */
export async function root(leaves: readonly Bytes[]): Promise<Bytes> {
  if (leaves.length < 2) return leaves[0] ?? sha256(bytes());
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  const [left, right] = await Promise.all([root(leaves.slice(0, half)), root(leaves.slice(half))]);
  return node(left, right);
}

/** The root to which a leaf and its path lead (RFC 9162, 2.1.3.2); null where no such path exists. */
export async function climb(hashed: Bytes, index: number, size: number, path: readonly Bytes[]): Promise<Bytes | null> {
  if (index < 0 || index >= size) return null;
  let [place, last, found] = [index, size - 1, hashed];
  for (const beside of path) {
    if (last === 0) return null;
    if (place % 2 || place === last) {
      found = await node(beside, found);
      while (place && place % 2 === 0) [place, last] = [place >> 1, last >> 1];
    } else found = await node(found, beside);
    [place, last] = [place >> 1, last >> 1];
  }
  return last === 0 ? found : null;
}

/** Whether the tree of `size` leaves begins with the one of `old` leaves (RFC 9162, 2.1.4.2). */
export async function consistent(
  old: number,
  oldRoot: Bytes,
  size: number,
  newRoot: Bytes,
  proof: readonly Bytes[],
): Promise<boolean> {
  if (old === size) return same(oldRoot, newRoot) && proof.length === 0;
  if (old <= 0 || old > size || !proof.length) return false;
  const isPower = (old & (old - 1)) === 0;
  const [head, ...rest] = isPower ? [oldRoot, ...proof] : proof;
  let [place, last] = [old - 1, size - 1];
  while (place % 2) [place, last] = [place >> 1, last >> 1];
  let [first, second] = [head!, head!];
  for (const beside of rest) {
    if (last === 0) return false;
    if (place % 2 || place === last) {
      [first, second] = [await node(beside, first), await node(beside, second)];
      while (place && place % 2 === 0) [place, last] = [place >> 1, last >> 1];
    } else second = await node(second, beside);
    [place, last] = [place >> 1, last >> 1];
  }
  return last === 0 && same(first, oldRoot) && same(second, newRoot);
}
