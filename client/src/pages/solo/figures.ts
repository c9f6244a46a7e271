import { count as counted } from '../../words/amounts';
import { reading } from '../../words/words.svelte';

export { brief } from '../../words/words.svelte';
/** Tenths as this reader writes them: `2,5`. */
export const decimal = (tenths: number): string =>
  `${counted(Math.floor(tenths / 10), reading.language)}${tenths % 10 ? `${reading.language === 'it' ? ',' : '.'}${tenths % 10}` : ''}`;
/** A plain number as this reader writes it. */
export const count = (value: number): string => counted(value, reading.language);
