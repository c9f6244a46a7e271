import { ascii, type Bytes, sha256 } from './bytes';

/** JSON read strictly and written in one way, so that a hash of it is one too (docs/fairness.md, Canonical JSON). */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** The input is no document of this kind; `at` says where, as far as that is known. */
export class Unreadable extends Error {
  readonly at: string;

  constructor(at: string, detail: string) {
    super(detail);
    this.at = at;
  }
}

const DEEPEST = 200;
const BLANK = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** What stands for itself are the ranges of RFC 8259: all but control characters, the quote and the backslash. */
const STRING = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const WORD = /true|false|null/y;

/**
 * Reads one value; a key twice, a fraction or a number beyond 2^53 is unreadable, which `JSON.parse` would let pass.
 */
export function decode(text: string): Json {
  let at = text.startsWith('\ufeff') ? 1 : 0;

  function next(pattern: RegExp): string {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  }
  const fail = (detail: string): never => {
    throw new Unreadable('', `${detail} (${at})`);
  };
  function sign(...wanted: string[]): string {
    next(BLANK);
    const found = text[at] ?? '';
    if (!wanted.includes(found)) fail('json');
    at += 1;
    return found;
  }
  function words(): string {
    next(BLANK);
    const found = next(STRING);
    return found ? (JSON.parse(found) as string) : fail('json');
  }
  function whole(): number {
    const found = next(NUMBER);
    const value = Number(found);
    if (!found || !Number.isSafeInteger(value) || String(value) !== found) fail('number');
    return value;
  }
  function list(depth: number): Json[] {
    const found: Json[] = [];
    next(BLANK);
    if (text[at] === ']') at += 1;
    else
      do found.push(value(depth));
      while (sign(',', ']') === ',');
    return found;
  }
  function object(depth: number): Record<string, Json> {
    const found: Record<string, Json> = Object.create(null) as Record<string, Json>;
    next(BLANK);
    if (text[at] === '}') at += 1;
    else {
      do {
        const key = words();
        if (key in found) fail('twice');
        sign(':');
        found[key] = value(depth);
      } while (sign(',', '}') === ',');
    }
    return found;
  }
  function value(depth: number): Json {
    if (depth > DEEPEST) fail('depth');
    next(BLANK);
    switch (text[at]) {
      case '{':
        at += 1;
        return object(depth + 1);
      case '[':
        at += 1;
        return list(depth + 1);
      case '"':
        return words();
      case 't':
      case 'f':
      case 'n': {
        const word = next(WORD);
        return word ? (JSON.parse(word) as boolean | null) : fail('json');
      }
      default:
        return whole();
    }
  }

  const found = value(0);
  next(BLANK);
  return at < text.length ? fail('json') : found;
}

/** By code point, as Python sorts; the browser's own order is by halves of pairs. */
function byPoint(one: string, other: string): number {
  const [a, b] = [Array.from(one), Array.from(other)];
  for (let i = 0; i < Math.min(a.length, b.length); i += 1) {
    const apart = a[i]!.codePointAt(0)! - b[i]!.codePointAt(0)!;
    if (apart) return apart;
  }
  return a.length - b.length;
}

const quote = (text: string): string =>
  JSON.stringify(text).replace(/[\u007f-\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

export function encode(value: Json): string {
  if (typeof value === 'string') return quote(value);
  if (Array.isArray(value)) return `[${(value as readonly Json[]).map(encode).join(',')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const held = value as { readonly [key: string]: Json };
  return `{${Object.keys(held)
    .sort(byPoint)
    .map((key) => `${quote(key)}:${encode(held[key]!)}`)
    .join(',')}}`;
}

export const digest = (value: Json): Promise<Bytes> => sha256(ascii(encode(value)));
