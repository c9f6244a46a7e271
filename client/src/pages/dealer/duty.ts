import { isVoided } from '../../table/status';
import type { PublicView, Studio, Wanted } from '../../wire/types';
import { desk, type DeskKey } from '../../words/studio';

/** What the dealer must do now: a word for it, and what it is about. */
export type Duty =
  | { do: 'deal' | 'draw' | 'burn'; wanted: Wanted; turn: boolean }
  | { do: 'decision' | 'bonus'; box: number; hand: number; player: string }
  | { do: 'pay'; turn: boolean }
  | {
      do: 'shoe' | 'shuffle' | 'bets' | 'bets-first' | 'insurance' | 'pause' | 'misdeal' | 'closed' | 'nobody' | 'wait';
    };

/** The card with which a hand of the first deal is complete. */
const DEALT = 2;

/**
 * What the dealer must do now, from the state of the table alone: so a desk that was reloaded says the same. What stops
 * the table comes first, then the card that is wanted, then whom everybody waits for.
 */
export function findDuty(open: PublicView): Duty {
  const { studio } = open;
  if (open.phase === 'closed') return { do: 'closed' };
  if (studio?.misdeal) return { do: 'misdeal' };
  if (!studio?.dealer) return { do: 'nobody' };
  if (open.paused !== null) return { do: 'pause' };
  if (studio.wanted) return findCardDuty(open, studio.wanted);
  if (open.phase === 'shuffling') return { do: 'shuffle' };
  if (open.phase === 'betting') return { do: open.deadline === null ? 'bets-first' : 'bets' };
  if (open.phase === 'results') return { do: 'pay', turn: isHoleTurned(open) };
  if (open.stage === 'insurance') return { do: 'insurance' };
  if (open.turn) {
    const { box, hand } = open.turn;
    const player = open.boxes.find((one) => one.box === box)?.player ?? '';
    return { do: hand === 0 ? 'bonus' : 'decision', box, hand, player: open.people[player]?.name ?? '' };
  }
  return { do: 'wait' };
}

function findCardDuty(open: PublicView, wanted: Wanted): Duty {
  if (wanted.place === 'shoe') return { do: 'shoe' };
  if (wanted.place === 'burn') return { do: 'burn', wanted, turn: false };
  const later = wanted.card > DEALT || isSplit(open, wanted);
  return {
    do: later ? 'draw' : 'deal',
    wanted,
    turn: wanted.place === 'dealer' && wanted.card === DEALT + 1 && isHoleTurned(open),
  };
}

const isSplit = (open: PublicView, { place, box }: Wanted): boolean =>
  place === 'box' && (open.boxes.find((one) => one.box === box)?.hands.length ?? 0) > 1;

/** The dealer's second card lay face down and is open by the rules: it must be turned on the table too. */
const isHoleTurned = ({ dealer, phase, lines }: PublicView): boolean =>
  dealer.cards.length >= DEALT && !dealer.face_down && (phase === 'round' || lines.length > 0);

/** A place as the dealer reads it: the hand is named only where a box has several. */
export function namePlace(open: PublicView, { place, box, hand }: Pick<Wanted, 'place' | 'box' | 'hand'>): string {
  if (place === 'dealer') return desk('desk.dealer');
  if (place === 'community') return desk('desk.community');
  if (place === 'burn') return desk('desk.burn');
  const several = (open.boxes.find((one) => one.box === box)?.hands.length ?? 0) > 1;
  return several ? desk('desk.box-hand', { box, hand }) : desk('desk.box', { box });
}

const ORDINALS = 8;
export const nameCard = (card: number): string =>
  card >= 1 && card <= ORDINALS ? desk(`desk.nth.${card}` as DeskKey) : desk('desk.nth', { card });

/** The next action in large type: "Box 3, second card". */
export function titleDuty(open: PublicView, duty: Duty): string {
  switch (duty.do) {
    case 'deal':
    case 'draw':
      return desk('desk.spot', { place: namePlace(open, duty.wanted), card: nameCard(duty.wanted.card) });
    case 'burn':
      return desk('desk.burn');
    case 'decision':
    case 'bonus':
      return desk(`desk.do.${duty.do}`, { place: namePlace(open, { place: 'box', box: duty.box, hand: duty.hand }) });
    default:
      return desk(`desk.do.${duty.do}`);
  }
}

