import { type Fields, listed, object, text } from './fields';
import { Forbidden } from './replay';
import type { Sheet } from './sheet';

type Cells = ReadonlyMap<number, number>;

/** The prize of one bonus draw, to one, from the wheel and the spins that were recorded (L-21…L-30). */
export function prize(rules: Sheet['bonus'], drawn: Fields): number {
  const wheel = text(drawn.wheel, 'wheel');
  const names = words(drawn.boxes);
  const spins = listed(drawn.spins ?? [], 'spins').map((one) => cells(one));
  const diamonds = words(drawn.diamonds);
  if (!Object.hasOwn(rules.wheel, wheel)) throw new Forbidden('bonus');
  const board = rules.boards[wheel];
  if (!board) {
    if (names.length || spins.length || diamonds.length || drawn.start) throw new Forbidden('bonus');
    return Number(wheel.slice(1));
  }
  return boardPrize(rules, board, { names, start: cells(drawn.start ?? {}), spins, diamonds });
}

interface Draw {
  names: readonly string[];
  start: Cells;
  spins: readonly Cells[];
  diamonds: readonly string[];
}

function boardPrize(
  rules: Sheet['bonus'],
  board: { cells: number; start: number },
  { names, start, spins, diamonds }: Draw,
): number {
  const size = rules.box_cells;
  const fits = (found: Cells, known: Readonly<Record<string, unknown>>): boolean =>
    [...found].every(([cell, held]) => cell < board.cells && Object.hasOwn(known, String(held)));
  if (names.length !== Math.floor(board.cells / size) || !names.every((name) => Object.hasOwn(rules.boxes, name)))
    throw new Forbidden('bonus');
  if (start.size !== board.start || !fits(start, rules.start)) throw new Forbidden('bonus');
  const held = Array.from({ length: board.cells }, (_, cell) => start.get(cell) ?? 0);
  let left = rules.spins;
  const isOver = (): boolean => left === 0 || held.every(Boolean);
  for (const locks of spins) {
    if (isOver() || !fits(locks, rules.cell) || [...locks.keys()].some((cell) => held[cell]))
      throw new Forbidden('bonus');
    for (const [cell, amount] of locks) held[cell] = amount;
    left = locks.size ? rules.spins : left - 1;
  }
  const waiting = [...diamonds];
  const sum = names.reduce((whole, name, k) => {
    const inside = held.slice(k * size, (k + 1) * size);
    const [full, worth] = [inside.every(Boolean), inside.reduce((a, b) => a + b, 0)];
    if (full && name === 'diamond') return whole + worth + (rules.prizes[waiting.shift() ?? ''] ?? Number.NaN);
    return whole + worth * (full ? Number(name.slice(1)) : 1);
  }, 0);
  if (!isOver() || waiting.length || Number.isNaN(sum)) throw new Forbidden('bonus');
  return sum;
}

export const words = (raw: Fields[string] | undefined): string[] =>
  listed(raw ?? [], 'bonus').map((one) => text(one, 'bonus'));
export const cells = (raw: Fields[string]): Cells =>
  new Map(Object.entries(object(raw, 'bonus')).map(([cell, held]) => [Number(cell), Number(held)]));
