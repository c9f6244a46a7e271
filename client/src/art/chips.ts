/** Chips by the number printed on them: base, spots, figures, and how many spots, so that colour never speaks alone. */
export interface ChipLook {
  base: string;
  spot: string;
  text: string;
  spots: number;
}

const LOOKS: Record<number, ChipLook> = {
  1: { base: '#e4dac2', spot: '#7b7561', text: '#17201b', spots: 4 },
  2: { base: '#8f9a93', spot: '#17201b', text: '#17201b', spots: 4 },
  5: { base: '#9d3530', spot: '#f4ecd8', text: '#f4ecd8', spots: 6 },
  10: { base: '#2c5f93', spot: '#f4ecd8', text: '#f4ecd8', spots: 8 },
  20: { base: '#7a8a3a', spot: '#f4ecd8', text: '#fffdf6', spots: 7 },
  25: { base: '#2b8a63', spot: '#f4ecd8', text: '#f4ecd8', spots: 6 },
  50: { base: '#bf6a32', spot: '#f4ecd8', text: '#fff8ea', spots: 5 },
  100: { base: '#20262a', spot: '#c8a45d', text: '#f4ecd8', spots: 8 },
  250: { base: '#b0566f', spot: '#f4ecd8', text: '#fff8ea', spots: 9 },
  500: { base: '#643d70', spot: '#e6cb8f', text: '#f4ecd8', spots: 10 },
  1000: { base: '#c09a50', spot: '#17201b', text: '#17201b', spots: 12 },
  5000: { base: '#6f2430', spot: '#e6cb8f', text: '#f4ecd8', spots: 12 },
};
const OTHER: ChipLook = { base: '#3d4f5c', spot: '#cfc9b8', text: '#f4ecd8', spots: 7 };

export const look = (value: number): ChipLook => LOOKS[value] ?? OTHER;

/** `euro`: a chip shows whole units of money. `cents`: it shows its cents (S-02). */
export type Print = 'euro' | 'cents';
export const printed = (cents: number, print: Print): number => (print === 'cents' ? cents : cents / 100);

/** An amount as chips, the largest at the bottom; at most `most` of them, for a pile is a picture, not a count. */
export function stackChips(amount: number, chips: readonly number[], most = 5): number[] {
  const pile: number[] = [];
  let left = amount;
  for (const chip of [...chips].sort((a, b) => b - a)) {
    while (chip > 0 && left >= chip && pile.length < most) {
      pile.push(chip);
      left -= chip;
    }
  }
  const least = Math.min(...chips);
  return pile.length || amount <= 0 || !chips.length ? pile : [least];
}

interface Arc {
  a: number;
  w: number;
}
const arcs = (count: number, turn: number): Arc[] =>
  Array.from({ length: count }, (_, k) => ({
    a: (k / count) * 2 * Math.PI - Math.PI / 2 + turn,
    w: Math.min(0.2, 1.25 / count),
  }));
const at = (y: number, r: number, a: number): string =>
  `${(50 + r * Math.cos(a)).toFixed(1)} ${(y + r * Math.sin(a)).toFixed(1)}`;

/** The spots on the rim, seen from above; the chip is 92 wide around (50, y). */
export const rim = (count: number, y: number): string =>
  arcs(count, 0)
    .map(
      ({ a, w }) =>
        `M${at(y, 46, a - w)}A46 46 0 0 1 ${at(y, 46, a + w)}L${at(y, 35.5, a + w)}A35.5 35.5 0 0 0 ${at(y, 35.5, a - w)}Z`,
    )
    .join('');

/** The spots on the visible side of a chip of height h. */
export const flank = (count: number, y: number, h: number, turn: number): string =>
  arcs(count, turn)
    .filter(({ a, w }) => Math.sin(a - w) > 0 && Math.sin(a + w) > 0)
    .map(
      ({ a, w }) =>
        `M${at(y, 46, a + w)}A46 46 0 0 0 ${at(y, 46, a - w)}L${at(y + h, 46, a - w)}A46 46 0 0 1 ${at(y + h, 46, a + w)}Z`,
    )
    .join('');