/** What is to be done with the hands, one sentence after the other. */
export function listSteps(open: PublicView, duty: Duty, reason: (code: string) => string): string[] {
  const last = open.studio?.cut_out ? [desk('desk.hint.last')] : [];
  switch (duty.do) {
    case 'burn':
      return [desk('desk.hint.burn')];
    case 'deal':
      return [desk(duty.wanted.face === 'down' ? 'desk.hint.down' : 'desk.hint.deal'), ...last];
    case 'draw': {
      if (duty.wanted.place === 'dealer')
        return [...(duty.turn ? [desk('desk.hint.hole')] : []), desk('desk.hint.dealer'), ...last];
      return [desk('desk.hint.draw', { place: namePlace(open, duty.wanted) }), ...last];
    }
    case 'decision':
      return [desk('desk.hint.decision', { name: duty.player }), ...last];
    case 'pay':
      return [...(duty.turn && !isVoided(open) ? [desk('desk.hint.hole')] : []), desk('desk.hint.pay'), ...last];
    case 'pause':
      return [desk('desk.hint.pause', { reason: reason(open.paused ?? '') })];
    case 'bets':
    case 'bets-first':
      return [desk('desk.hint.bets'), ...last];
    case 'insurance':
    case 'shoe':
    case 'misdeal':
    case 'nobody':
      return [desk(`desk.hint.${duty.do}`)];
    default:
      return [];
  }
}

/** What is paid to a box or collected from it, in cents; side bets and bets behind are in it. */
export interface Payment {
  box: number;
  net: number;
}
export function listPayments({ lines }: PublicView): Payment[] {
  const boxes = [...new Set(lines.map((line) => line.box))].sort((a, b) => a - b);
  return boxes.map((box) => ({
    box,
    net: lines.filter((line) => line.box === box).reduce((sum, line) => sum + line.returned - line.stake, 0),
  }));
}

/** A card that was read in this round and where it lies; `code` is null for one that lies face down. */
export interface Scanned {
  place: 'box' | 'dealer' | 'community';
  box: number;
  hand: number;
  card: number;
  code: string | null;
}

/**
 * The cards of the round in the order of dealing: a first one to each box, the dealer's, a second to each, the hidden
 * one, then what boxes and dealer took. Read from the felt, so that a desk that was reloaded knows them too. Of a pair
 * that was split the second card opens the second hand.
 */
export function listScanned({ boxes, dealer }: PublicView): Scanned[] {
  const at = (box: number, hand: number, card: number, code: string | undefined): Scanned[] =>
    code === undefined ? [] : [{ place: 'box', box, hand, card, code }];
  const hidden = (box: number, card: number): Scanned => ({ place: 'box', box, hand: 1, card, code: null });
  const first = boxes.flatMap((box) => at(box.box, 1, 1, box.hands[0]?.cards[0]));
  const second = boxes.flatMap((box) =>
    box.hands.length > 1 ? at(box.box, 2, 1, box.hands[1]?.cards[0]) : at(box.box, 1, 2, box.hands[0]?.cards[1]),
  );
  const later = boxes.flatMap((box) =>
    box.hands.flatMap((hand, h) =>
      hand.cards.flatMap((code, k) => {
        const dealt = k === 0 ? h < DEALT : k === 1 && box.hands.length === 1;
        return dealt ? [] : at(box.box, h + 1, k + 1, code);
      }),
    ),
  );
  const down = boxes.flatMap((box) =>
    Array.from({ length: box.face_down }, (_, k) => hidden(box.box, (box.hands[0]?.cards.length ?? 0) + k + 1)),
  );
  const mine: Scanned[] = [...dealer.cards, ...Array.from({ length: dealer.face_down }, () => null)].map((code, k) => ({
    place: 'dealer',
    box: 0,
    hand: 1,
    card: k + 1,
    code,
  }));
  const middle: Scanned[] = dealer.community.map((code, k) => ({
    place: 'community',
    box: 0,
    hand: 1,
    card: k + 1,
    code,
  }));
  return [
    ...first,
    ...mine.slice(0, 1),
    ...middle,
    ...second,
    ...down,
    ...mine.slice(1, DEALT),
    ...later,
    ...mine.slice(DEALT),
  ];
}

/** Whether this desk is this dealer's, by what everybody sees. */
export const isHolder = (studio: Studio | null, name: string): boolean => studio !== null && studio.dealer === name;
