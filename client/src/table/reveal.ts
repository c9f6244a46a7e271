import type { Box, DecisionOption, PrivateView, PublicView } from '../wire/types';
import { traceHands } from './lineage';
import type { Views } from './views';
import { grandWins } from './wins';

/**
 * The rhythm of a table: from two states that the house told one after the other, the states that are shown in between
 * and when. Cards come one by one in the order of dealing; a total follows the card it counts, what is asked follows
 * the cards it is about, the results follow the dealer's last card, the balance follows the payout. Chips come before
 * the cards they are put up for, and a pair that is split lies as two hands before each takes its card (V-14).
 * Times are the earliest: what tells of a card waits for that card, which may be drawn late. Where a person deals, each
 * state brings one card, and it comes alone.
 *
 * `reveal(before, after)` is pure. Its last beat is `after` itself. Whoever draws a table reads `session.shown`, which
 * is one of these states, and needs to know nothing of time; `queue.svelte.ts` plays them. A scene over the table (a
 * wheel, a board) calls `session.queue.hold()` while it keeps something back, and `release()` when it is told; with
 * less motion there is only the last beat.
 */
export interface Beat {
  /** Milliseconds after the first, at the earliest. */
  at: number;
  views: Views;
  /** How many cards have been laid with it. */
  laid: number;
  /** How many of them must lie open before it is shown, however long they take: it tells what is on them. */
  open: number;
}

/**
 * Milliseconds. A card leaves the shoe this long after the last; flies; turns in place. The dealer's draws are slower,
 * and there is a breath before what lies face down is turned: a longer one when a round hangs on it.
 */
export const [CARD, FLIGHT, TURN, DRAW] = [240, 220, 200, 420];
const [BREATH, SUSPENSE] = [420, 1_050];
/** When the face of a card that was dealt, or of one that is turned, lies open. */
const [DEALT, TURNED] = [FLIGHT + TURN, TURN];
const [SIDES, MOMENT, ASKED, RESULTS, PAID] = [180, 2_300, 140, 320, 1_000];
/** Before a scene covers the table the last cards on it are looked at (L-21). */
export const SCENE = 1_100;
/** Chips go from a player to his box, and the second card of a pair to a hand of its own. */
export const PUT = 300;

/** What lies on the felt so far, by box and hand as the later state has them; `seen` are faces that can be read. */
interface Laid {
  hands: number[][];
  seen: number[][];
  down: number[];
  dealer: number;
  dealerSeen: number;
  dealerDown: number;
  community: number;
  sides: boolean;
}

/** A card that comes to a hand, to the dealer, to the middle; or one that is turned where it lies. */
interface Move {
  to: 'hand' | 'down' | 'dealer' | 'dealer-down' | 'community';
  box: number;
  hand: number;
  turned: boolean;
  /** Whether it comes out of the shoe: not where it lay on the table already. */
  drawn: boolean;
}
const move = (to: Move['to'], more: Partial<Move> = {}): Move => ({
  to,
  box: 0,
  hand: 0,
  turned: false,
  drawn: !more.turned,
  ...more,
});

const isSameRound = (before: Views, after: Views): boolean =>
  before.open.boxes.length > 0 && before.open.code === after.open.code;
const isDealt = ({ open }: Views): boolean => open.phase === 'round' || open.phase === 'results';

export function reveal(before: Views, after: Views): Beat[] {
  if (!isDealt(after)) return [{ at: 0, views: after, laid: 0, open: 0 }];
  const same = isSameRound(before, after);
  const laid = same ? laidBefore(before, after) : nothingLaid(after);
  const deal = same ? [] : dealMoves(after.open);
  const hidden = same ? hiddenMoves(laid, after.open) : [];
  const play = [...playMoves(withMoves(laid, deal), after.open), ...hidden];
  const dealer = dealerMoves(withMoves(laid, [...deal, ...play]), after.open);
  const score = new Score(before, after, laid, [...deal, ...play, ...dealer]);
  if (same && stakes(after) > stakes(before)) score.put();
  for (const one of deal) score.play(one, CARD);
  if (deal.length) score.sides();
  for (const one of play) score.play(one, CARD);
  const last = dealer.findLast((one) => one.turned);
  for (const one of dealer) {
    if (one.turned) score.breathe(one === last && hangs(after) ? SUSPENSE : BREATH);
    score.play(one, DRAW);
  }
  return score.end();
}

/**
 * Whether much hangs on the card that is turned now, by what everybody could know: the player's money is still in
 * play against a strong card of the dealer's, or he put in more than his first bet.
 */
