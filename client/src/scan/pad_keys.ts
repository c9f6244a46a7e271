import type { Rank, Suit } from '../art/cards';
import type { Language } from '../words/amounts';

/** The letters of the suits as a dealer knows them: picche, cuori, quadri, fiori. */
export const SUIT_KEYS: Readonly<Record<Language, Readonly<Record<Suit, string>>>> = {
  it: { S: 'P', H: 'C', D: 'Q', C: 'F' },
  en: { S: 'S', H: 'H', D: 'D', C: 'C' },
};

/** The rank that a key means; the ten is `T`, `0` or `1`. */
export function rankOfKey(key: string): Rank | null {
  const letter = key.toUpperCase();
  if (letter === '0' || letter === '1') return 'T';
  return /^[A2-9TJQK]$/.test(letter) ? (letter as Rank) : null;
}

/** The suit that a key means after a rank, by the letters of the language. */
export function suitOfKey(key: string, language: Language): Suit | null {
  const keys = Object.entries(SUIT_KEYS[language]) as [Suit, string][];
  return keys.find(([, letter]) => letter === key.toUpperCase())?.[0] ?? null;
}
