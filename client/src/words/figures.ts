import { count, type Language } from './amounts';
import { reading } from './words.svelte';

const LOCALES: Record<Language, string> = { it: 'it-IT', en: 'en-GB' };
const MINUS = '\u2212';
const formats = new Map<string, Intl.NumberFormat>();
/** A figure with so many decimals, its minus a minus. */
export function figure(value: number, digits: number, sign = false): string {
  const name = `${reading.language}${digits}`;
  const format =
    formats.get(name) ??
    new Intl.NumberFormat(LOCALES[reading.language], { minimumFractionDigits: digits, maximumFractionDigits: digits });
  formats.set(name, format);
  const text = format.format(Math.abs(value));
  const zero = Number(Math.abs(value).toFixed(digits)) === 0;
  const gap = reading.language === 'it' ? '\u00a0' : '';
  return value < 0 && !zero ? `${MINUS}${gap}${text}` : sign && !zero ? `+${gap}${text}` : text;
}
export const whole = (value: number): string => count(value, reading.language);

/** `99,29 %` or `99.29%`, with as many decimals as are wanted. */
export const share = (value: number, digits: number): string =>
  figure(value, digits) + (reading.language === 'it' ? '\u00a0%' : '%');
