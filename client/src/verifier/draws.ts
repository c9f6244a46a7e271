import { ascii, big, type Bytes, joinBytes } from './bytes';
import { cells, words } from './bonus';
import { Generator, Stream } from './drbg';
import { type Fields, listed, text } from './fields';
import type { Sheet } from './sheet';
import type { Commitment } from './shoe_document';

/** Wheel and boards of a bonus drawn again, from the seed that was sealed with the shoe (docs/fairness.md, Draws). */
type Rules = Sheet['bonus'];
type Weights = Readonly<Record<string, number>>;
type Locks = ReadonlyMap<number, number>;

export interface Bonus {
  wheel: string;
  boxes: readonly string[];
  start: Locks;
  spins: readonly Locks[];
  diamonds: readonly string[];
}

/** All that the draws of one shoe follow from. */
export class DrawSeed {
  readonly #entropy: Bytes;
  readonly #shoe: Bytes;

  constructor(seed: Bytes, made: Commitment, parts: readonly Bytes[]) {
    this.#entropy = joinBytes(seed, made.root, ...parts);
    this.#shoe = big(made.shoe, 16);
  }

  /** Named by where its round began, the bonus of the round and the spin of its board; spin 0 is the wheel. */
  async #stream(first: number, bonus: number, spin: number): Promise<Stream> {
    const name = ascii(`ventuno/draws/2/${first}/${bonus}/${spin}`);
    return new Stream(await Generator.made(this.#entropy, this.#shoe, name));
  }

  async draw(rules: Rules, first: number, bonus: number): Promise<Bonus> {
    const stream = await this.#stream(first, bonus, 0);
    const wheel = await pick(rules.wheel, stream);
    const board = rules.boards[wheel];
    if (!board) return { wheel, boxes: [], start: new Map(), spins: [], diamonds: [] };
    const boxes: string[] = [];
    while (boxes.length < Math.floor(board.cells / rules.box_cells)) boxes.push(await pick(rules.boxes, stream));
    const start = new Map<number, number>();
    for (const cell of await drawCells(board.cells, board.start, stream))
      start.set(cell, Number(await pick(rules.start, stream)));
    const locked = Array.from({ length: board.cells }, (_, cell) => start.get(cell) ?? 0);
    const spins: Locks[] = [];
    const diamonds: string[] = [];
    for (let left = rules.spins; left && !locked.every(Boolean);) {
      const next = await this.#stream(first, bonus, spins.length + 1);
      const locks = await drawLocks(rules, locked, next);
      for (const [cell, prize] of locks) locked[cell] = prize;
      left = locks.size ? rules.spins : left - 1;
      spins.push(locks);
      if (left && !locked.every(Boolean)) continue;
      for (const [k, name] of boxes.entries())
        if (name === 'diamond' && locked.slice(k * rules.box_cells, (k + 1) * rules.box_cells).every(Boolean))
          diamonds.push(await pick(rules.diamonds, next));
    }
    return { wheel, boxes, start, spins, diamonds };
  }
}

/** One name by its weight; names go by code point, since the order of a sheet's lines is not in its hash. */
async function pick(weights: Weights, stream: Stream): Promise<string> {
  const names = Object.keys(weights).toSorted((a, b) => (a < b ? -1 : 1));
  let place = await stream.below(names.reduce((sum, name) => sum + weights[name]!, 0));
  return names.find((name) => (place -= weights[name]!) < 0)!;
}

/** Distinct cells: the first of a shuffle that goes only so far. */
async function drawCells(count: number, wanted: number, stream: Stream): Promise<number[]> {
  const order = Array.from({ length: count }, (_, i) => i);
  for (let place = 0; place < wanted; place += 1) {
    const other = place + (await stream.below(count - place));
    [order[place], order[other]] = [order[other]!, order[place]!];
  }
  return order.slice(0, wanted).toSorted((a, b) => a - b);
}

async function drawLocks(rules: Rules, locked: readonly number[], stream: Stream): Promise<Map<number, number>> {
  const locks = new Map<number, number>();
  for (const [cell, prize] of locked.entries()) {
    if (prize) continue;
    const shown = await pick(rules.cell, stream);
    if (shown !== 'nothing') locks.set(cell, Number(shown));
  }
  return locks;
}

/** The first field of a bonus that is told otherwise than it was drawn, or nothing. */
export function findDifference(told: Fields, due: Bonus): keyof Bonus | null {
  const isSame = {
    wheel: () => text(told.wheel, 'wheel') === due.wheel,
    boxes: () => words(told.boxes).join() === due.boxes.join(),
    start: () => areSame(cells(told.start ?? {}), due.start),
    spins: () => {
      const spins = listed(told.spins ?? [], 'spins').map(cells);
      return spins.length === due.spins.length && spins.every((locks, i) => areSame(locks, due.spins[i]!));
    },
    diamonds: () => words(told.diamonds).join() === due.diamonds.join(),
  };
  return (Object.keys(isSame) as (keyof Bonus)[]).find((name) => !isSame[name]()) ?? null;
}

const areSame = (one: Locks, other: Locks): boolean =>
  one.size === other.size && [...one].every(([cell, prize]) => other.get(cell) === prize);
