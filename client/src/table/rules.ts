import type { Print } from '../art/chips';
import type { GameResponse, PayTable } from '../wire/types';
import { figure, whole } from '../words/figures';
import { cash, t, type BetNames } from '../words/words.svelte';
import type { PlacesWord, PlaceWord } from './settlement';

/** The bonus of a game as its sheet has it: the wheel, the boards it opens, the prizes over them (L-23…L-28). */
export interface BonusRules {
  bet: string;
  wheel: readonly { segment: string; weight: number }[];
  boards: Readonly<Record<string, number>>;
  prizes: readonly { name: string; times: number }[];
  cells: number;
  spins: number;
}

/** The words of a game for one, as its sheet chooses them. */
interface Look {
  deal: 'solo.deal' | 'solo.start';
  again: 'solo.again' | 'solo.again-start';
  balance: 'bets.balance' | 'solo.credits';
  /** The key that starts also repeats, and the balance lies at the right (S-05, S-15). */
  oneKey: boolean;
}

/** What a table shows of its sheet. Every value is read from the sheet in force; nothing is known here by itself. */
export interface Rules {
  /** One player, all boxes his own, no clock, rounds on demand. */
  solo: boolean;
  look: Look;
  place: PlaceWord;
  places: PlacesWord;
  boxes: number;
  decks: number;
  chips: readonly number[];
  print: Print;
  /** The lettering on the felt. */
  title: string;
  text: string;
  /** Up to this total a time-out hits (V-57); null where the sheet has none. */
  hitsUpTo: number | null;
  insuranceOut: string;
  /** What insurance pays, as printed. */
  insurance: string;
  behind: boolean;
  multi: boolean;
  chat: boolean;
  focus: boolean;
  /** Play for fun without the house's money is offered (D-25). */
  offline: boolean;
  /** A hand can be given up for an amount (F-09). */
  cashes: boolean;
  /** Whether all bets on the felt can be doubled (L-04). */
  doubles: boolean;
  /** A pair is lost by asking for a card (S-27). */
  pairStands: boolean;
  /** Bets on a circle at each box, beside the main one. */
  sides: readonly string[];
  /** Bets on a circle of the table's own (S-03, L-02). */
  tableBets: readonly string[];
  /** Bets that this game calls otherwise than the others do. */
  names: BetNames;
  payTables: readonly PayTable[];
  /** Payouts are printed as all that comes back, not to one (S-27). */
  total: boolean;
  limits: GameResponse['limits'];
  /** The most that one round may stake; 0 where there is no cap. */
  cap: number;
  /** What may be brought to a session at most; 0 where all may. */
  session: number;
  maxWin: number;
  reserve: number;
  returns: string;
  bonus: BonusRules | null;
  duel: { qualify: number; drawTo: number; houseWay: readonly string[] } | null;
}

/** `3:2` or `3/2` as it is said at a table: `3 a 2`; a total return stays as it is printed. */
export function odds(pays: string): string {
  const [one, other] = pays.split(/[:/]/);
  return one !== undefined && other !== undefined ? t('felt.odds', { one, other }) : pays;
}

export function rulesOf(game: GameResponse): Rules {
  const switches = new Map(game.switches.map((one) => [one.path, one.value]));
  const number = (path: string): number => Number(switches.get(path) ?? 0);
  const yes = (path: string): boolean => switches.get(path) === true;
  const kinds = game.pay_tables.map((one) => [one.bet, one.kind] as const);
  const tableBets = kinds.filter(([, kind]) => kind === 'dealer-pair').map(([bet]) => bet);
  const limit = switches.get('timeouts.hit_up_to');
  const way = switches.get('duel.house_way');
  return {
    solo: game.solo,
    look: lookOf(game.looks),
    place: placeOf(game),
    places: PLACES[placeOf(game)],
    boxes: number('seats.count') || 1,
    decks: number('shoe.decks'),
    chips: game.chips,
    print: game.chips.some((chip) => chip % 100) ? 'cents' : 'euro',
    ...lettering(game, switches),
    hitsUpTo: typeof limit === 'number' ? limit : null,
    insuranceOut: String(switches.get('timeouts.insurance') ?? 'decline'),
    insurance: insuranceOf(game) ?? '',
    behind: yes('options.behind'),
    multi: yes('options.multi_table'),
    chat: yes('options.chat'),
    focus: yes('options.focus'),
    offline: yes('options.offline'),
    cashes: Object.keys(game.cash_out).length > 0,
    doubles: yes('options.double_bets'),
    pairStands: yes('pair_requires_stand'),
    sides: Object.keys(game.limits).filter((bet) => !['main', 'behind', ...tableBets].includes(bet)),
    tableBets,
    names: game.looks.names,
    payTables: game.pay_tables.filter((one) => one.kind !== 'main' && one.kind !== 'insurance'),
    total: game.shown_as === 'total-return',
    limits: game.limits,
    cap: number('stakes.round_cap'),
    session: number('stakes.session_cap'),
    maxWin: number('stakes.max_win'),
    reserve: number('stakes.reserve'),
    returns: game.published.returns.main ?? '',
    bonus: bonusOf(game, switches),
    duel: Array.isArray(way)
      ? { qualify: number('duel.qualify'), drawTo: number('duel.draw_to'), houseWay: way.map(String) }
      : null,
  };
}

