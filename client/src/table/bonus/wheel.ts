import type { BonusRules } from '../rules';

export interface Slice {
  segment: string;
  from: number;
  to: number;
  weight: number;
}

/**
 * About how wide a slice is drawn, of the whole. A likely segment has several; all of them together are as wide as it
 * is likely.
 */
const WIDTH = 0.072;

/**
 * The wheel as its weights make it, the slices of a segment spread around; the commonest stands under the pointer first
 * (L-23).
 */
export function slices(wheel: BonusRules['wheel']): Slice[] {
  const all = wheel.reduce((sum, one) => sum + one.weight, 0);
  const parts = wheel.flatMap(({ segment, weight }, row) => {
    const count = Math.max(1, Math.round(weight / all / WIDTH));
    return Array.from({ length: count }, (_, k) => ({
      segment,
      weight: weight / all / count,
      at: (k + (row % 2 ? 0.5 : 0.25)) / count + row * 0.001,
    }));
  });
  parts.sort((a, b) => (a.at % 1) - (b.at % 1));
  const first = parts.findIndex((one) => one.segment === [...wheel].sort((a, b) => b.weight - a.weight)[0]?.segment);
  const turned = [...parts.slice(first), ...parts.slice(0, first)];
  let at = -(turned[0]?.weight ?? 0) / 2;
  return turned.map(({ segment, weight }) => {
    const slice = { segment, from: at * 360, to: (at + weight) * 360, weight };
    at += weight;
    return slice;
  });
}

/** The slice that the wheel stops on; a segment with several has always the same one. */
export function landed(among: readonly Slice[], segment: string): Slice | undefined {
  const fitting = among.filter((slice) => slice.segment === segment);
  return fitting[segment.length % Math.max(1, fitting.length)];
}

/** `x25` is a prize, anything else opens a board. */
export const times = (segment: string): number | null => (/^x\d+$/.test(segment) ? Number(segment.slice(1)) : null);
export const written = (segment: string): string =>
  times(segment) === null ? segment.replaceAll('-', ' ').toUpperCase() : `×${times(segment)}`;
