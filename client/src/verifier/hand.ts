/** What cards are worth, what side bets they make, what a payout brings: whole numbers only. */
export const rank = (card: number): number => card >> 2;
export const suit = (card: number): number => card & 3;
export const ACE = 12;
export const isAce = (card: number): boolean => rank(card) === ACE;
export const value = (card: number): number => (isAce(card) ? 1 : Math.min(rank(card) + 2, 10));

const points = (cards: readonly number[]): number => cards.reduce((sum, card) => sum + value(card), 0);
export const isSoft = (cards: readonly number[]): boolean => points(cards) <= 11 && cards.some(isAce);
export const total = (cards: readonly number[]): number => points(cards) + (isSoft(cards) ? 10 : 0);
export const isNatural = (cards: readonly number[]): boolean => cards.length === 2 && total(cards) === 21;

/** `3:2` pays on top of the stake, `x2.5` with it. */
export interface Odds {
  up: number;
  down: number;
  toOne: boolean;
}

export function odds(text: string): Odds {
  const [, up, down] = /^(\d+)[:/](\d+)$/.exec(text) ?? [];
  if (up !== undefined && down !== undefined) return { up: Number(up), down: Number(down), toOne: true };
  const [, whole = '0', part = ''] = /^x(\d+)(?:\.(\d{1,2}))?$/.exec(text) ?? [];
  return { up: Number(whole) * 100 + Number(part.padEnd(2, '0')), down: 100, toOne: false };
}

export function paid({ up, down, toOne }: Odds, stake: number): number {
  return (toOne ? stake : 0) + Math.floor((stake * up) / down);
}

const isRed = (card: number): boolean => suit(card) === 1 || suit(card) === 2;

function pair([first = 0, second = 0]: readonly number[]): string[] {
  if (rank(first) !== rank(second)) return [];
  if (suit(first) === suit(second)) return ['perfect'];
  return [isRed(first) === isRed(second) ? 'coloured' : 'mixed'];
}

function threeCards(cards: readonly number[]): string[] {
  const [low = 0, middle = 0, high = 0] = cards.map(rank).sort((a, b) => a - b);
  const flush = new Set(cards.map(suit)).size === 1;
  const trips = low === high;
  const straight = (low === 0 && middle === 1 && high === ACE) || (low + 1 === middle && middle === high - 1);
  const made: [string, boolean][] = [
    ['flush', flush],
    ['straight', straight],
    ['trips', trips],
    ['straight-flush', flush && straight],
    ['suited-trips', flush && trips],
  ];
  return made.filter(([, is]) => is).map(([name]) => name);
}

function twoUp(cards: readonly number[]): string[] {
  const kinds = new Set(cards.map(rank)).size;
  return kinds === 1 ? ['trips'] : kinds === 2 ? ['pair'] : [];
}

/** What a side bet brings back: the best category that the sheet pays for, never two at once. */
export function sidePaid(
  side: { kind: string; pays: Readonly<Record<string, string>> },
  cards: readonly number[],
  stake: number,
): number {
  const names =
    side.kind === 'pair' || side.kind === 'dealer-pair'
      ? pair(cards)
      : side.kind === 'three-cards'
        ? threeCards(cards)
        : twoUp(cards);
  return Math.max(
    0,
    ...names.flatMap((name) => (side.pays[name] === undefined ? [] : [paid(odds(side.pays[name]), stake)])),
  );
}
