/** Where something is drawn beside a control, in pixels of the window. */
export interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}
export type Side = 'above' | 'below' | 'right' | 'left';
interface Wish {
  anchor: Area;
  width: number;
  height: number;
  /** All of it is in here. */
  room: Area;
  /** What it should not lie over, where there is another place. */
  avoid?: readonly Area[];
  /** The sides of the anchor, the best first. */
  sides?: readonly Side[];
  gap?: number;
}
const EDGE = 8;

export const windowRoom = (): Area => ({ left: 0, top: 0, right: innerWidth, bottom: innerHeight });

const clamp = (at: number, size: number, from: number, to: number): number =>
  Math.max(from + EDGE, Math.min(at, to - EDGE - size));
const overlap = (one: Area, other: Area): number =>
  Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
  Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));

/** Beside the anchor on the first side where it lies over nothing; where there is none, over as little as can be. */
export function placeBeside(wish: Wish): { left: number; top: number } {
  const { anchor, width, height, room, avoid = [], sides = ['above', 'below', 'right', 'left'], gap = 9 } = wish;
  const [middle, centre] = [(anchor.left + anchor.right) / 2, (anchor.top + anchor.bottom) / 2];
  const at: Record<Side, { left: number; top: number }> = {
    above: { left: middle - width / 2, top: anchor.top - gap - height },
    below: { left: middle - width / 2, top: anchor.bottom + gap },
    right: { left: anchor.right + gap, top: centre - height / 2 },
    left: { left: anchor.left - gap - width, top: centre - height / 2 },
  };
  let best = { left: 0, top: 0, covers: Infinity };
  for (const side of sides) {
    const left = clamp(at[side].left, width, room.left, room.right);
    const top = clamp(at[side].top, height, room.top, room.bottom);
    const area = { left, top, right: left + width, bottom: top + height };
    /* it must not hide what it belongs to: that weighs more than all it could lie over */
    const covers = [...avoid].reduce((sum, one) => sum + overlap(area, one), overlap(area, anchor) * 1_000);
    if (covers < best.covers) best = { left, top, covers };
  }
  return { left: best.left, top: best.top };
}
