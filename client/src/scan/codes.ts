import { read } from '../art/cards';

/** What a code names: a card as it travels, or the cut card. */
export type Code = { kind: 'card'; card: string } | { kind: 'cut' };

const PREFIX = 'V21-';
const CUT = 'CUT';
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const PRINTED = /^V21-([0-9A-Z]{2,3})-([0-9A-Z])$/;

/** The check character of the letters and figures of a text, by ISO/IEC 7064, MOD 37,36. */
function computeCheck(body: string): string {
  let product = ALPHABET.length;
  for (const character of body.replaceAll('-', '')) {
    const total = (product + ALPHABET.indexOf(character)) % ALPHABET.length || ALPHABET.length;
    product = (total * 2) % (ALPHABET.length + 1);
  }
  return ALPHABET[(1 - product + ALPHABET.length) % ALPHABET.length]!;
}

/** What is printed on a card (`TD`), or on the cut card (`CUT`). */
export const writeCode = (name: string): string => `${PREFIX}${name}-${computeCheck(PREFIX + name)}`;

/** A printed code alone, with its check character: what a scanner or a camera reads. */
export function parsePrinted(text: string): Code | null {
  const word = text.trim().toUpperCase();
  const name = PRINTED.exec(word)?.[1];
  return name !== undefined && word === writeCode(name) ? named(name) : null;
}

/** The same, or what a person types: `TD`, `CUT`. Null for what is neither; a misread character is never a card. */
export function parseCode(text: string): Code | null {
  return parsePrinted(text) ?? named(text.trim().toUpperCase());
}

function named(name: string): Code | null {
  if (name === CUT) return { kind: 'cut' };
  return read(name) ? { kind: 'card', card: name } : null;
}