function hangs({ open, mine }: Views): boolean {
  const hands = open.boxes.filter((box) => box.player === mine.player).flatMap((box) => box.hands);
  const live = hands.filter((hand) => hand.status === 'stood' || hand.status === 'blackjack');
  const up = open.dealer.cards[0]?.[0] ?? '';
  return live.some((hand) => hand.added > 0) || (live.length > 0 && (live.length > 1 || 'ATJQK'.includes(up)));
}

const nothingLaid = ({ open }: Views): Laid => ({
  hands: open.boxes.map((box) => box.hands.map(() => 0)),
  seen: open.boxes.map((box) => box.hands.map(() => 0)),
  down: open.boxes.map(() => 0),
  dealer: 0,
  dealerSeen: 0,
  dealerDown: 0,
  community: 0,
  sides: false,
});

function laidBefore(before: Views, after: Views): Laid {
  const boxes = after.open.boxes.map((box) => {
    const was = before.open.boxes.find((one) => one.box === box.box);
    const hands = traceHands(was?.hands ?? [], box.hands).map((hand) => hand.lying);
    return { hands, down: was?.face_down ?? 0 };
  });
  const { dealer } = before.open;
  return {
    hands: boxes.map((box) => box.hands),
    seen: boxes.map((box) => [...box.hands]),
    down: boxes.map((box) => box.down),
    dealer: dealer.cards.length,
    dealerSeen: dealer.cards.length,
    dealerDown: dealer.face_down,
    community: dealer.community.length,
    sides: true,
  };
}

/** One to each box, the dealer's, one to each, the hidden one (V-04); of a duel also the two in the middle (D-04). */
function dealMoves({ boxes, dealer }: PublicView): Move[] {
  const first = boxes.flatMap((box, k) => (box.hands[0]?.cards.length ? [move('hand', { box: k })] : []));
  if (dealer.community.length)
    return [
      ...first,
      move('dealer-down'),
      ...dealer.community.map(() => move('community')),
      ...boxes.map((_, k) => move('down', { box: k })),
      move('dealer-down'),
    ];
  const second = boxes.flatMap((box, k) => ((box.hands[0]?.cards.length ?? 0) > 1 ? [move('hand', { box: k })] : []));
  return [
    ...first,
    ...(dealer.cards.length ? [move('dealer')] : []),
    ...second,
    ...(dealer.cards.length > 1 || dealer.face_down ? [move('dealer-down')] : []),
  ];
}

/** What the boxes took afterwards, box by box; the card that lay face down at a box is turned last. */
function playMoves(laid: Laid, { boxes, dealer }: PublicView): Move[] {
  return boxes.flatMap((box, k) =>
    box.hands.flatMap((hand, h) => {
      const count = hand.cards.length - laid.hands[k]![h]!;
      return Array.from({ length: Math.max(0, count) }, (_, n) => {
        const turned = h === 0 && n === count - 1 && laid.down[k]! > box.face_down;
        return move('hand', { box: k, hand: h, turned, drawn: !turned && !dealer.community.length });
      });
    }),
  );
}

/** What came face down, or to the middle, since the deal began: of cards that are scanned one by one. */
function hiddenMoves(laid: Laid, { boxes, dealer }: PublicView): Move[] {
  const more = (count: number, one: Move): Move[] => Array.from({ length: Math.max(0, count) }, () => one);
  return [
    ...boxes.flatMap((box, k) => more(box.face_down - laid.down[k]!, move('down', { box: k }))),
    ...more(dealer.community.length - laid.community, move('community')),
    ...more(dealer.face_down - laid.dealerDown, move('dealer-down')),
  ];
}

/** What lay face down is turned, then the dealer draws; in a duel he takes a card of the middle in between (D-10). */
function dealerMoves(laid: Laid, { dealer }: PublicView): Move[] {
  const count = Math.max(0, dealer.cards.length - laid.dealer);
  const turned = Math.min(count, Math.max(0, laid.dealerDown - dealer.face_down));
  const taken = Array.from({ length: count - turned }, () => move('dealer', { drawn: !dealer.community.length }));
  const turns = Array.from({ length: turned }, () => move('dealer', { turned: true }));
  return dealer.community.length ? [...turns.slice(0, 1), ...taken, ...turns.slice(1)] : [...turns, ...taken];
}

const withMoves = (laid: Laid, moves: readonly Move[]): Laid => {
  const copy = structuredClone(laid);
  for (const one of moves) lay(copy, one);
  return copy;
};

