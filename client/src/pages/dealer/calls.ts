import { isDealerBlackjack } from '../../table/views';
import type { Hand, PublicView } from '../../wire/types';
import type { Language } from '../../words/amounts';
import { deskIn, type DeskKey } from '../../words/studio';
import { findDuty } from './duty';

/** Something to say aloud: a phrase and its fields; `total` may be two numbers, `7/17`. */
export interface Call {
  key: DeskKey;
  fields: Readonly<Record<string, string | number>>;
}
const call = (key: DeskKey, fields: Call['fields'] = {}): Call => ({ key, fields });
/** Milliseconds before the end of the bets at which the last ones are called. */
export const LAST_BETS = 5_000;

/** What the dealer says now, from the state of the table and the time that is left. */
export function listCalls(open: PublicView, left: number | null = null): Call[] {
  const duty = findDuty(open);
  switch (duty.do) {
    case 'bets-first':
      return [call('desk.call.bets')];
    case 'bets':
      return [call(left !== null && left <= LAST_BETS ? 'desk.call.last-bets' : 'desk.call.bets')];
    case 'deal':
      return isFirstCard(open)
        ? [call('desk.call.no-more'), ...(open.studio?.cut_out ? [call('desk.call.last-round')] : [])]
        : [];
    case 'draw':
      return duty.wanted.place === 'box'
        ? [call('desk.call.card', { box: duty.wanted.box })]
        : [call('desk.call.dealer', { total: open.dealer.total })];
    case 'insurance':
      return [call('desk.call.insurance')];
    case 'decision':
      return callTurn(open, duty.box, duty.hand);
    case 'pay':
      return open.lines.length ? callDealer(open) : [];
    case 'shoe':
    case 'shuffle':
      return [call('desk.call.shuffle')];
    case 'pause':
    case 'misdeal':
      return [call('desk.call.pause')];
    default:
      return [];
  }
}

const isFirstCard = ({ boxes, dealer }: PublicView): boolean =>
  !dealer.cards.length && boxes.every((box) => box.hands.every((hand) => !hand.cards.length));

function callTurn(open: PublicView, number: number, hand: number): Call[] {
  const hands = open.boxes.find((box) => box.box === number)?.hands ?? [];
  const held: Hand | undefined = hands[hand - 1];
  if (!held) return [];
  const total = held.total;
  return [
    hands.length > 1
      ? call('desk.call.turn-hand', { box: number, hand, total })
      : call('desk.call.turn', { box: number, total }),
    call('desk.call.dealer-shows', { total: open.dealer.total }),
  ];
}

function callDealer(open: PublicView): Call[] {
  if (!open.dealer.cards.length) return [];
  if (isDealerBlackjack(open)) return [call('desk.call.dealer-blackjack')];
  if (Number(open.dealer.total) > 21) return [call('desk.call.dealer-bust')];
  return [call('desk.call.dealer', { total: open.dealer.total })];
}

/** What the last card brought to a box, said with it: a Blackjack, a bust. */
export function callChange(before: PublicView | null, open: PublicView): Call[] {
  if (!before || before.code !== open.code) return [];
  return open.boxes.flatMap((box) =>
    box.hands.flatMap((hand, h) => {
      const was = before.boxes.find((one) => one.box === box.box)?.hands[h];
      if (!was || was.status === hand.status) return [];
      if (hand.status === 'blackjack') return [call('desk.call.blackjack', { box: box.box })];
      return hand.status === 'bust' ? [call('desk.call.bust', { box: box.box })] : [];
    }),
  );
}

/** A call in a language; a total of two numbers is said as such. */
export function sayCall(language: Language, { key, fields }: Call): string {
  const [low, high] = String(fields['total'] ?? '').split('/');
  const total = low && high ? deskIn(language, 'desk.call.or', { low, high }) : (low ?? '');
  return deskIn(language, key, { ...fields, total });
}
