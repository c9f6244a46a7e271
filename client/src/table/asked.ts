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

/** Chips on their way by spot, never more than it still takes. */
export function pendingChips(commands: readonly Doing[], options: readonly SpotOption[]): Map<string, number> {
  const chips = new Map<string, number>();
  for (const command of commands) {
    if (command.do !== 'bet') continue;
    for (const { box, bet } of command.spots) {
      const room = options.find((option) => option.box === box && option.bet === bet)?.price ?? 0;
      const name = spotName(box, bet);
      chips.set(name, Math.min(room, (chips.get(name) ?? 0) + command.amount));
    }
  }
  return chips;
}

/**
 * The chip of the profile, where this table has it and at a shared one the balance covers it; else the smallest, and
 * the second smallest at a table for one.
 */
export function firstChip({ chips }: PrivateView, wished: number | undefined, solo: boolean): number {
  const chosen = chips.find((chip) => chip.value === wished && (solo || chip.enabled));
  return (chosen ?? (solo ? chips[1] : undefined) ?? chips[0])?.value ?? 0;
}
