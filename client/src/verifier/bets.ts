import { Forbidden } from './replay';
import type { Scenario } from './scenario';
import type { Sheet } from './sheet';

/** What lies on the felt before the deal. */
export interface Wager {
  player: string;
  box: number;
  bet: string;
  stake: number;
}

/** Every bet of a scenario in the order in which it was placed; boxes that sit out give theirs back. */
export function wagers(scenario: Scenario): Wager[] {
  const own = scenario.boxes.flatMap(({ box, player, main, sides, behind }) => [
    ...(main ? [{ player, box, bet: 'main', stake: main }] : []),
    ...Object.entries(sides).map(([bet, stake]) => ({ player, box, bet, stake })),
    ...behind.map((one) => ({ player: one.player, box, bet: 'behind', stake: one.stake })),
  ]);
  const owner = scenario.boxes[0]?.player ?? '';
  return [...own, ...Object.entries(scenario.table).map(([bet, stake]) => ({ player: owner, box: 0, bet, stake }))];
}

/**
 * Whether the sheet knows such bets and such cards. Minima and maxima are the table's, which supervisors may change
 * (V-43).
 */
export function checkBets(sheet: Sheet, scenario: Scenario): void {
  const { boxes, shoe, players } = scenario;
  const no = (at: string): never => {
    throw new Forbidden(at);
  };
  const copies = new Map<number, number>();
  for (const card of shoe) copies.set(card, (copies.get(card) ?? 0) + 1);
  if ([...copies.values()].some((count) => count > sheet.shoe.decks)) no('shoe');
  const numbers = boxes.map((entry) => entry.box);
  if (!boxes.length || new Set(numbers).size < numbers.length) no('boxes');
  for (const [i, entry] of boxes.entries()) {
    const behind = entry.behind.map((one) => one.player);
    if (
      entry.main === null ||
      (!entry.main && Object.keys(entry.sides).length) ||
      entry.box < 1 ||
      entry.box > sheet.seats.count
    )
      no(`boxes[${i}]`);
    if (sheet.game.solo && entry.player !== boxes[0]!.player) no(`boxes[${i}]`);
    if (
      behind.includes(entry.player) ||
      new Set(behind).size < behind.length ||
      (behind.length && !sheet.options.behind)
    )
      no(`boxes[${i}].behind`);
  }
  const laid = wagers(scenario);
  const { unit, reserve, round_cap: cap } = sheet.stakes;
  for (const { box, bet, stake } of laid) {
    const side = sheet.sides[bet];
    if (bet !== 'main' && bet !== 'behind' && (!side || (side.kind === 'dealer-pair') !== (box === 0))) no(bet);
    if (stake % unit) no(bet);
  }
  for (const player of new Set(laid.map((one) => one.player))) {
    const mine = laid.filter((one) => one.player === player);
    const needed = mine.reduce((sum, one) => sum + one.stake * (one.bet === 'main' ? reserve : 1), 0);
    if (needed > (players[player] ?? Infinity) || (cap && mine.reduce((sum, one) => sum + one.stake, 0) > cap))
      no('players');
  }
}
