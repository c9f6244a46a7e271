/**
 * What a dealer reads at the desk, in its own file of the catalogue: it is fetched with the desk alone instead of with
 * the first page.
 */
import en from '../../../src/ventuno/words/en/studio.json';
import it from '../../../src/ventuno/words/it/studio.json';
import type { Language } from './amounts';
import { fill, reading } from './words.svelte';

export type DeskKey = keyof typeof it;
export const STUDIO: Record<Language, Record<DeskKey, string>> = { it, en };

type Values = Readonly<Record<string, string | number>>;

/** A phrase of the desk in a language of one's choice: a call is shown in both. */
export const deskIn = (language: Language, key: DeskKey, fields: Values = {}): string =>
  fill(STUDIO[language][key], fields);

/** The same in the language of the reader. */
export const desk = (key: DeskKey, fields: Values = {}): string => deskIn(reading.language, key, fields);