function lay(laid: Laid, { to, box, hand, turned }: Move): void {
  if (to === 'hand') {
    laid.hands[box]![hand]! += 1;
    if (turned) laid.down[box]! -= 1;
  } else if (to === 'down') laid.down[box]! += 1;
  else if (to === 'community') laid.community += 1;
  else if (to === 'dealer-down') laid.dealerDown += 1;
  else {
    laid.dealer += 1;
    if (turned) laid.dealerDown -= 1;
  }
}

/** Writes the beats down as the cards are laid. */
class Score {
  readonly #before: Views;
  readonly #after: Views;
  readonly #laid: Laid;
  readonly #left: Move[];
  readonly #same: boolean;
  #beats: Beat[] = [];
  #at = 0;
  #cards = 0;
  /** How many of the cards must lie open for what is written next. */
  #open = 0;
  /** Faces that will be readable, from when on at the earliest, and which card each is on. */
  #faces: { at: number; card: number; read: () => void }[] = [];

  constructor(before: Views, after: Views, laid: Laid, moves: readonly Move[]) {
    [this.#before, this.#after, this.#laid, this.#left] = [before, after, laid, [...moves]];
    this.#same = isSameRound(before, after);
  }

  /** A card, and room for the next. */
  play(one: Move, apart: number): void {
    this.#readUntil(this.#at);
    this.#left.shift();
    lay(this.#laid, one);
    this.#cards += 1;
    this.#write(this.#at);
    if (one.to === 'hand' || one.to === 'dealer')
      this.#faces.push({
        at: this.#at + (one.turned ? TURNED : DEALT),
        card: this.#cards,
        read: () => this.#read(one),
      });
    this.#at += apart;
  }

  /** The felt as it lies, for as long as chips need to come to it. */
  put(): void {
    this.#write(this.#at);
    this.#at += PUT;
  }

  /** All faces are read, then a while passes. */
  breathe(length: number): void {
    this.#at = Math.max(this.#at, this.#readAll());
    this.#write(this.#at);
    this.#at += length;
  }

  /** Bets that the deal itself decides are told when it lies (V-23). */
  sides(): void {
    this.#at = Math.max(this.#at, this.#readAll());
    const told = this.#after.open.boxes.some((box) => box.sides.some((side) => side.won !== null));
    this.#laid.sides = true;
    if (!told) return;
    this.#at += SIDES;
    this.#write(this.#at);
    this.#at += grandWins({ open: this.#compose().open, mine: this.#after.mine }).length ? MOMENT : SIDES;
  }

