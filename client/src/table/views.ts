import type { PrivateView, PublicView, Option } from '../wire/types';

/** A table as it is on the screen. */
export interface Views {
  open: PublicView;
  mine: PrivateView;
}

/**
 * Milliseconds: between two cards of a deal, for a card to arrive, to turn; between two cards that the dealer draws.
 */
export const [APART, FLIGHT, TURN, DRAW] = [90, 260, 200, 420];

/**
 * When each card of a deal leaves the shoe, as its place in the order: one to each box, the dealer's, one to each box,
 * the hidden one (V-04). A card drawn later goes at once; the dealer's draws go one after the other.
 */
export function dealOrder(open: PublicView, box: number, card: number): number {
  const boxes = open.boxes.map((one) => one.box);
  if (box === 0) return card === 0 ? boxes.length : card === 1 ? 2 * boxes.length + 1 : (card - 1) * (DRAW / APART);
  if (card > 1) return 0;
  return boxes.indexOf(box) + card * (boxes.length + 1);
}

const EMPTY: PublicView['dealer'] = { cards: [], face_down: 0, total: '', community: [] };
/**
 * A table as it is shown. The cards of the round before are gone from the felt when bets open again; the house still
 * remembers them. A table for one (`solo`) waits for nobody and takes new bets as soon as a round is paid: there the
 * round stays on the felt until a chip is laid or the player puts it away (`away` is its code).
 */
export function viewsOnFelt(open: PublicView, mine: PrivateView, solo: boolean, away: string): Views {
  if (open.phase !== 'betting' && open.phase !== 'shuffling') return { open, mine };
  if (solo && open.lines.length && !mine.bets.length && away !== open.code)
    return { open: { ...open, phase: 'results' }, mine };
  return { open: { ...open, boxes: [], lines: [], dealer: EMPTY, turn: null }, mine };
}

const isDrawing = (before: Views, after: Views): boolean =>
  before.open.phase === 'round' &&
  after.open.phase === 'results' &&
  before.open.code === after.open.code &&
  after.open.lines.length > 0;

/**
 * What to show first, and how long until the rest: while the dealer turns and draws, nobody is told yet how it ends.
 * All of it is known and nothing waits for it but the eye.
 */
export function heldBack(before: Views, after: Views): [Views, number] {
  const cards = after.open.dealer.cards.length - before.open.dealer.cards.length;
  if (!isDrawing(before, after) || cards <= 0) return [after, 0];
  const boxes = after.open.boxes.map((box) => ({
    ...box,
    hands: box.hands.map((hand) => (hand.status === 'bust' ? hand : { ...hand, outcome: '' })),
  }));
  const open: PublicView = {
    ...after.open,
    phase: 'round',
    stage: 'dealer',
    turn: null,
    deadline: null,
    lines: [],
    boxes,
    seats: before.open.seats,
  };
  const mine: PrivateView = { ...after.mine, balance: before.mine.balance, staked: before.mine.staked };
  return [{ open, mine }, TURN + cards * DRAW];
}

/** The dealer's cards as they lie: null is one face down. */
export const dealerCards = ({ dealer }: PublicView): (string | null)[] => [
  ...dealer.cards,
  ...Array.from({ length: dealer.face_down }, () => null),
];

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
