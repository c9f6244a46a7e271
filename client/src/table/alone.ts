import type { Print } from '../art/chips';
import type { BoxShown, SpotShown } from '../parts/table/shown';
import type { GameResponse, PayTable, PrivateView, PublicView } from '../wire/types';
import { cash, t } from '../words/words.svelte';
import type { Views } from './views';

/** The bonus of a game as its sheet has it: the wheel, the boards it opens, the prizes over them (L-23…L-28). */
export interface BonusRules {
  bet: string;
  wheel: readonly { segment: string; weight: number }[];
  boards: Readonly<Record<string, number>>;
  prizes: readonly { name: string; times: number }[];
  cells: number;
  spins: number;
}

/** What only a table for one shows of its sheet. */
export interface SoloRules {
  family: string;
  print: Print;
  /** Bets on a circle of the table's own (S-03, L-02). */
  tableBets: readonly string[];
  /** The names of circles that the sheet makes plainer than the house's own. */
  labels: Readonly<Record<string, string>>;
  payTables: readonly PayTable[];
  /** The printed form of a payout: to one, or all that comes back (S-27). */
  total: boolean;
  limits: GameResponse['limits'];
  insurance: string;
  /** What a Blackjack returns in all, in tenths of its stake. */
  natural: number;
  cap: number;
  /** What may be brought to a session at most; 0 where all may. */
  session: number;
  maxWin: number;
  /** A pair is lost by asking for a card (S-27). */
  pairStands: boolean;
  offline: boolean;
  /** A hand can be given up for an amount (F-09). */
  cashes: boolean;
  /** Whether all bets on the felt can be doubled (L-04). */
  doubles: boolean;
  reserve: number;
  returns: string;
  bonus: BonusRules | null;
  duel: { qualify: number; drawTo: number; houseWay: readonly string[] } | null;
}

export function soloRules(game: GameResponse): SoloRules {
  const switches = new Map(game.switches.map((one) => [one.path, one.value]));
  const number = (path: string): number => Number(switches.get(path) ?? 0);
  const under = (path: string): [string, number][] =>
    game.switches
      .filter((one) => one.path.startsWith(`${path}.`))
      .map((one) => [one.path.slice(path.length + 1), Number(one.value)]);
  const kinds = game.pay_tables.map((one) => [one.bet, one.kind] as const);
  const kindOf = (bet: string): string => String(switches.get(`sides.${bet}.kind`) ?? '');
  const tableBets = kinds.filter(([, kind]) => kind === 'dealer-pair').map(([bet]) => bet);
  const bonusBet = Object.keys(game.limits).find((bet) => kindOf(bet) === 'bonus');
  const natural = game.pay_tables
    .find((one) => one.kind === 'main')
    ?.lines.find((line) => line.category === 'blackjack');
  const way = switches.get('duel.house_way');
  return {
    family: game.family,
    print: game.chips.some((chip) => chip % 100) ? 'cents' : 'euro',
    tableBets,
    labels: tableBets.length
      ? Object.fromEntries(kinds.filter(([, kind]) => kind === 'pair').map(([bet]) => [bet, t('solo.pair')]))
      : {},
    payTables: game.pay_tables.filter((one) => one.kind !== 'main' && one.kind !== 'insurance'),
    total: game.shown_as === 'total-return',
    limits: game.limits,
    insurance: game.pay_tables.find((one) => one.kind === 'insurance')?.lines[0]?.pays ?? '',
    natural: natural ? Math.round((natural.returned * 10) / natural.stake) : 0,
    cap: number('stakes.round_cap'),
    session: number('stakes.session_cap'),
    maxWin: number('stakes.max_win'),
    pairStands: switches.get('pair_requires_stand') === true,
    doubles: switches.get('options.double_bets') === true,
    offline: switches.get('options.offline') === true,
    cashes: Object.keys(game.cash_out).length > 0,
    reserve: number('stakes.reserve'),
    returns: game.published.returns.main ?? '',
    bonus:
      bonusBet === undefined
        ? null
        : {
            bet: bonusBet,
            wheel: under('bonus.wheel').map(([segment, weight]) => ({ segment, weight })),
            boards: Object.fromEntries(
              under('bonus.boards')
                .filter(([path]) => path.endsWith('.cells'))
                .map(([path, cells]) => [path.replace(/\.cells$/, ''), cells]),
            ),
            prizes: under('bonus.prizes')
              .map(([name, times]) => ({ name, times }))
              .sort((a, b) => b.times - a.times),
            cells: number('bonus.box_cells'),
            spins: number('bonus.spins'),
          },
    duel: Array.isArray(way)
      ? { qualify: number('duel.qualify'), drawTo: number('duel.draw_to'), houseWay: way.map(String) }
      : null,
  };
}

const NO_CARDS: PublicView['dealer'] = { cards: [], face_down: 0, total: '', community: [] };

/**
 * A table for one as it is shown. It waits for nobody, so the house takes new bets as soon as a round is paid: the
 * round stays on the felt until a chip is laid or the player puts it away (`away` is its code).
 */
export function alone(open: PublicView, mine: PrivateView, away: string): Views {
  if (open.phase === 'round' || open.phase === 'results') return { open, mine };
  if (open.lines.length && !mine.bets.length && away !== open.code)
    return { open: { ...open, phase: 'results' }, mine };
  return { open: { ...open, boxes: [], dealer: NO_CARDS, lines: [], turn: null }, mine };
}

/** A box of a table for one: a numbered hand with what lies on it, its circles named as the sheet has them. */
export function handBox(box: BoxShown, rules: SoloRules, word: (box: number) => string): BoxShown {
  const total = box.main.amount + box.sides.reduce((sum, side) => sum + side.amount, 0);
  const named = (spot: SpotShown): SpotShown => ({ ...spot, label: rules.labels[spot.bet] });
  const sides = box.sides.filter((side) => !rules.tableBets.includes(side.bet));
  return {
    ...box,
    label: rules.print === 'cents' ? `${word(box.box)} ${cash(total)}` : word(box.box),
    main: box.main.state === 'open' ? { ...box.main, label: t('solo.tap') } : box.main,
    sides: sides.map(named),
  };
}

/** A circle while the chip that takes away is at hand: what lies there can go, however full it is (S-14). */
export const erasable = (spot: SpotShown): SpotShown =>
  spot.amount && (spot.state === 'open' || spot.state === 'closed')
    ? { ...spot, state: 'open', reasons: [], limit: false }
    : spot;

/**
 * A bet on the table's own circle, from the bets before the deal, from the felt during a round, from its line when
 * paid.
 */
export function tableSpot(views: Views, bet: string, pending: number): SpotShown {
  const { open, mine } = views;
  const line =
    open.phase === 'results' ? open.lines.find((one) => one.bet === bet && one.player === mine.player) : undefined;
  const option = mine.options.spots.find((one) => one.bet === bet && one.box === 0);
  const staked =
    line?.stake ??
    [...mine.bets, ...open.bets].find((one) => one.bet === bet && one.player === mine.player)?.amount ??
    0;
  const won = line && line.returned > line.stake ? { name: bet, gain: line.returned - line.stake } : null;
  return {
    bet,
    amount: staked + pending,
    won,
    reasons: option?.reasons ?? [],
    pending: pending > 0,
    limit: false,
    state: line ? (won ? 'won' : 'lost') : !option ? 'idle' : option.price === null ? 'closed' : 'open',
  };
}
