/** A card as it travels: a rank of 23456789TJQKA and a suit of SHDC, as in `TD`. */
export type Suit = 'S' | 'H' | 'D' | 'C';
export type Rank = 'A' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9' | 'T' | 'J' | 'Q' | 'K';

export const RANKS: readonly Rank[] = ['A', '2', '3', '4', '5', '6', '7', '8', '9', 'T', 'J', 'Q', 'K'];
export const SUITS: readonly Suit[] = ['S', 'H', 'C', 'D'];

export interface CardName {
  rank: Rank;
  suit: Suit;
}

/** Reads a card; null for what is none, so that a strange frame shows a back and breaks nothing. */
export function read(code: string): CardName | null {
  const rank = RANKS.find((one) => one === code[0]);
  const suit = SUITS.find((one) => one === code[1]);
  return rank && suit && code.length === 2 ? { rank, suit } : null;
}

/** What is printed in the corner. */
export const index = (rank: Rank): string => (rank === 'T' ? '10' : rank);

/** The suits, each in a box of 100 x 100. */
export const SHAPES: Record<Suit, string> = {
  H: 'M50 93C30 74 5 57 5 32 5 17 16 7 29 7c9 0 17 5 21 14C54 12 62 7 71 7c13 0 24 10 24 25 0 25-25 42-45 61Z',
  D: 'M50 3c8 17 21 34 36 47-15 13-28 30-36 47C42 80 29 63 14 50 29 37 42 20 50 3Z',
  S: 'M50 4c12 22 44 35 44 59 0 13-9 21-20 21-8 0-15-4-19-11 1 10 4 17 11 22H34c7-5 10-12 11-22-4 7-11 11-19 11C15 84 6 76 6 63 6 39 38 26 50 4Z',
  C: 'M50 5c12 0 21 9 21 20 0 7-3 12-8 17 3-2 7-3 11-3 12 0 21 9 21 21s-9 21-21 21c-8 0-15-4-19-11 1 10 4 18 11 25H34c7-7 10-15 11-25-4 7-11 11-19 11C14 81 5 72 5 60s9-21 21-21c4 0 8 1 11 3-5-5-8-10-8-17C29 14 38 5 50 5Z',
};

type Spot = readonly [x: number, y: number];
const [L, C, R] = [90, 125, 160];
const [TOP, MID, BOT] = [70, 175, 280];
const THIRD = (BOT - TOP) / 3;
const UPPER = TOP + THIRD;
const LOWER = BOT - THIRD;

/** Where the pips lie on a card of 250 x 350; those below the middle stand on their heads. */
export const PIPS: Partial<Record<Rank, readonly Spot[]>> = {
  '2': [
    [C, TOP],
    [C, BOT],
  ],
  '3': [
    [C, TOP],
    [C, MID],
    [C, BOT],
  ],
  '4': [
    [L, TOP],
    [R, TOP],
    [L, BOT],
    [R, BOT],
  ],
  '5': [
    [L, TOP],
    [R, TOP],
    [C, MID],
    [L, BOT],
    [R, BOT],
  ],
  '6': [
    [L, TOP],
    [R, TOP],
    [L, MID],
    [R, MID],
    [L, BOT],
    [R, BOT],
  ],
  '7': [
    [L, TOP],
    [R, TOP],
    [C, 123],
    [L, MID],
    [R, MID],
    [L, BOT],
    [R, BOT],
  ],
  '8': [
    [L, TOP],
    [R, TOP],
    [C, 123],
    [L, MID],
    [R, MID],
    [C, 227],
    [L, BOT],
    [R, BOT],
  ],
  '9': [
    [L, TOP],
    [R, TOP],
    [L, UPPER],
    [R, UPPER],
    [C, MID],
    [L, LOWER],
    [R, LOWER],
    [L, BOT],
    [R, BOT],
  ],
  T: [
    [L, TOP],
    [R, TOP],
    [C, 106],
    [L, UPPER],
    [R, UPPER],
    [L, LOWER],
    [R, LOWER],
    [C, 244],
    [L, BOT],
    [R, BOT],
  ],
};
export const MIDDLE = MID;

/** The weave of the back: lozenges over and under, as one path. */
export const WEAVE: string = Array.from({ length: 13 * 9 }, (_, at) => {
  const [row, column] = [Math.floor(at / 9), at % 9];
  const [x, y] = [29 + column * 24, 31 + row * 24];
  const r = (row + column) % 2 ? 12 : 5;
  return `M${x - r} ${y}L${x} ${y - r}L${x + r} ${y}L${x} ${y + r}Z`;
}).join('');