  end(): Beat[] {
    const played = this.#beats.length > 0;
    const over = this.#readAll();
    const after = this.#after;
    if (after.open.phase !== 'results' || (this.#same && this.#before.open.phase === 'results')) {
      const pause = after.open.turn?.hand === 0 ? SCENE : ASKED;
      return [...this.#beats, this.#last(played ? Math.max(over + pause, this.#at) : 0, after)];
    }
    const at = played ? Math.max(over, this.#at - DRAW) + RESULTS : 0;
    const held: PrivateView = { ...after.mine, ...this.#money() };
    if (held.balance === after.mine.balance) return [...this.#beats, this.#last(at, after)];
    return [...this.#beats, this.#last(at, { open: after.open, mine: held }), this.#last(at + PAID, after)];
  }

  /** What is told at the end: of all cards, and after them. */
  #last(at: number, views: Views): Beat {
    return { at, views, laid: this.#cards, open: this.#cards };
  }

  #read({ to, box, hand }: Move): void {
    if (to === 'hand') this.#laid.seen[box]![hand]! += 1;
    else this.#laid.dealerSeen += 1;
  }

  #readUntil(until: number): void {
    const due = this.#faces.filter((face) => face.at <= until).sort((one, other) => one.at - other.at);
    this.#faces = this.#faces.filter((face) => face.at > until);
    for (const face of due) {
      this.#open = face.card;
      face.read();
      if (face.at < until) this.#write(face.at);
    }
  }

  #readAll(): number {
    const last = Math.max(this.#beats.at(-1)?.at ?? 0, ...this.#faces.map((face) => face.at));
    for (const face of this.#faces.sort((one, other) => one.at - other.at)) {
      this.#open = face.card;
      face.read();
      this.#write(face.at);
    }
    this.#faces = [];
    return last;
  }

  #write(at: number): void {
    this.#beats.push({ at, views: this.#compose(), laid: this.#cards, open: this.#open });
  }

  /** The later state with no more than lies on the felt. */
  #compose(): Views {
    const [before, after, laid] = [this.#before, this.#after, this.#laid];
    const played = this.#isPlayed();
    const dealing = !this.#same && !laid.sides;
    const { open } = after;
    const boxes = open.boxes.map((box, k) => this.#box(box, k));
    const { dealer } = open;
    const round = open.phase === 'round';
    return {
      open: {
        ...open,
        phase: 'round',
        stage: dealing || open.stage === 'deal' ? 'deal' : this.#isDealers() ? 'dealer' : 'play',
        turn: played ? before.open.turn : null,
        deadline: null,
        lines: [],
        seats: before.open.seats,
        people: { ...before.open.people, ...open.people },
        bets: round ? open.bets : before.open.bets,
        cards_left: open.cards_left + this.#left.filter((one) => one.drawn).length,
        boxes,
        dealer: {
          cards: dealer.cards.slice(0, laid.dealer),
          face_down: laid.dealerDown,
          total: dealer.totals[laid.dealerSeen - 1] ?? '',
          totals: dealer.totals.slice(0, laid.dealerSeen),
          community: dealer.community.slice(0, laid.community),
        },
      },
      mine: {
        ...after.mine,
        ...(round ? {} : this.#money()),
        bets: round ? after.mine.bets : before.mine.bets,
        options: {
          ...after.mine.options,
          decisions: played ? before.mine.options.decisions : [],
          early: this.#early(),
        },
      },
    };
  }

  #box(box: Box, k: number): Box {
    const laid = this.#laid;
    const was = this.#same ? this.#before.open.boxes.find((one) => one.box === box.box) : undefined;
    const settled = this.#after.open.phase === 'results';
    const past = traceHands(was?.hands ?? [], box.hands);
    return {
      ...box,
      hands: box.hands.map((hand, h) => {
        const earlier = was?.hands[past[h]!.from ?? -1];
        const [lying, seen] = [laid.hands[k]![h]!, laid.seen[k]![h]!];
        const cards = hand.cards.slice(0, lying);
        if (seen >= hand.cards.length)
          return { ...hand, cards, outcome: settled ? (earlier?.outcome ?? '') : hand.outcome };
        const total = earlier && seen === earlier.cards.length ? earlier.total : '';
        return { ...hand, cards, total, status: earlier?.status ?? 'playing', outcome: '' };
      }),
      face_down: laid.down[k]!,
      sides: laid.sides ? box.sides : box.sides.map((side) => ({ ...side, won: null, returned: null })),
      bonus: was?.bonus ?? null,
    };
  }

  /**
   * While a card comes to the box in turn, its question stays where it is: that it goes away would tell the card. Of
   * a hand that is no more, because it was split, nothing is asked.
   */
  #isPlayed(): boolean {
    const turn = this.#same ? this.#before.open.turn : null;
    if (!turn) return false;
    const at = this.#after.open.boxes.findIndex((box) => box.box === turn.box);
    const box = this.#after.open.boxes[at];
    const was = this.#before.open.boxes.find((one) => one.box === turn.box);
    if (was?.hands.length !== box?.hands.length) return false;
    return box?.hands.some((hand, h) => this.#laid.seen[at]![h]! < hand.cards.length) ?? false;
  }

  #isDealers(): boolean {
    return this.#left.every((one) => one.to === 'dealer') && this.#after.open.phase === 'results';
  }

  #early(): DecisionOption[] {
    if (!this.#same) return [];
    const later = this.#after.mine.options.early;
    return this.#before.mine.options.early.filter((one) => later.some((two) => two.box === one.box));
  }

  /** Until the payout the purse is what it was, less what was put in since. */
  #money(): Pick<PrivateView, 'balance' | 'staked'> {
    const { balance, staked, player } = this.#before.mine;
    const added = this.#same ? Math.max(0, stakes(this.#after, player) - stakes(this.#before, player)) : 0;
    return { balance: balance - added, staked: staked + added };
  }
}

/** What a player has on the felt with his hands and behind those of others; of everybody where none is named. */
function stakes({ open }: Views, player?: string): number {
  return open.boxes.reduce((sum, box) => {
    const counts = (one: { player: string }): boolean => player === undefined || one.player === player;
    const hands = counts(box) ? box.hands.map((hand) => hand.stake + hand.added) : [];
    const behind = box.behind.filter(counts).flatMap((one) => one.stakes.map(([base, more]) => base + more));
    return [...hands, ...behind].reduce((all, stake) => all + stake, sum);
  }, 0);
}