type Switches = ReadonlyMap<string, unknown>;

const lookOf = (looks: GameResponse['looks']): Look => ({
  deal: looks.start === 'start' ? 'solo.start' : 'solo.deal',
  again: looks.start === 'start' ? 'solo.again-start' : 'solo.again',
  balance: looks.balance === 'credits' ? 'solo.credits' : 'bets.balance',
  oneKey: looks.start === 'start',
});

export const placeOf = (game: Pick<GameResponse, 'solo' | 'looks'>): PlaceWord =>
  !game.solo ? 'table.box' : game.looks.hand === 'seat' ? 'solo.seat' : 'solo.hand';
const PLACES: Record<PlaceWord, PlacesWord> = {
  'table.box': 'table.boxes',
  'solo.hand': 'solo.hands',
  'solo.seat': 'solo.seats',
};

const insuranceOf = (game: GameResponse): string | undefined =>
  game.pay_tables.find((one) => one.kind === 'insurance')?.lines[0]?.pays;

/** Between two limits that are printed in one line; where they stand in two, no line ends with it. */
export const APART = '\u00a0· ';

/** What is printed on the felt; where a payout is told as all that comes back, so is Blackjack (S-09, S-31). */
function lettering(game: GameResponse, switches: Switches): Pick<Rules, 'title' | 'text'> {
  const natural = game.pay_tables
    .find((one) => one.kind === 'main')
    ?.lines.find((line) => line.category === 'blackjack');
  const [main, cap] = [game.limits.main, Number(switches.get('stakes.round_cap') ?? 0)];
  if (game.shown_as === 'total-return' && main && natural) {
    const tenths = Math.round((natural.returned * 10) / natural.stake);
    const range = t('solo.range', { least: main.least, most: main.most });
    return {
      title: t('solo.natural', { times: tenths % 10 ? figure(tenths / 10, 1) : whole(tenths / 10) }),
      text: [range, cap ? t('solo.cap', { amount: cash(cap) }) : ''].filter(Boolean).join(APART),
    };
  }
  const insurance = insuranceOf(game);
  const soft = switches.get('dealer.soft_17');
  const texts = [
    soft === undefined ? '' : t(soft === 'hit' ? 'felt.hits' : 'felt.stands'),
    insurance === undefined ? '' : t('felt.insurance', { odds: odds(insurance) }),
  ];
  return {
    title: natural ? t('felt.blackjack', { odds: odds(natural.pays) }) : game.name,
    text: texts.filter(Boolean).join(' · '),
  };
}

function bonusOf(game: GameResponse, switches: Switches): BonusRules | null {
  const bet = Object.keys(game.limits).find((name) => switches.get(`sides.${name}.kind`) === 'bonus');
  if (bet === undefined) return null;
  const under = (path: string): [string, number][] =>
    game.switches
      .filter((one) => one.path.startsWith(`${path}.`))
      .map((one) => [one.path.slice(path.length + 1), Number(one.value)]);
  return {
    bet,
    wheel: under('bonus.wheel').map(([segment, weight]) => ({ segment, weight })),
    boards: Object.fromEntries(
      under('bonus.boards')
        .filter(([path]) => path.endsWith('.cells'))
        .map(([path, cells]) => [path.replace(/\.cells$/, ''), cells]),
    ),
    prizes: under('bonus.prizes')
      .map(([name, times]) => ({ name, times }))
      .sort((a, b) => b.times - a.times),
    cells: Number(switches.get('bonus.box_cells') ?? 0),
    spins: Number(switches.get('bonus.spins') ?? 0),
  };
}

/** What a time-out would do with a total as it is shown: `7/17` counts at its best (V-57). */
export function timesOut(rules: Rules, total: string): 'hit' | 'stand' | null {
  const best = Number(total.split('/').at(-1));
  if (rules.hitsUpTo === null || Number.isNaN(best)) return null;
  return best <= rules.hitsUpTo ? 'hit' : 'stand';
}
