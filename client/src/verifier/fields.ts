import { type Bytes, HASH, unhex } from './bytes';
import { type Json, Unreadable } from './canonical';

/**
 * Takes the fields of a decoded document one by one: the wrong type or an unknown key is unreadable, and says where.
 */
export type Fields = { readonly [key: string]: Json };

const RANKS = '23456789TJQKA';
const SUITS = 'SHDC';
/** A card is its place in this list, `rank * 4 + suit`. */
export const NAMES: readonly string[] = [...RANKS].flatMap((rank) => [...SUITS].map((suit) => rank + suit));
const NUMBERS = new Map(NAMES.map((name, number) => [name, number]));

const no = (at: string, detail: string): never => {
  throw new Unreadable(at, detail);
};

export function object(raw: Json | undefined, at: string): Fields {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? (raw as Fields) : no(at, 'object');
}

export function mapping(
  raw: Json | undefined,
  at: string,
  needed: readonly string[],
  allowed: readonly string[] = [],
): Fields {
  const found = object(raw, at);
  for (const key of Object.keys(found)) if (!needed.includes(key) && !allowed.includes(key)) no(at, `unknown:${key}`);
  for (const key of needed) if (!(key in found)) no(at, `missing:${key}`);
  return found;
}

export const listed = (raw: Json | undefined, at: string): readonly Json[] =>
  Array.isArray(raw) ? (raw as readonly Json[]) : no(at, 'list');
export const text = (raw: Json | undefined, at: string): string => (typeof raw === 'string' ? raw : no(at, 'text'));
export const flag = (raw: Json | undefined, at: string): boolean => (typeof raw === 'boolean' ? raw : no(at, 'flag'));
export const number = (raw: Json | undefined, at: string): number => (typeof raw === 'number' ? raw : no(at, 'number'));

export function word<W extends string>(raw: Json | undefined, at: string, known: readonly W[]): W {
  const found = text(raw, at);
  return known.find((one) => one === found) ?? no(at, `word:${found.slice(0, 40)}`);
}

export function whole(raw: Json | undefined, at: string): number {
  const found = number(raw, at);
  return found >= 0 ? found : no(at, 'number');
}

/** Bytes written as lower-case hexadecimal digits. */
export function octets(raw: Json | undefined, at: string, size: number, empty = false): Bytes {
  const found = text(raw, at);
  if (empty && !found) return unhex('');
  return found.length === 2 * size && /^[0-9a-f]*$/.test(found) ? unhex(found) : no(at, `hex:${2 * size}`);
}

export const hashes = (raw: Json | undefined, at: string): Bytes[] =>
  listed(raw, at).map((one, i) => octets(one, `${at}[${i}]`, HASH));
export const card = (raw: Json | undefined, at: string): number => NUMBERS.get(text(raw, at)) ?? no(at, 'card');

/** Cards parted by one blank each. */
export function cards(raw: Json | undefined, at: string): number[] {
  const found = text(raw, at);
  return found ? found.split(' ').map((one) => card(one, at)) : [];
}
