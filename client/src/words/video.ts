/** What is said of cameras and streams, in its own file of the catalogue: fetched with the first table that has one. */
import en from '../../../src/ventuno/words/en/video.json';
import it from '../../../src/ventuno/words/it/video.json';
import { fill, reading } from './words.svelte';

export type VideoKey = keyof typeof it;
export const VIDEO: Record<'it' | 'en', Record<VideoKey, string>> = { it, en };

/** A phrase about video in the language of the reader. */
export const tv = (key: VideoKey, fields: Record<string, string | number> = {}): string =>
  fill(VIDEO[reading.language][key], fields);
