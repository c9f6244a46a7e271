/** Where the side circles of a box lie on a low stage, from the centre of its main circle. */
interface Around {
  /** Where the box lies on the arc: 90 is the middle, 0 the right end. */
  degrees: number;
  /** The radius of the main circle, and of those beside it in play. */
  r: number;
  side: number;
  slope: number;
  /** The radius of circles that are pressed; 0 where bets are closed. */
  spread: number;
  own: boolean;
}

const [GAP, STACKED, LOWER] = [3, 10, 4];
/** Degrees from upright by which two circles, or the outer ones of three, lean to their side. */
const [LEAN, CROWN] = [32, 60];

/** Degrees by which the circles of a box turn away from those of the next: outwards at the ends, else to the middle. */
function turned(degrees: number): number {
  const off = degrees - 90;
  if (Math.abs(off) > 60) return -Math.sign(off) * 24;
  return Math.sign(Math.round(off)) * (Math.abs(off) > 35 ? 14 : 6);
}

/** Over the main circle, where no cards lie yet: room for a finger on each. */
function crown(count: number, { degrees, r, spread }: Around): { x: number; y: number }[] {
  const far = r + spread + GAP - 1;
  const wide = count > 2 ? CROWN : LEAN;
  const turn = count > 2 ? 0 : turned(degrees);
  return Array.from({ length: count }, (_, k) => {
    const lean = ((turn + (count === 1 ? 0 : wide * (-1 + (2 * k) / (count - 1)))) * Math.PI) / 180;
    return { x: far * Math.sin(lean), y: -far * Math.cos(lean) };
  });
}

/**
 * Beside the main circle, under the cards. Of three the two lie on the side of the middle: on the other is the next
 * box's; at the right end the next box's cards lie on the left.
 */
function beside(count: number, { degrees, r, side, slope, own }: Around): { x: number; y: number }[] {
  const mirrored = count > 2 && degrees > 95;
  const outward = !own && degrees < 40;
  const lefts = Array.from({ length: count }, (_, k) => !outward && (k % 2 === 0) !== mirrored);
  return lefts.map((left, k) => {
    const above = lefts.filter((other, at) => other === left && at > k).length;
    return {
      x: (r + GAP + side) * (left ? -1 : 1),
      y: LOWER + (left ? slope : -slope) - above * (2 * side + STACKED),
    };
  });
}

export const placeSides = (count: number, around: Around): { x: number; y: number }[] =>
  around.spread ? crown(count, around) : beside(count, around);
