import type { BoxShown, HandShown, PillKind, SpotShown, SpotState } from '../parts/table/shown';
import type { Box, Hand, PrivateView, PublicView, Reason, SpotOption } from '../wire/types';
import { t } from '../words/words.svelte';

/** What a reader of a table is told beside its two views: chips on their way, the last refusal of a spot. */
export interface Marks {
  /** Amounts on their way to the house, by spot. */
  pending: ReadonlyMap<string, number>;
  refused: ReadonlyMap<string, Reason>;
}
export const NO_MARKS: Marks = { pending: new Map(), refused: new Map() };
export const spotName = (box: number, bet: string): string => `${box} ${bet}`;

const SIDE_ORDER = ['perfect-pairs', '21+3', 'link', '2-up'];
const order = (bet: string): number => (SIDE_ORDER.indexOf(bet) + SIDE_ORDER.length + 1) % (SIDE_ORDER.length + 1);

/**
 * Every box of a table, from the first, as its parts show it. Nothing is decided here: open, closed and why come from
 * the options.
 */
export function boxesShown(open: PublicView, mine: PrivateView, count: number, marks: Marks = NO_MARKS): BoxShown[] {
  return Array.from({ length: count }, (_, at) => boxShown(open, mine, at + 1, marks));
}

export function boxShown(open: PublicView, mine: PrivateView, box: number, marks: Marks = NO_MARKS): BoxShown {
  const seat = open.seats.find((one) => one.box === box);
  const played = open.boxes.find((one) => one.box === box);
  const player = seat?.player ?? played?.player ?? null;
  const person = player === null ? undefined : open.people[player];
  const own = player !== null && player === mine.player;
  const active = open.phase === 'round' && (open.turn?.box === box || asksInsurance(open, mine, box));
  const sides = sidesOf(open, mine, box, played).sort((a, b) => order(a) - order(b));
  return {
    box,
    player,
    own,
    active,
    name: own ? t('table.you') : (person?.name ?? ''),
    bot: person?.bot ?? false,
    leaving: seat?.leaving ?? false,
    streak: seat?.streak ?? 0,
    hottest: seat?.hottest ?? false,
    hands: played?.hands.map((hand, k) => handShown(open, played, hand, k)) ?? [],
    main: spotShown(open, mine, box, 'main', played, marks),
    sides: sides.map((bet) => spotShown(open, mine, box, bet, played, marks)),
    behind: behindOf(open, mine, box, played),
    dim: open.phase === 'round' && !active,
    early: mine.boxes.find((one) => one.box === box)?.early ?? null,
    insurance: (own ? mine.boxes.find((one) => one.box === box)?.insurance : played?.insurance) ?? null,
  };
}

const asksInsurance = (open: PublicView, mine: PrivateView, box: number): boolean =>
  open.stage === 'insurance' && mine.options.decisions.some((option) => option.box === box && option.price !== null);

function sidesOf(open: PublicView, mine: PrivateView, box: number, played: Box | undefined): string[] {
  const offered = Object.keys(mine.limits).filter((bet) => bet !== 'main' && bet !== 'behind' && bet !== 'dealer-pair');
  const staked = [...open.bets, ...mine.bets].filter((chip) => chip.box === box).map((chip) => chip.bet);
  const all = new Set([...offered, ...staked, ...(played?.sides.map((side) => side.bet) ?? [])]);
  return [...all].filter((bet) => bet !== 'main' && bet !== 'behind');
}

function handShown(open: PublicView, box: Box, hand: Hand, at: number): HandShown {
  const active = open.turn?.box === box.box && open.turn.hand === at + 1;
  const down = at === 0 ? Array.from({ length: box.face_down }, () => null) : [];
  return {
    cards: [...hand.cards, ...down],
    total: hand.total,
    kind: pill(open, hand, active),
    stake: hand.stake + hand.added,
    doubled: hand.added > 0,
    active,
    outcome: open.phase === 'results' ? hand.outcome : '',
    net: open.phase === 'results' ? netOf(open, box, at + 1) : null,
  };
}

