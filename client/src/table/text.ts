import type { Box, Hand, PrivateView, PublicView } from '../wire/types';
import { offered } from './choices';
import { placeInside, type PlaceWord } from './settlement';
import { briefly, reasonText, spoken, spokenAll } from '../words/why';
import { betName, cash, many, named, phrase, t, type BetNames } from '../words/words.svelte';

/**
 * A table as text, and what of it just happened: the second view of the same two, for who listens instead of looking
 * (X-07).
 */
export interface TableText {
  phase: string;
  dealer: string;
  boxes: string[];
  mine: string;
  may: string;
  not: string[];
  shoe: string;
}

export function describeTable(
  open: PublicView,
  mine: PrivateView,
  boxes: number,
  names: BetNames = {},
  place: PlaceWord = 'table.box',
): TableText {
  const bonus = bonusOf(open, mine);
  const options = bonus
    ? []
    : mine.options.decisions.filter(
        (option) => (option.box === open.turn?.box || open.stage === 'insurance') && offered(option),
      );
  const may = options.filter((option) => option.price !== null);
  const bets = Object.entries(mine.options.betting).filter(([, option]) => option.price !== null);
  const acts = [
    ...may.map((option) => acted(option.action, option.price)),
    ...bets.map(([name, option]) => acted(name, option.price)),
  ];
  return {
    phase: phrase(`phase.${open.phase}`) ?? open.phase,
    dealer: dealerTold(open),
    boxes: Array.from({ length: boxes }, (_, at) => boxTold(open, mine, at + 1, names, place)),
    mine: t('words.mine', { balance: cash(mine.balance), staked: cash(mine.staked) }),
    may: bonus
      ? t('words.may-spin', { place: placeInside(place, bonus) })
      : acts.length
        ? t('words.may', { actions: acts.join(', ') })
        : t('words.may-none'),
    not: options
      .filter((option) => option.price === null)
      .map((option) =>
        t('words.why-not', { action: named('act', option.action), reason: option.reasons.map(briefly).join(', ') }),
      ),
    shoe: t('words.shoe', { left: open.cards_left }),
  };
}

/** The own box whose bonus is played: nothing is decided then, and what was closed before needs no reason (L-18). */
const bonusOf = (open: PublicView, mine: PrivateView): number =>
  open.turn?.hand === 0 && ownBoxes(open, mine).some((box) => box.box === open.turn?.box) ? open.turn.box : 0;

const acted = (name: string, price: number | null): string =>
  price ? `${named('act', name)} (${cash(price)})` : named('act', name);

function dealerTold(open: PublicView): string {
  const { cards, face_down, total, community } = open.dealer;
  if (!cards.length && !face_down) return t('words.dealer-none');
  const held = [...cards.map(spoken), ...(face_down ? [many('words.hidden', face_down)] : [])].join(', ');
  const told = total ? t('words.dealer', { cards: held, total }) : t('words.dealer-down', { cards: held });
  return community.length ? `${told} ${t('words.community', { cards: spokenAll(community) })}` : told;
}

function boxTold(open: PublicView, mine: PrivateView, number: number, names: BetNames, word: PlaceWord): string {
  const place = t(word, { box: number });
  const seat = open.seats.find((one) => one.box === number);
  const box = open.boxes.find((one) => one.box === number);
  const player = seat?.player ?? box?.player;
  if (player === undefined) return t('words.box-free', { place });
  const name = player === mine.player ? t('table.you') : open.people[player]?.name;
  if (!name) return t('words.box-taken', { place });
  const bets = [...mine.bets, ...open.bets.filter((one) => one.player !== mine.player)].filter(
    (chip) => chip.box === number,
  );
  const parts = [
    ...(box ? box.hands.map(handTold) : bets.length ? [] : [t('words.no-hand')]),
    ...(box
      ? box.sides.map((side) => t('words.side', { bet: betName(side.bet, names), amount: cash(side.stake) }))
      : bets.map((chip) => t('words.side', { bet: betName(chip.bet, names), amount: cash(chip.amount) }))),
  ];
  if (open.turn?.box === number) parts.push(player === mine.player ? t('words.turn-you') : t('words.turn', { name }));
  return t('words.box', { place, name, state: parts.join('; ') });
}

function handTold(hand: Hand): string {
  const end = hand.outcome || (hand.status === 'blackjack' || hand.status === 'bust' ? hand.status : '');
  const told = [
    t('words.hand', { cards: spokenAll(hand.cards), total: hand.total }),
    t('words.stake', { amount: cash(hand.stake + hand.added) }),
  ];
  if (end) told.push(named('end', end, { total: hand.total }));
  return told.join(', ');
}

/** What a listener is told; `urgent` does not wait for the end of a sentence. */
export interface Announcement {
  text: string;
  urgent: boolean;
}

