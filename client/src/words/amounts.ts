/** Money and numbers as each language writes them: `€ 1.250,00` in Italian, `€1,250.00` in English. */
export type Language = 'it' | 'en';

export const LOCALES: Record<Language, string> = { it: 'it-IT', en: 'en-GB' };
/** A thin gap that never breaks, between the sign of a currency and its figure. */
const GAP = '\u00a0';
const MINUS = '\u2212';

export interface Wish {
  /** `always`: + and - are written; `never`: the amount is shown without its sign. */
  sign?: 'auto' | 'always' | 'never';
  /** Whole amounts lose their zeros, as chips and limits are written on a felt. */
  short?: boolean;
  currency?: string;
}

const formats = new Map<string, Intl.NumberFormat>();
function format(language: Language, digits: number): Intl.NumberFormat {
  const name = `${language}${digits}`;
  const held = formats.get(name);
  if (held) return held;
  const made = new Intl.NumberFormat(LOCALES[language], {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: 'always',
  });
  formats.set(name, made);
  return made;
}

const symbols = new Map<string, string>();
/** The sign of a currency; its code where it has none. */
export function symbol(currency: string): string {
  const held = symbols.get(currency);
  if (held !== undefined) return held;
  const parts = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  }).formatToParts(0);
  const found = parts.find((part) => part.type === 'currency')?.value ?? currency;
  symbols.set(currency, found);
  return found;
}

/** An amount of integer cents; no arithmetic but the placing of the point. */
export function money(
  cents: number,
  language: Language,
  { sign = 'auto', short = false, currency = 'EUR' }: Wish = {},
): string {
  const whole = Math.abs(cents);
  const digits = short && whole % 100 === 0 ? 0 : 2;
  const figure = format(language, digits).format(whole / 100);
  const face = symbol(currency);
  const amount = language === 'it' || face.length > 1 ? `${face}${GAP}${figure}` : `${face}${figure}`;
  const gap = language === 'it' ? GAP : '';
  if (sign === 'never' || (cents >= 0 && sign === 'auto') || cents === 0) return amount;
  return `${cents < 0 ? MINUS : '+'}${gap}${amount}`;
}

export const count = (value: number, language: Language): string => format(language, 0).format(value);

/** `99,29 %` or `99.29%`, from hundredths of a per cent. */
export function percent(hundredths: number, language: Language): string {
  return format(language, 2).format(hundredths / 100) + (language === 'it' ? `${GAP}%` : '%');
}

/** hh:mm:ss of a span in milliseconds. */
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

let hourCycle: 'h23' | 'h12' = 'h23';
/** By a clock of 24 hours or of twelve, as this person reads it. */
export const readHours = (all: boolean): void => {
  hourCycle = all ? 'h23' : 'h12';
};

function writeMoment(at: number, language: Language, month: 'short' | 'long' | null, seconds: boolean): string {
  const date: Intl.DateTimeFormatOptions = month ? { day: 'numeric', month, year: 'numeric' } : {};
  const second = seconds ? { second: '2-digit' as const } : {};
  const time: Intl.DateTimeFormatOptions = { hourCycle, hour: '2-digit', minute: '2-digit', ...second };
  return new Intl.DateTimeFormat(LOCALES[language], { ...date, ...time }).format(at);
}

/** A moment of the house's clock: the time alone, or the day with it. */
export const moment = (at: number, language: Language, day: boolean): string =>
  writeMoment(at, language, day ? 'long' : null, !day);

/** A moment in a list: `16 nov 2026, 20:14`. */
export const stamp = (at: number, language: Language): string => writeMoment(at, language, 'short', false);

/** The same to the second, as a game code tells it: `16 nov 2026, 20:14:37`. */
export const dayTime = (at: number, language: Language): string => writeMoment(at, language, 'short', true);

const RATE = /^(\d+)(?:\.(\d+))?$|^(\d+)\/(\d+)$/;
/**
 * Cents of euro in hundredths of another currency, by a rate written `1.0837` or `10837/10000`; rounded once, a half up
 * (V-53).
 */
export function convert(cents: number, rate: string): number {
  const found = RATE.exec(rate);
  if (!found) return cents;
  const places = found[2]?.length ?? 0;
  const [above, below] =
    found[3] === undefined
      ? [BigInt(`${found[1]}${found[2] ?? ''}`), 10n ** BigInt(places)]
      : [BigInt(found[3]), BigInt(found[4]!)];
  return Number((2n * BigInt(cents) * above + below) / (2n * below));
}

/** An amount on its way to its end, for the eye: in whole units, and exact when it is there. */
export const countWhole = (now: number, end: number): number =>
  Math.abs(end - now) < 1 || Math.abs(end) < 300 ? end : Math.trunc(now / 100) * 100;

/**
 * The code of a round as a regulation writes it, with its GMT time: `Aurelia-151126-20:14:37 GMT` (V-66). The house's
 * own, `Aurelia-20261115-201437-12`, counts besides; a round is asked for by that one.
 */
export function writeCode(code: string): string {
  const found = /^(.+)-\d\d(\d\d)(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-\d+$/.exec(code);
  if (!found) return code;
  const [, table, year, month, day, ...time] = found;
  return `${table}-${day}${month}${year}-${time.join(':')} GMT`;
}
