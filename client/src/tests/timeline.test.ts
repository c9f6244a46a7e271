import { describe, expect, test } from 'vitest';
import type { BonusRules } from '../table/rules';
import { boardAt, boardNow, boardRun, eased, LIT, ticksAt, TURNING, wayOf, wheelAt } from '../table/bonus/timeline';
import { slices } from '../table/bonus/wheel';
import type { Bonus } from '../wire/types';

const rules: BonusRules = {
  bet: 'link',
  wheel: [
    { segment: 'x5', weight: 36 },
    { segment: 'x10', weight: 26 },
    { segment: 'x50', weight: 3 },
    { segment: 'link', weight: 12 },
  ],
  boards: { link: 18 },
  prizes: [
    { name: 'GRAND', times: 2000 },
    { name: 'MINI', times: 20 },
  ],
  cells: 6,
  spins: 3,
};
const cells = (held: Readonly<Record<number, number>>): number[] => Array.from({ length: 18 }, (_, k) => held[k] ?? 0);
const board = (held: Readonly<Record<number, number>>, more: Partial<Bonus> = {}): Bonus => ({
  segment: 'link',
  boxes: ['x2', 'diamond', 'x5'],
  cells: cells(held),
  spins: 3,
  diamonds: [],
  prize: null,
  ...more,
});

describe('the wheel in time (L-22, L-23)', () => {
  const all = slices(rules.wheel);
  test('nothing is known before it stands, the result only after its slice', () => {
    expect([0, TURNING - 1, TURNING, TURNING + LIT - 1, TURNING + LIT].map(wheelAt)).toEqual([
      'nothing',
      'nothing',
      'slice',
      'slice',
      'result',
    ]);
  });
  test('it stops in the middle of a slice of what the house drew', () => {
    for (const { segment } of rules.wheel) {
      const at = (((-wayOf(all, segment) % 360) + 360 + 180) % 360) - 180;
      const slice = all.find((one) => (one.from <= at && at < one.to) || (one.from <= at + 360 && at + 360 < one.to));
      expect(slice?.segment).toBe(segment);
    }
  });
  test('ticks slow down: each of its last turns of the pointer takes longer', () => {
    const way = wayOf(all, 'x50');
    const at = Array.from({ length: TURNING + 1 }, (_, ms) => ticksAt(all, way * eased(ms / TURNING)));
    const moments = at.flatMap((count, ms) => (ms && count > at[ms - 1]! ? [ms] : []));
    expect(moments.length).toBeGreaterThan(4 * all.length);
    const last = moments.slice(-6);
    const gaps = last.slice(1).map((ms, k) => ms - last[k]!);
    expect(Math.min(...gaps)).toBeGreaterThan(60);
    expect(gaps.at(-1)).toBeGreaterThan(gaps[0]!);
    expect(at.every((count, ms) => !ms || count >= at[ms - 1]!)).toBe(true);
  });
});

describe('a board in time (L-27, L-28)', () => {
  const start = { 0: 5, 1: 1, 2: 1, 3: 1, 4: 1, 13: 50 };
  const before = board(start, { spins: 2 });
  const after = board({ ...start, 5: 1, 8: 10 });
  const run = boardRun(rules, before, after);
  const moments = run.steps.map((step) => boardAt(run, step.at));

  test('a spin is taken off before any prize is seen, and the first prize gives all of them back', () => {
    expect(moments[0]).toMatchObject({ spins: 1, cells: before.cells, renewed: false });
    expect(boardAt(run, 0).total).toBe(59);
    expect(moments[1]).toMatchObject({ spins: 3, fresh: 5, renewed: true });
    expect(moments[2]).toMatchObject({ spins: 3, fresh: 8, renewed: false });
  });
  test('one prize at a time, and a total that never counts what is not seen', () => {
    const seen = moments.map((shown) => shown.cells.filter(Boolean).length);
    expect(seen.every((count, k) => !k || count - seen[k - 1]! <= 1)).toBe(true);
    for (const shown of moments) {
      const least = shown.cells.reduce((sum, cell) => sum + cell, 0);
      expect(shown.total).toBe(shown.multiplied.includes(0) ? least + 10 : least);
    }
  });
  test('a filled multiplier counts once it has flown, and stays counted', () => {
    const flown = moments.findIndex((shown) => shown.multiplied.includes(0));
    expect(moments.findIndex((shown) => shown.flying === 0)).toBeLessThan(flown);
    expect(moments[flown - 1]!.multiplied).toEqual([]);
    expect(boardNow(rules, after).total).toBe(5 * 2 + 5 * 2 + 10 + 50);
    expect(boardAt(run, run.length)).toMatchObject({ total: 80, prize: null });
  });
  test('great prizes and the end come last, and the sum is what the house pays', () => {
    const full = Object.fromEntries([6, 7, 8, 9, 10, 11].map((cell) => [cell, 1]));
    const end = board(full, { spins: 0, diamonds: ['MINI'], prize: 26 });
    const last = boardRun(rules, board({ ...full, 11: 0 }, { spins: 1 }), end);
    const told = last.steps.map((step) => step.shown);
    expect(told.findIndex((shown) => shown.diamonds.length > 0)).toBeGreaterThan(
      told.findIndex((shown) => shown.cells[11] === 1),
    );
    expect(told.filter((shown) => shown.prize !== null)).toHaveLength(1);
    expect(told.at(-1)).toMatchObject({ prize: 26, total: 26 });
    expect(told.at(-2)!.total).toBe(26);
  });
});
