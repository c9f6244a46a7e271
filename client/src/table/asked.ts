import type { TableState } from '../wire/store.svelte';
import type { Doing, PrivateView, SpotOption } from '../wire/types';
import { spotName } from './boxes';
import type { Question } from './session.svelte';
import type { Views } from './views';

/** Everything the house would take an answer to, the running turn first. */
export function asked({ open, mine }: Views): Question[] {
  if (open.phase !== 'round') return [];
  const found: Question[] = [];
  const own = (box: number): boolean => open.boxes.some((one) => one.box === box && one.player === mine.player);
  for (const option of mine.options.decisions) {
    if (option.price === null || found.some((one) => one.box === option.box)) continue;
    found.push({
      box: option.box,
      kind: open.stage === 'insurance' ? 'insurance' : 'decision',
      behind: !own(option.box),
    });
  }
  for (const option of mine.options.early) {
    if (option.price === null || found.some((one) => one.box === option.box)) continue;
    found.push({ box: option.box, kind: 'early', behind: false });
  }
  return found;
}

/** Whether the house waits for the first decision of a box, by what it told last: nothing was done there yet. */
export function isFirstTurn(told: Pick<TableState, 'public' | 'mine'> | undefined, box: number): boolean {
  if (!told?.public || !told.mine) return false;
  const cards = told.public.boxes.find((one) => one.box === box)?.hands.map((hand) => hand.cards.length) ?? [];
  const open = asked({ open: told.public, mine: told.mine });
  return cards.length === 1 && cards[0] === 2 && open.some((one) => one.box === box && one.kind === 'decision');
}

type Lying = readonly { box: number; bet: string; amount: number }[];

/**
 * Chips on their way. The house shows a bet before it answers, so a chip is not what was asked and has no answer: it is
 * what still lacks of what the spot will hold.
 */
export class PendingChips {
  /** What each spot holds when this bet has been placed. */
  readonly #aims = new WeakMap<Doing, ReadonlyMap<string, number>>();

  /** As it is asked, over what lies there and over what was asked before. */
  note(command: Doing, before: readonly Doing[], lying: Lying): void {
    if (command.do !== 'bet') return;
    const aims = command.spots.map(({ box, bet }) => {
      const name = spotName(box, bet);
      return [name, Math.max(held(lying, name), this.#aim(before, name)) + command.amount] as const;
    });
    this.#aims.set(command, new Map(aims));
  }

  /** By spot, never more than it still takes. */
  missing(waiting: readonly Doing[], lying: Lying, options: readonly SpotOption[]): Map<string, number> {
    const chips = new Map<string, number>();
    for (const name of new Set(waiting.flatMap((one) => [...(this.#aims.get(one)?.keys() ?? [])]))) {
      const room = options.find(({ box, bet }) => spotName(box, bet) === name)?.price ?? 0;
      const missing = Math.min(room, this.#aim(waiting, name) - held(lying, name));
      if (missing > 0) chips.set(name, missing);
    }
    return chips;
  }

  #aim(commands: readonly Doing[], name: string): number {
    return Math.max(0, ...commands.map((one) => this.#aims.get(one)?.get(name) ?? 0));
  }
}
const held = (lying: Lying, name: string): number =>
  lying.find(({ box, bet }) => spotName(box, bet) === name)?.amount ?? 0;

/**
 * The chip of the profile, where this table has it and at a shared one the balance covers it; else the smallest, and
 * the second smallest at a table for one.
 */
export function firstChip({ chips }: PrivateView, wished: number | undefined, solo: boolean): number {
  const chosen = chips.find((chip) => chip.value === wished && (solo || chip.enabled));
  return (chosen ?? (solo ? chips[1] : undefined) ?? chips[0])?.value ?? 0;
}
