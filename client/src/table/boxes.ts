import type { BoxShown, HandShown, Insured, Pile, PillKind, SpotShown, SpotState } from '../parts/table/shown';
import type { Box, Hand, Person, PrivateView, PublicView, Reason, SpotOption } from '../wire/types';
import { cash, t } from '../words/words.svelte';
import type { Rules } from './rules';
import type { Views } from './views';

/** What a reader of a table is told beside its two views: chips on their way, the last refusal of a spot. */
export interface Marks {
  /** Amounts on their way to the house, by spot. */
  pending: ReadonlyMap<string, number>;
  refused: ReadonlyMap<string, Reason>;
  /** The chip in hand: what a press on a spot asks for. */
  chip?: number;
}
export const NO_MARKS: Marks = { pending: new Map(), refused: new Map() };
/** Why a spot is closed, with the chip that would be asked: the house knows only that its smallest is not taken. */
const asking = (reason: Reason, chip = 0): Reason =>
  reason.code === 'ProtectionLimit' && chip ? { ...reason, numbers: { ...reason.numbers, asked: chip } } : reason;
/** Where a bet stands that the sheet does not name. */
const LAST = 99;
export const spotName = (box: number, bet: string): string => `${box} ${bet}`;

/**
 * Every box of a table, from the first, as its parts show it. Nothing is decided here: open, closed and why come from
 * the options; which side bets a box has, and in which order, from the sheet (`sides`; all where it is not given).
 */
export function boxesShown(
  open: PublicView,
  mine: PrivateView,
  count: number,
  marks: Marks = NO_MARKS,
  sides?: readonly string[],
): BoxShown[] {
  return Array.from({ length: count }, (_, at) => boxShown(open, mine, at + 1, marks, sides));
}

export function boxShown(
  open: PublicView,
  mine: PrivateView,
  box: number,
  marks: Marks = NO_MARKS,
  offered?: readonly string[],
): BoxShown {
  const seat = open.seats.find((one) => one.box === box);
  const played = open.boxes.find((one) => one.box === box);
  const player = seat?.player ?? played?.player ?? null;
  const person = player === null ? undefined : open.people[player];
  const own = player !== null && player === mine.player;
  const active = open.phase === 'round' && (open.turn?.box === box || asksInsurance(open, mine, box));
  const order = (bet: string): number => (offered?.includes(bet) ? offered.indexOf(bet) : LAST);
  const sides = sidesOf(open, mine, box, played, offered).sort((a, b) => order(a) - order(b));
  return {
    box,
    place: t('table.box', { box }),
    player,
    own,
    active,
    name: own ? t('table.you') : person ? shortName(person) : '',
    fullName: own ? t('table.you') : (person?.name ?? ''),
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
    insurance: played ? insuredOf(open, mine, played) : null,
  };
}

/** The house's own players are marked where they sit: the mark in their name would only be cut off there. */
export const shortName = ({ name, bot }: Person): string => (bot ? name.replace(/\s*\(bot\)$/i, '') : name);

const asksInsurance = (open: PublicView, mine: PrivateView, box: number): boolean =>
  open.stage === 'insurance' && mine.options.decisions.some((option) => option.box === box && option.price !== null);

