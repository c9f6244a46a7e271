import type { PillKind } from '../parts/table/shown';
import type { Option, PrivateView, PublicView } from '../wire/types';

/** A table as it is on the screen. */
export interface Views {
  open: PublicView;
  mine: PrivateView;
}

const EMPTY: PublicView['dealer'] = { cards: [], face_down: 0, total: '', totals: [], community: [] };
/**
 * A table as it is shown. The cards of the round before are gone from the felt when bets open again; the house still
 * remembers them. A table for one (`solo`) waits for nobody and takes new bets as soon as a round is paid: there the
 * round stays on the felt until a chip is laid or the player puts it away (`away` is its code).
 */
export function viewsOnFelt(open: PublicView, mine: PrivateView, solo: boolean, away: string): Views {
  if (open.phase !== 'betting' && open.phase !== 'shuffling') return { open, mine };
  if (solo && open.lines.length && !mine.bets.length && away !== open.code)
    return { open: { ...open, phase: 'results' }, mine };
  return { open: clearFelt(open), mine };
}

/** The felt without the round before: its cards are gone when bets open, and while a shoe is made. */
export const clearFelt = (open: PublicView): PublicView =>
  open.phase === 'betting' || open.phase === 'shuffling'
    ? { ...open, boxes: [], lines: [], dealer: EMPTY, turn: null }
    : open;

/** A table in focus mode (V-61): of the others only that they sit there, and which box is in turn. */
export function focusView(open: PublicView, me: string): PublicView {
  const own = <T extends { player: string }>(list: readonly T[]): T[] => list.filter((one) => one.player === me);
  return {
    ...open,
    people: Object.fromEntries(Object.entries(open.people).filter(([player]) => player === me)),
    boxes: own(open.boxes),
    bets: own(open.bets),
    lines: own(open.lines),
    hurried_by: open.hurried_by.filter((player) => player === me),
  };
}

/** A table as it is put into words. */
export const tellView = ({ open, mine }: Views, focus: boolean): PublicView =>
  focus ? focusView(open, mine.player) : open;

/** The dealer's cards as they lie: null is one face down. */
export const dealerCards = ({ dealer }: PublicView): (string | null)[] => [
  ...dealer.cards,
  ...Array.from({ length: dealer.face_down }, () => null),
];

/** Two cards that count 21 are a Blackjack and are called so; in a duel, where a card is chosen, they are not. */
export const isDealerBlackjack = ({ dealer }: PublicView): boolean =>
  dealer.cards.length === 2 && dealer.total === '21' && !dealer.face_down && !dealer.community.length;

/** How the dealer's total is told: as a Blackjack, as a bust, or as the number it is. */
export const dealerKind = (open: PublicView): PillKind =>
  isDealerBlackjack(open) ? 'blackjack' : Number(open.dealer.total) > 21 ? 'bust' : 'plain';

/** The same table to one whom the house does not hear: everything he could ask for is closed, for that reason alone. */
export function closedViews({ open, mine }: Views): Views {
  const reasons = [{ code: 'Offline', numbers: {} }];
  const close = <T extends Option>(one: T): T => ({ ...one, price: null, reasons });
  const { betting, spots, decisions, early } = mine.options;
  const options = {
    ...mine.options,
    betting: Object.fromEntries(Object.entries(betting).map(([name, one]) => [name, close(one)])),
    spots: spots.map((one) => (one.price === null ? one : close(one))),
    decisions: decisions.map((one) => (one.price === null ? one : close(one))),
    early: early.map((one) => (one.price === null ? one : close(one))),
  };
  return { open, mine: { ...mine, options } };
}
