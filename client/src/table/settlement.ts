import { figure, whole } from '../words/figures';
import { betName, cash, t, type BetNames } from '../words/words.svelte';
import type { Settled } from '../wire/types';

/** The largest lower part of a share that one says in words; 85/100 is clearer than 17/20. */
const PARTS = 5;
/** A share as one says it: 200/100 is 2, 50/100 is 1/2 (D-13). */
function writeShare(share: string): string {
  const [over, under] = share.split('/').map(Number) as [number, number];
  const common = (one: number, other: number): number => (other ? common(other, one % other) : one);
  const by = common(over, under) || 1;
  if (under === by) return String(over / by);
  return under / by > PARTS ? share : `${over / by}/${under / by}`;
}

/**
 * The arithmetic of a line as the house gives it, in cents (`2500 + 3/2 x 2500`), with every amount written as money.
 * A number that is followed by `x` is a factor and stays one.
 */
export function writeArithmetic(arithmetic: string, write: (cents: number) => string = cash): string {
  return arithmetic
    .split(' ')
    .map((word, at, words) => {
      if (word === 'x') return '×';
      if (word === '-') return '−';
      if (/^\d+\/\d+$/.test(word)) return writeShare(word);
      if (!/^\d+$/.test(word)) return word;
      return words[at + 1] === 'x' ? word : write(Number(word));
    })
    .join(' ');
}

/** The same for a game that prints what comes back in all: `€ 1,00 × 2,5` (S-27, S-31). */
export function writeReturn({ stake, returned }: Settled, write: (cents: number) => string = cash): string {
  const hundredths = stake ? Math.round((returned * 100) / stake) : 0;
  const times = hundredths % 100 ? figure(hundredths / 100, hundredths % 10 ? 2 : 1) : whole(hundredths / 100);
  return `${write(stake)} × ${times}`;
}

/** What a place of the table is called: a box, or as the sheet of a game for one has it. */
export type PlaceWord = 'table.box' | 'solo.hand' | 'solo.seat';
/** All of them together. */
export type PlacesWord = 'table.boxes' | 'solo.hands' | 'solo.seats';

/** The name of a place inside a sentence. */
export const placeInside = (word: PlaceWord, box: number): string => t(word, { box }).toLowerCase();

/** What a line is about: the place as this game calls it, the hand where there are several, the bet. */
export function lineTitle(line: Settled, names: BetNames = {}, word: PlaceWord = 'table.box'): string {
  const bet = betName(line.bet, names);
  if (!line.box) return bet;
  const place = t(word, { box: line.box });
  return line.hand > 1 || line.bet.includes('split')
    ? t(word === 'table.box' ? 'settle.hand' : 'settle.part', { place, hand: line.hand, bet: bet.toLowerCase() })
    : t('settle.box', { place, bet });
}

export interface Sums {
  staked: number;
  returned: number;
  net: number;
}
export function sumLines(lines: readonly Settled[]): Sums {
  const staked = lines.reduce((sum, line) => sum + line.stake, 0);
  const returned = lines.reduce((sum, line) => sum + line.returned, 0);
  return { staked, returned, net: returned - staked };
}

/** What one player's bets on one hand came to; `behind` where it is not his box. */
export interface HandResult {
  player: string;
  behind: boolean;
  net: number;
}
/**
 * What a hand brought, each player for himself (V-70): nobody's result counts another's bets. What lies at a box and at
 * no hand, side bets and insurance, goes with its first hand.
 */
export function handResults(lines: readonly Settled[], box: number, hand: number, owner: string): HandResult[] {
  const here = lines.filter((line) => line.box === box && (line.hand || 1) === hand);
  const players = [...new Set([owner, ...here.map((line) => line.player)])];
  return players.flatMap((player): HandResult[] => {
    const own = here.filter((line) => line.player === player);
    return own.length ? [{ player, behind: player !== owner, net: sumLines(own).net }] : [];
  });
}

/**
 * The lines that made a round what it was, those that weigh most first; the others together, so that what is written
 * adds up.
 */
export function weighLines(
  lines: readonly Settled[],
  most: number,
): { first: Settled[]; rest: Sums & { count: number } } {
  const weight = (line: Settled): number => Math.abs(line.returned - line.stake);
  const sorted = [...lines].sort((one, other) => weight(other) - weight(one));
  const count = lines.length > most ? most - 1 : most;
  const others = sorted.slice(count);
  return { first: sorted.slice(0, count), rest: { count: others.length, ...sumLines(others) } };
}

/** `€ 265,00 − € 120,00 = + € 145,00` */
export const writeNet = ({ staked, returned, net }: Sums, write: (cents: number) => string = cash): string =>
  t('settle.net', {
    returned: write(returned),
    staked: write(staked),
    net: write === cash ? cash(net, { sign: 'always' }) : write(net),
  });

/** What a round brought, in a few words. */
export function netTitle(net: number): string {
  if (net > 0) return t('won.net', { amount: cash(net) });
  return net < 0 ? t('lost.net', { amount: cash(-net) }) : t('even.net');
}