function sidesOf(
  open: PublicView,
  mine: PrivateView,
  box: number,
  played: Box | undefined,
  sides?: readonly string[],
): string[] {
  const offered = Object.keys(mine.limits).filter((bet) => !sides || sides.includes(bet));
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

/** What was added to the first hand of a box, by a double or by the raise of a duel. */
export const ADDED = '0 added';

/**
 * Each hand has its pile, a double another beside it, a win one more; what is lost is taken away: a bust at once, the
 * rest when the round is paid.
 */
function pilesOf(open: PublicView, box: Box): Pile[] {
  return box.hands.flatMap((hand, at) => {
    const net = open.phase === 'results' ? netOf(open, box, at + 1) : null;
    const fate = hand.status === 'bust' || hand.outcome === 'lose' || (net ?? 0) < 0 ? 'lost' : '';
    const piles: Pile[] = [
      { key: `${at} stake`, amount: hand.stake, fate },
      { key: at ? `${at} added` : ADDED, amount: hand.added, fate },
      { key: `${at} won`, amount: Math.max(0, net ?? 0), fate: 'won' },
    ];
    return piles.filter((pile) => pile.amount > 0);
  });
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
  const side = settledSide(open, played, bet);
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
    piles: bet === 'main' && played?.hands.length ? pilesOf(open, played) : undefined,
    state: side ? sideState(side.won, side.returned) : state(option),
    reasons: option?.reasons.length ? option.reasons.map((reason) => asking(reason, marks.chip)) : limit ? [limit] : [],
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

/** A side bet as it ended: one that the cards do not decide, a bonus, has its result in the settlement alone (L-30). */
function settledSide(open: PublicView, played: Box | undefined, bet: string): Box['sides'][number] | undefined {
  const side = played?.sides.find((one) => one.bet === bet);
  if (!side || side.won !== null || open.phase !== 'results') return side;
  const line = open.lines.find((one) => one.box === played?.box && one.bet === bet && one.player === played.player);
  return line ? { ...side, won: line.returned > line.stake ? bet : '', returned: line.returned } : side;
}

function sideState(won: string | null, returned: number | null): SpotState {
  if (won === null || returned === null) return 'idle';
  return won ? 'won' : 'lost';
}

function insuredOf(open: PublicView, mine: PrivateView, played: Box): Insured | null {
  const own = played.player === mine.player ? mine.boxes.find((one) => one.box === played.box) : played;
  const line = open.lines.find(
    (one) => one.box === played.box && one.bet === 'insurance' && one.player === played.player,
  );
  return own?.insurance ? { stake: own.insurance, net: line ? line.returned - line.stake : null } : null;
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

const bare = (spot: SpotShown): SpotShown => ({
  ...spot,
  amount: 0,
  state: 'idle',
  won: null,
  reasons: [],
  pending: false,
  limit: false,
});

/**
 * A box in focus mode: one's own as it is; of another only that somebody sits there, nothing of whom or what (V-61).
 */
export const focusBox = (box: BoxShown): BoxShown =>
  box.own || box.player === null
    ? { ...box, streak: 0, hottest: false, behind: box.own ? box.behind : null }
    : {
        ...box,
        name: '',
        fullName: '',
        bot: false,
        streak: 0,
        hottest: false,
        leaving: false,
        hands: [],
        main: bare(box.main),
        sides: [],
        behind: null,
        active: false,
        insurance: null,
      };

/** A box of a table for one: a numbered hand with what lies on it. */
export function soloBox(box: BoxShown, rules: Rules, erasing: boolean): BoxShown {
  const total = box.main.amount + box.sides.reduce((sum, side) => sum + side.amount, 0);
  const name = t(rules.place, { box: box.box });
  const main = box.main.state === 'open' ? { ...box.main, label: t('solo.tap') } : box.main;
  return {
    ...box,
    place: name,
    label: rules.print === 'cents' ? `${name} ${cash(total)}` : name,
    main: erasing ? erasable(main) : main,
    sides: erasing ? box.sides.map(erasable) : box.sides,
  };
}

/** A box whose circles, and what they won, have the names of their game. */
export const nameSides = (box: BoxShown, rules: Rules): BoxShown => ({
  ...box,
  sides: box.sides.map((side) => nameSpot(side, rules)),
});

/** A circle under the name that its game has for it, in what it won and refuses too. */
const nameSpot = (spot: SpotShown, { names }: Rules): SpotShown => ({
  ...spot,
  named: names[spot.bet],
  won: spot.won && { ...spot.won, name: names[spot.won.name] ?? spot.won.name },
  reasons: spot.reasons.map((reason) => {
    const bet = reason.numbers?.bet;
    return typeof bet === 'string' ? { ...reason, numbers: { ...reason.numbers, bet: names[bet] ?? bet } } : reason;
  }),
});

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