/** What the lines of the settlement say of this hand; never reckoned here. */
function netOf(open: PublicView, box: Box, hand: number): number | null {
  const lines = open.lines.filter((line) => line.player === box.player && line.box === box.box && line.hand === hand);
  return lines.length ? lines.reduce((sum, line) => sum + line.returned - line.stake, 0) : null;
}

function pill(open: PublicView, hand: Hand, active: boolean): PillKind {
  if (hand.status === 'bust') return 'bust';
  if (hand.status === 'blackjack') return 'blackjack';
  if (open.phase !== 'results') return active ? 'live' : 'plain';
  if (hand.outcome === 'push') return 'push';
  return hand.outcome === 'lose' || hand.outcome === 'folded' ? 'lose' : 'win';
}

export function spotShown(
  open: PublicView,
  mine: PrivateView,
  box: number,
  bet: string,
  played: Box | undefined,
  marks: Marks,
): SpotShown {
  const name = spotName(box, bet);
  const side = played?.sides.find((one) => one.bet === bet);
  const waiting = marks.pending.get(name) ?? 0;
  const option = mine.options.spots.find((one) => one.box === box && one.bet === bet);
  const refused = marks.refused.get(name);
  const placed = [...mine.bets, ...open.bets.filter((one) => one.player !== mine.player)].find(
    (one) => one.box === box && one.bet === bet,
  );
  const dealt = bet === 'main' ? played?.hands.reduce((sum, hand) => sum + hand.stake + hand.added, 0) : side?.stake;
  const limit = [refused, ...(option?.reasons ?? [])].find((reason) => reason?.code === 'LimitReached');
  return {
    bet,
    amount: (dealt ?? placed?.amount ?? 0) + waiting,
    state: side ? sideState(side.won, side.returned) : state(option),
    reasons: option?.reasons.length ? option.reasons : limit ? [limit] : [],
    won: side?.won ? { name: side.won, gain: (side.returned ?? 0) - side.stake } : null,
    pending: waiting > 0,
    limit: limit !== undefined,
  };
}

/** A spot that is not this player's at all is no closed control of his. */
const ELSEWHERE = new Set(['NotSeated', 'OwnBox']);
function state(option: SpotOption | undefined): SpotState {
  if (!option || option.reasons.some((reason) => ELSEWHERE.has(reason.code))) return 'idle';
  return option.price === null ? 'closed' : 'open';
}

function sideState(won: string | null, returned: number | null): SpotState {
  if (won === null || returned === null) return 'idle';
  return won ? 'won' : 'lost';
}

/**
 * A box that takes no bet behind from anybody has no such control; one that the house closes for this player has it,
 * and says why.
 */
const PERSONAL = new Set(['LinkedAccounts', 'ProtectionLimit', 'RealityCheckDue', 'PlayExcluded', 'CoolingOff']);
function behindOf(open: PublicView, mine: PrivateView, box: number, played: Box | undefined): BoxShown['behind'] {
  const before = [...mine.bets, ...open.bets.filter((one) => one.player !== mine.player)].filter(
    (chip) => chip.box === box && chip.bet === 'behind',
  );
  const stakes =
    played?.behind.map((one) => one.stakes.reduce((sum, [base, added]) => sum + base + added, 0)) ??
    before.map((chip) => chip.amount);
  const option = mine.options.spots.find((one) => one.box === box && one.bet === 'behind');
  const possible = option !== undefined && option.price !== null;
  const reasons = option?.reasons.filter((reason) => PERSONAL.has(reason.code)) ?? [];
  return stakes.length || possible || reasons.length
    ? { count: stakes.length, amount: stakes.reduce((sum, one) => sum + one, 0), open: possible, reasons }
    : null;
}
