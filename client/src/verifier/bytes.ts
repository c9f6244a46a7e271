/**
 * Bytes, hashes and keyed hashes: the browser's own SHA-256 and HMAC, nothing else (docs/fairness.md, Construction).
 */
export type Bytes = Uint8Array<ArrayBuffer>;

export const HASH = 32;
const TEXT = new TextEncoder();

export const bytes = (...values: number[]): Bytes => Uint8Array.from(values);
export const zeros = (size: number): Bytes => new Uint8Array(size);
export const ascii = (text: string): Bytes => TEXT.encode(text) as Bytes;

export function joinBytes(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export const hex = (data: Uint8Array): string => Array.from(data, (one) => one.toString(16).padStart(2, '0')).join('');

export function unhex(text: string): Bytes {
  const found = new Uint8Array(text.length / 2);
  for (let i = 0; i < found.length; i += 1) found[i] = Number.parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return found;
}

export const same = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((value, i) => value === other[i]);

/** The number as so many bytes, the largest first. */
export function big(value: number, size: number): Bytes {
  const found = new Uint8Array(size);
  for (let rest = BigInt(value), i = size - 1; rest > 0n && i >= 0; rest >>= 8n, i -= 1) found[i] = Number(rest & 255n);
  return found;
}

export const sha256 = async (data: Bytes): Promise<Bytes> =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', data));

/** HMAC of SHA-256 under one key, for as many messages as are asked. */
export async function hmac(key: Bytes): Promise<(message: Bytes) => Promise<Bytes>> {
  const held = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return async (message) => new Uint8Array(await crypto.subtle.sign('HMAC', held, message));
}
