import type { Box } from '../wire/types';
import type { Views } from './views';

/** A win of one's own that has a moment of its own: 25 to 1 and more. */
export interface GrandWin {
  key: string;
  box: number;
  bet: string;
  /** The combination that won, where the house names it. */
  won: string;
  gain: number;
  times: number;
  cards: readonly string[];
}
const GRAND = 25;

/** Those that a state of a table tells: from its side bets as they are decided, from its lines as they are paid. */
export function grandWins({ open, mine }: Views): GrandWin[] {
  const own = open.boxes.filter((box) => box.player === mine.player);
  const sides = own.flatMap((box) =>
    box.sides.map((side) => ({
      box: box.box,
      bet: side.bet,
      won: side.won ?? '',
      stake: side.stake,
      back: side.returned ?? 0,
    })),
  );
  const paid = open.lines
    .filter(
      (line) =>
        line.player === mine.player && !sides.some((one) => one.box === line.box && one.bet === line.bet && one.back),
    )
    .map((line) => ({ box: line.box, bet: line.bet, won: '', stake: line.stake, back: line.returned }));
  return [...sides, ...(open.phase === 'results' ? paid : [])]
    .filter((one) => one.stake > 0 && one.back - one.stake >= GRAND * one.stake)
    .map((one) => ({
      key: `${open.code} ${one.box} ${one.bet}`,
      box: one.box,
      bet: one.bet,
      won: one.won,
      gain: one.back - one.stake,
      times: Math.floor((one.back - one.stake) / one.stake),
      cards: dealtTo(own.find((box) => box.box === one.box)),
    }));
}

/** The two cards that a box was dealt, also where they were split. */
function dealtTo(box: Box | undefined): string[] {
  const hands = box?.hands ?? [];
  return hands.length > 1 ? hands.slice(0, 2).map((hand) => hand.cards[0]!) : (hands[0]?.cards.slice(0, 2) ?? []);
}
