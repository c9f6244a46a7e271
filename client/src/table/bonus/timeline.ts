import type { BonusRules } from '../rules';
import type { Bonus } from '../../wire/types';
import { landed, times, type Slice } from './wheel';

/**
 * The order in which a bonus is shown. The house has drawn all of it before the first frame; here stands what of it
 * may be known at which moment, in milliseconds, for everything that shows, sounds or says something (L-22…L-28).
 */

/** The wheel: how long it turns, its last moments, and how long its slice is lit before the result is told. */
export const [TURNING, LAST, LIT] = [5_200, 1_500, 700];
const [TURNS, SLOWING] = [5, 3.2];

/** How far of its way the wheel is after a share of its time: fast at first, long and slow at the end. */
export const eased = (share: number): number => 1 - (1 - Math.min(1, Math.max(0, share))) ** SLOWING;

/** The whole way of the wheel in degrees: some turns, then the middle of the slice it stops on. */
export function wayOf(slices: readonly Slice[], segment: string): number {
  const slice = landed(slices, segment);
  return TURNS * 360 - (slice ? (slice.from + slice.to) / 2 : 0);
}

/** How many edges of slices have passed under the pointer when the wheel has turned so far: each is a tick. */
export function ticksAt(slices: readonly Slice[], degrees: number): number {
  const turns = Math.floor(degrees / 360);
  const passed = slices.filter((slice) => (720 - slice.to) % 360 <= degrees - turns * 360);
  return turns * slices.length + passed.length;
}

/** What may be known of the wheel: nothing while it turns, the slice when it stands, the result when that was seen. */
export type WheelKnown = 'nothing' | 'slice' | 'result';
export const wheelAt = (time: number): WheelKnown =>
  time < TURNING ? 'nothing' : time < TURNING + LIT ? 'slice' : 'result';

/** What of a board is on the screen. */
export interface BoardShown {
  cells: readonly number[];
  spins: number;
  /** The cell that just got its prize; -1 where none did. */
  fresh: number;
  /** All spins are back because of a new prize. */
  renewed: boolean;
  /** Full boxes whose multiplier has been over its cells. */
  multiplied: readonly number[];
  /** The box whose multiplier is over its cells now; -1 where none is. */
  flying: number;
  diamonds: readonly string[];
  /** All that is won so far, in LINK bets. */
  total: number;
  /** The end, once everything before it was seen. */
  prize: number | null;
}

interface Step {
  at: number;
  shown: BoardShown;
}
/** A spin of a board, from its first frame to the last. */
export interface BoardRun {
  steps: readonly Step[];
  length: number;
}

export const [ROLL, CELL, QUICK, FLY, PRIZE, END] = [700, 380, 170, 1_000, 900, 500];

const multiplierOf = (name: string): number => times(name) ?? 1;
const isFull = (bonus: Pick<Bonus, 'cells'>, box: number, size: number): boolean =>
  bonus.cells.slice(box * size, (box + 1) * size).every(Boolean);

/** What lies on a board, full boxes times their multiplier once it was seen, great prizes on top (L-28). */
function totalOf(rules: BonusRules, bonus: Bonus, shown: Omit<BoardShown, 'total'>): number {
  const prizes = shown.diamonds.map((name) => rules.prizes.find((one) => one.name === name)?.times ?? 0);
  return bonus.boxes.reduce(
    (sum, name, box) => {
      const cells = shown.cells.slice(box * rules.cells, (box + 1) * rules.cells);
      const by = shown.multiplied.includes(box) ? multiplierOf(name) : 1;
      return sum + by * cells.reduce((all, cell) => all + cell, 0);
    },
    prizes.reduce((sum, prize) => sum + prize, 0),
  );
}

/** A board that stands: all that is known of it (L-31). */
export function boardNow(rules: BonusRules, bonus: Bonus): BoardShown {
  const multiplied = bonus.boxes.flatMap((name, box) =>
    times(name) !== null && isFull(bonus, box, rules.cells) ? [box] : [],
  );
  const shown = {
    cells: bonus.cells,
    spins: bonus.spins,
    fresh: -1,
    renewed: false,
    multiplied,
    flying: -1,
    diamonds: bonus.diamonds,
    prize: bonus.prize,
  };
  return { ...shown, total: bonus.prize ?? totalOf(rules, bonus, shown) };
}

/**
 * One spin, step by step: a spin is taken off and the empty cells roll; new prizes come one by one, the first gives all
 * spins back; then each box they filled sends its multiplier over its cells; at the end the great prizes, then the sum.
 */
export function boardRun(rules: BonusRules, before: Bonus, after: Bonus): BoardRun {
  const steps: Step[] = [];
  const start = boardNow(rules, before);
  const locks = after.cells.flatMap((cell, at) => (cell && !before.cells[at] ? [at] : []));
  let [time, now] = [0, { ...start, spins: Math.max(0, before.spins - 1) }];
  const show = (change: Partial<BoardShown>): void => {
    now = { ...now, fresh: -1, flying: -1, renewed: false, ...change };
    now.total = totalOf(rules, after, now);
    steps.push({ at: time, shown: now });
  };
  show({});
  time += ROLL;
  const pace = locks.length > 6 ? QUICK : CELL;
  locks.forEach((at, k) => {
    const cells = now.cells.map((cell, each) => (each === at ? (after.cells[at] ?? 0) : cell));
    show({ cells, fresh: at, spins: k === 0 ? rules.spins : now.spins, renewed: k === 0 });
    time += pace;
  });
  const filled = boardNow(rules, after).multiplied.filter((box) => !start.multiplied.includes(box));
  for (const box of filled) {
    show({ flying: box });
    time += FLY * 0.6;
    show({ flying: box, multiplied: [...now.multiplied, box] });
    time += FLY * 0.4;
  }
  for (const name of after.diamonds) {
    show({ diamonds: [...now.diamonds, name] });
    time += PRIZE;
  }
  if (after.prize !== null) {
    show({});
    time += END;
  }
  steps.push({ at: time, shown: boardNow(rules, after) });
  return { steps, length: time };
}

/** What may be known of a board so long after its spin: never what a later step shows. */
export function boardAt(run: BoardRun, time: number): BoardShown {
  const shown = run.steps.findLast((step) => step.at <= time) ?? run.steps[0]!;
  return shown.shown;
}
