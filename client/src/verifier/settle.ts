import { checkBets, type Wager, wagers } from './bets';
import { boxLines, play } from './blackjack';
import { prize } from './bonus';
import type { Bet } from './shoe_document';
import { duelLines } from './duel';
import { isNatural, sidePaid } from './hand';
import { applyCap, Course, Forbidden, line, sortBets } from './replay';
import type { BoxEntry, Scenario } from './scenario';
import type { Sheet } from './sheet';

/** A round played again from the sheet: every line that is due, and the cards that nobody needed (X-05, G-14). */
export interface Settled {
  bets: readonly Bet[];
  unused: number;
}

export function settle(sheet: Sheet, scenario: Scenario): Settled {
  checkBets(sheet, scenario);
  const entries = inPlay(scenario);
  const course = new Course(scenario, sheet, stakeOf(scenario));
  const play = sheet.game.family === 'duel' ? duelLines : blackjackLines;
  const lines = entries.length ? play(course, entries) : [];
  const unused = course.end();
  return { bets: sortBets([...lines, ...applyCap(sheet, lines), ...refunds(sheet, scenario)]), unused };
}

function blackjackLines(course: Course, entries: readonly BoxEntry[]): Bet[] {
  const { sheet, scenario } = course;
  const played = play(course, entries);
  const due = played.boxes.filter(
    (box) => isNatural(box.dealt) && box.sides.some(([bet]) => sheet.sides[bet]?.kind === 'bonus'),
  );
  if (due.length !== scenario.bonus.length) throw new Forbidden('bonus');
  const prizes = new Map(due.map((box, i) => [box.number, prize(sheet.bonus, scenario.bonus[i]!)]));
  const lines = played.boxes.flatMap((box) => boxLines(sheet, played, box, (one) => prizes.get(one.number) ?? 0));
  for (const [bet, stake] of Object.entries(scenario.table)) {
    const back = sidePaid(sheet.sides[bet] ?? { kind: 'dealer-pair', pays: {} }, played.dealer.slice(0, 2), stake);
    lines.push(line(sheet, scenario.boxes[0]!.player, bet, stake, back, bet));
  }
  return lines;
}

/** Behind a box that sits out a bet comes back before the deal, player by player (V-27). */
function refunds(sheet: Sheet, scenario: Scenario): Bet[] {
  const out = isOut(scenario);
  const order = [...new Set(wagers(scenario).map((one) => one.player))];
  const back = wagers(scenario)
    .filter(out)
    .toSorted((a, b) => order.indexOf(a.player) - order.indexOf(b.player));
  return back.map((one) => line(sheet, one.player, one.bet, one.stake, one.stake, 'behind-refund', one.box));
}

function isOut(scenario: Scenario): (one: Wager) => boolean {
  const out = scenario.boxes.filter((entry) => !entry.main).map((entry) => entry.box);
  return (one) => out.includes(one.box);
}

/** The boxes that play, by their number; bets behind in the order in which their players first bet (V-25). */
function inPlay(scenario: Scenario): BoxEntry[] {
  const order = [...new Set(wagers(scenario).map((one) => one.player))];
  return scenario.boxes
    .filter((entry) => entry.main)
    .map((entry) => ({
      ...entry,
      behind: entry.behind.toSorted((a, b) => order.indexOf(a.player) - order.indexOf(b.player)),
    }))
    .toSorted((a, b) => a.box - b.box);
}

/** The bets that stay on the felt. */
function stakeOf(scenario: Scenario): Wager[] {
  const out = isOut(scenario);
  return wagers(scenario).filter((one) => !out(one));
}
