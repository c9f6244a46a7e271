/** What is said where cards are read, in its own file of the catalogue: fetched with the desk alone. */
import en from '../../../src/ventuno/words/en/scan.json';
import it from '../../../src/ventuno/words/it/scan.json';
import { fill, reading } from './words.svelte';

export type ScanKey = keyof typeof it;
export const SCAN: Record<'it' | 'en', Record<ScanKey, string>> = { it, en };

/** A phrase about reading cards in the language of the reader. */
export const ts = (key: ScanKey, fields: Record<string, string | number> = {}): string =>
  fill(SCAN[reading.language][key], fields);
