import { count as counted } from '../words/amounts';
import { reading } from '../words/words.svelte';

export { brief } from '../words/words.svelte';
/** Tenths as this reader writes them: `2,5`. */
export function decimal(tenths: number): string {
  const whole = count(Math.floor(tenths / 10));
  const point = reading.language === 'it' ? ',' : '.';
  return tenths % 10 ? `${whole}${point}${tenths % 10}` : whole;
}
/** A plain number as this reader writes it. */
export const count = (value: number): string => counted(value, reading.language);