/** Who has shortened the time to bet by asking for the cards (V-38); empty while it is whole. */
export function hurriedText(open: PublicView, me: string): string {
  if (!open.hurried_by.length) return '';
  const others = open.hurried_by.filter((player) => player !== me).map((player) => open.people[player]?.name ?? player);
  return others.length ? t('now.betting.hurried', { names: others.join(', ') }) : t('now.betting.hurried-own');
}

/** The time to bet was short and is whole again: somebody bets who has not asked for the cards. */
export const isTimeRestored = (before: PublicView, after: PublicView): boolean =>
  after.phase === 'betting' && after.span !== null && before.hurried_by.length > 0 && !after.hurried_by.length;

/** What became of `before`: only what one would look up for. Nothing is said twice, nothing of others' every card. */
export function announceChanges(
  before: PublicView | null,
  after: PublicView,
  mine: PrivateView,
  place: PlaceWord = 'table.box',
): Announcement[] {
  const said: Announcement[] = [];
  const say = (text: string, urgent = false): void => {
    said.push({ text, urgent });
  };
  if (after.paused !== (before?.paused ?? null)) {
    if (after.paused !== null) say(t('say.paused', { reason: reasonText(after.paused) }), true);
    else say(t('say.resumed'));
  }
  if (before && after.phase !== before.phase) {
    if (after.phase === 'betting') say(t('say.bets-open'));
    if (after.phase === 'shuffling') say(t('say.shuffle'));
    if (after.phase === 'round') say(t('say.bets-closed'));
  }
  if (after.hurried_by.length && !before?.hurried_by.length) say(hurriedText(after, mine.player));
  if (before && isTimeRestored(before, after)) say(t('now.betting.restored'));
  if (before && after.phase !== 'shuffling' && isNewShoe(before, after)) say(t('host.shuffle'));
  const upcard = after.dealer.cards[0];
  if (before && upcard && !before.dealer.cards.length) {
    say(t('say.deal', { card: spoken(upcard) }));
    for (const box of ownBoxes(after, mine))
      say(
        t('say.own', {
          place: placeInside(place, box.box),
          cards: spokenAll(box.hands[0]?.cards ?? []),
          total: box.hands[0]?.total ?? '',
        }),
      );
  } else if (before) {
    for (const box of ownBoxes(after, mine)) for (const text of drawn(before, box, place)) say(text);
    const last = after.dealer.cards.at(-1);
    if (last && after.dealer.cards.length > before.dealer.cards.length)
      say(t('say.dealer-card', { card: spoken(last), total: after.dealer.total }));
  }
  if (after.stage === 'insurance' && before?.stage !== 'insurance' && ownBoxes(after, mine).length)
    say(t('say.insurance'), true);
  const turn = after.turn;
  if (turn && (turn.box !== before?.turn?.box || turn.hand !== before.turn.hand)) {
    const box = ownBoxes(after, mine).find((one) => one.box === turn.box);
    const hand = box?.hands[turn.hand - 1];
    if (box && turn.hand === 0) say(t('say.bonus', { place: placeInside(place, box.box) }), true);
    else if (box && hand)
      say(
        t('say.turn', {
          place: placeInside(place, box.box),
          total: hand.total,
          options: describeTable(after, mine, 0).may,
        }),
        true,
      );
  }
  if (after.phase === 'results' && before?.phase !== 'results') for (const text of paid(after, mine, place)) say(text);
  return said;
}

/** The cards change: they are mixed at the table, or the other set comes ready (V-81, V-82). */
export const isNewShoe = (before: PublicView, after: PublicView): boolean =>
  before.phase !== 'shuffling' && (after.phase === 'shuffling' || (before.shoe !== after.shoe && Boolean(before.shoe)));

const ownBoxes = (open: PublicView, mine: PrivateView): Box[] => open.boxes.filter((box) => box.player === mine.player);

function drawn(before: PublicView, box: Box, place: PlaceWord): string[] {
  const held = before.boxes.find((one) => one.box === box.box);
  return box.hands.flatMap((hand, at) => {
    const card = hand.cards.at(-1);
    const old = held?.hands[at]?.cards.length ?? 0;
    return card && old > 0 && hand.cards.length > old
      ? [t('say.card', { place: t(place, { box: box.box }), card: spoken(card), total: hand.total })]
      : [];
  });
}

function paid(open: PublicView, mine: PrivateView, place: PlaceWord): string[] {
  const lines = open.lines.filter((line) => line.player === mine.player);
  const each = ownBoxes(open, mine).map((box) => {
    const net = lines.filter((line) => line.box === box.box).reduce((sum, line) => sum + line.returned - line.stake, 0);
    const outcome = box.hands.map((hand) => named('end', hand.outcome, { total: hand.total })).join(', ');
    return t('say.result', { place: t(place, { box: box.box }), outcome, net: cash(net, { sign: 'always' }) });
  });
  const net = lines.reduce((sum, line) => sum + line.returned - line.stake, 0);
  return lines.length ? [...each, t('say.net', { net: cash(net, { sign: 'always' }) })] : each;
}
