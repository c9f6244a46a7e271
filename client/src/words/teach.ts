/**
 * What the help teaches, in its own file of the catalogue: it is long, and fetched with the help alone instead of with
 * the first page.
 */
import en from '../../../src/ventuno/words/en/teach.json';
import it from '../../../src/ventuno/words/it/teach.json';
import { fill, reading } from './words.svelte';

export type TeachKey = keyof typeof it;
export const TEACH: Record<'it' | 'en', Record<TeachKey, string>> = { it, en };

/** A phrase of the help in the language of the reader. */
export const teach = (key: TeachKey, fields: Record<string, string | number> = {}): string =>
  fill(TEACH[reading.language][key], fields);

/** A phrase whose key was made from a word of the sheet; undefined where the help has none. */
export const teachWord = (key: string): string | undefined => (key in it ? teach(key as TeachKey) : undefined);

/** A time of the sheet as people say it: `15 secondi`, `24 ore`; never seconds of a day. */
export function duration(seconds: number): string {
  if (seconds >= 3_600 && seconds % 3_600 === 0) return teach('teach.hours', { count: seconds / 3_600 });
  if (seconds >= 120 && seconds % 60 === 0) return teach('teach.minutes', { count: seconds / 60 });
  return teach('teach.seconds', { count: seconds });
}
