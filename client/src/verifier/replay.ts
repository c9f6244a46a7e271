import type { Bet } from './shoe_document';
import type { DecisionEntry, Deed, Scenario } from './scenario';
import type { Sheet } from './sheet';

/** The rules refuse what the scenario says. */
export class Forbidden extends Error {}

/** What the scenario gives in order: cards, decisions, bonus draws. What is asked for and is not there is refused. */
export class Course {
  readonly scenario: Scenario;
  readonly sheet: Sheet;
  readonly #purses: Map<string, number>;
  readonly #staked = new Map<string, number>();
  #cards = 0;
  #decisions = 0;

  constructor(scenario: Scenario, sheet: Sheet, stakes: readonly { player: string; stake: number }[]) {
    this.scenario = scenario;
    this.sheet = sheet;
    this.#purses = new Map(Object.entries(scenario.players));
    for (const { player, stake } of stakes) this.pay(player, stake);
  }

  draw(count: number): number[] {
    const found = this.scenario.shoe.slice(this.#cards, this.#cards + count);
    if (found.length < count) throw new Forbidden('shoe');
    this.#cards += count;
    return found;
  }

  /** The next decision, which must be this player's on this box. */
  decision(box: number, player: string): Deed {
    const entry: DecisionEntry | undefined = this.scenario.decisions[this.#decisions];
    if (!entry || entry.box !== box || entry.player !== player) throw new Forbidden(`decisions[${this.#decisions}]`);
    this.#decisions += 1;
    return entry.do;
  }

  held(player: string): number {
    return this.#purses.get(player) ?? WEALTH;
  }

  /** Why a further stake cannot be put up: funds, the cap of the round, or nothing. */
  against(player: string, cost: number): 'funds' | 'cap' | '' {
    const cap = this.sheet.stakes.round_cap;
    if (cap && (this.#staked.get(player) ?? 0) + cost > cap) return 'cap';
    return cost > this.held(player) ? 'funds' : '';
  }

  pay(player: string, cost: number): void {
    this.#purses.set(player, this.held(player) - cost);
    this.#staked.set(player, (this.#staked.get(player) ?? 0) + cost);
  }

  /** Every decision was asked for; the cards that nobody needed. */
  end(): number {
    if (this.#decisions < this.scenario.decisions.length) throw new Forbidden(`decisions[${this.#decisions}]`);
    return this.scenario.shoe.length - this.#cards;
  }
}

/** What a player holds whose purse the scenario does not tell. */
const WEALTH = 1_000_000;

/** A line as the house writes it; the order of the keys is that of the document. */
export function line(
  sheet: Sheet,
  player: string,
  bet: string,
  stake: number,
  returned: number,
  rule: string,
  box = 0,
  hand = 0,
): Bet {
  const place = { ...(box ? { box } : {}), ...(hand ? { hand } : {}) };
  return { player, ...place, bet, stake, returned, criterion: sheet.cites[rule] ?? '' };
}

/** The maximum win, applied after all payouts as a line of its own (L-34). */
export function applyCap(sheet: Sheet, lines: readonly Bet[]): Bet[] {
  const cap = sheet.stakes.max_win;
  if (!cap) return [];
  return [...new Set(lines.map((one) => one.player))].flatMap((player) => {
    const mine = lines.filter((one) => one.player === player);
    const won = mine.reduce(
      (sum, one) => sum + one.returned - (sheet.stakes.max_win_counts === 'net' ? one.stake : 0),
      0,
    );
    return won > cap ? [line(sheet, player, 'max-win', 0, cap - won, 'max-win', lastWon(mine))] : [];
  });
}

function lastWon(mine: readonly Bet[]): number {
  const boxes = [...new Set(mine.flatMap((one) => (one.box ? [one.box] : [])))];
  const won = boxes.filter(
    (box) => mine.filter((one) => one.box === box).reduce((sum, one) => sum + one.returned - one.stake, 0) > 0,
  );
  return Math.max(0, ...(won.length ? won : boxes));
}

/** In the order of the document: by box, what belongs to the whole table last. */
export const sortBets = (lines: readonly Bet[]): Bet[] =>
  lines.toSorted((a, b) => (a.box || Infinity) - (b.box || Infinity) || 0);
