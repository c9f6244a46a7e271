import { convert, money, symbol, type Language, type Wish } from './amounts';
import { en, it, type Key } from './catalogues';
import type { Fields } from './fields';

export type { Key };
export type Given<K extends Key> = K extends keyof Fields ? [fields: Record<Fields[K], string | number>] : [];

const CATALOGUES: Record<Language, Record<Key, string>> = { it, en };
/** Every refusal of the house by its key, for the page that shows all parts. */
export const REFUSALS = Object.keys(it).filter((key) => key.startsWith('refusal.'));
export const LANGUAGES: readonly Language[] = ['it', 'en'];

/** How this person reads: a language, a currency, a look of the cards. Kept in the profile (V-71). */
class Reading {
  language = $state<Language>('it');
  currency = $state('EUR');
  /** The currency in which this person reads what others stake; null is the house's own (V-53). */
  abroad = $state<{ code: string; rate: string } | null>(null);
  fourColours = $state(false);
  largeIndex = $state(false);
  lessMotion = $state(false);
  /** Cards come twice as fast. */
  fast = $state(false);
}
export const reading = new Reading();

export function speak(language: Language): void {
  reading.language = language;
  document.documentElement.lang = language;
}

export function moveLess(less: boolean): void {
  reading.lessMotion = less;
  if (less) document.documentElement.dataset.motion = 'less';
  else delete document.documentElement.dataset.motion;
}

/** Whether things cut instead of move: by this person's setting or by the system's. */
export const still = (): boolean => reading.lessMotion || matchMedia('(prefers-reduced-motion: reduce)').matches;

/** A field of a phrase: `{name}`, `{name:what it is}`, or `{name|form for one|form for more}`. */
export const FIELD = /\{([\w-]+)(?::(\w+))?(?:\|([^|{}]*)\|([^|{}]*))?\}/g;

/** The form of a word that goes with a number. Both languages have two: for one, and for any other. */
export const agreeing = (value: unknown, single: string, plural: string): string =>
  String(value) === '1' ? single : plural;

/** How long things take: 1 as they are meant, half for who wants it fast, nothing for who wants no motion. */
export const tempo = (): number => (still() ? 0 : reading.fast ? 0.5 : 1);

export function fill(text: string, fields: Readonly<Record<string, string | number>>): string {
  return text.replace(FIELD, (whole, name: string, _kind?: string, single = '', plural?: string) =>
    plural === undefined ? String(fields[name] ?? whole) : agreeing(fields[name], single, plural),
  );
}

/** A phrase in the language of the reader; its fields are known to the compiler. */
export const t = <K extends Key>(key: K, ...fields: Given<K>): string => tIn(reading.language, key, ...fields);

/** The same in a language of one's choice. */
export function tIn<K extends Key>(language: Language, key: K, ...[fields]: Given<K>): string {
  const text = CATALOGUES[language][key];
  return fields ? fill(text, fields) : text;
}

const known = (key: string): key is Key => key in it;

/** A phrase whose key was made from a word of the wire; the word itself where no catalogue has it. */
export function named(
  family: 'act' | 'bet' | 'spot' | 'won' | 'end' | 'booked',
  word: string,
  fields: Record<string, string | number> = {},
): string {
  const key = `${family}.${word}`;
  return known(key) ? fill(CATALOGUES[reading.language][key], fields) : word;
}

/** Bets and combinations that a game calls otherwise than the others do, as its sheet has it (`looks.names`). */
export type BetNames = Readonly<Record<string, string>>;
/** The one name of a bet in its game: on the felt, in help, sums, history and odds. */
export const betName = (bet: string, names: BetNames = {}): string => named('bet', names[bet] ?? bet);
/** The one name of a combination that pays, likewise. */
export const winName = (category: string, names: BetNames = {}): string => named('won', names[category] ?? category);

/** The phrase for a code, its fields still open; undefined where there is none. */
export const phrase = (key: string): string | undefined => (known(key) ? CATALOGUES[reading.language][key] : undefined);

type Plural = { [K in Key]: K extends `${infer Stem}.one` ? Stem : never }[Key];
export function many(stem: Plural, count: number): string {
  const form = new Intl.PluralRules(reading.language).select(count) === 'one' ? 'one' : 'other';
  return fill(phrase(`${stem}.${form}`) ?? '', { count });
}

/** An amount of cents for this reader. */
export const cash = (cents: number, wish: Wish = {}): string =>
  money(cents, reading.language, { currency: reading.currency, ...wish });
/** The same, as it is written on the felt: `€ 25`. */
export const brief = (cents: number, wish: Wish = {}): string => cash(cents, { short: true, ...wish });
/** What another has staked, in the currency of this reader where the house knows its rate. */
export const abroad = (cents: number): string =>
  reading.abroad ? brief(convert(cents, reading.abroad.rate), { currency: reading.abroad.code }) : brief(cents);
/** From one amount to another: the second needs no sign of its own, `€ 5 – 1.000`. */
export const range = (least: number, most: number): string =>
  t('limits.range', { least: brief(least), most: brief(most).replace(symbol(reading.currency), '').trim() });
