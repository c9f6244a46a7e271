import { describe, expect, test } from 'vitest';
import { flatHeight, flatShape, place } from '../art/arc';
import { placeSides } from '../parts/table/side_places';
import { ALONE_FLAT, ALONE_MANY, FLAT, type BoxSize } from '../parts/table/shown';

interface Circle {
  of: string;
  x: number;
  y: number;
  r: number;
}

/** Every circle of a table whose boxes are all one's own, while bets are taken in a room of this size. */
function circles(boxes: number, sides: number, size: BoxSize, radius: number, room: [number, number]): Circle[] {
  const arc = flatShape(boxes, flatHeight(...room));
  return Array.from({ length: boxes }, (_, box) => {
    const at = place(boxes, box, arc);
    const r = size.main[0];
    const around = { degrees: at.degrees, r, side: size.side[0], slope: 0, spread: radius, own: true };
    const more = placeSides(sides, around).map(({ x, y }, k) => ({
      of: `${box + 1}:${k}`,
      x: at.x + x,
      y: at.y + y,
      r: radius,
    }));
    return [{ of: `${box + 1}`, x: at.x, y: at.y, r }, ...more];
  }).flat();
}

const overlaps = (all: readonly Circle[]): string[] =>
  all.flatMap((one, k) =>
    all
      .slice(k + 1)
      .filter((other) => Math.hypot(one.x - other.x, one.y - other.y) < one.r + other.r - 1)
      .map((other) => `${one.of} and ${other.of}`),
  );
const beyond = (all: readonly Circle[]): string[] =>
  all.filter((one) => one.x < one.r - 2 || one.x > 742 - one.r || one.y < one.r).map((one) => one.of);

describe('side circles on a low table', () => {
  /* what a phone of 740 x 360 and one of 667 x 375 leave to the felt, and the scale of the stage there */
  const rooms: [[number, number], number][] = [
    [[740, 259], 0.98],
    [[667, 272], 0.9],
  ];
  const tables: [string, number, number, BoxSize, number][] = [
    ['seven boxes', 7, 2, FLAT, 22.5],
    ['five hands', 5, 2, ALONE_FLAT, 24],
    ['five hands with three', 5, 3, ALONE_MANY, 24],
  ];
  test.each(tables.flatMap((table) => rooms.map((room) => [...table, ...room] as const)))(
    '%s are 44 px for a finger and none lies over another',
    (_, boxes, sides, size, radius, room, scale) => {
      expect(2 * radius).toBeGreaterThanOrEqual(44);
      const all = circles(boxes, sides, size, radius / scale, room);
      expect(all).toHaveLength(boxes * (sides + 1));
      expect(overlaps(all)).toEqual([]);
      expect(beyond(all)).toEqual([]);
      expect(overlaps(circles(boxes, sides, size, (radius / scale) * 1.4, room)), 'too large is seen').not.toEqual([]);
    },
  );

  test('in play they lie beside their own, the two of three towards the middle', () => {
    const around = { r: 24, side: 18, slope: 0, spread: 0, own: true };
    const left = placeSides(3, { ...around, degrees: 146 }).map(({ x }) => Math.sign(x));
    const right = placeSides(3, { ...around, degrees: 34 }).map(({ x }) => Math.sign(x));
    expect([left, right]).toEqual([
      [1, -1, 1],
      [-1, 1, -1],
    ]);
  });
});
