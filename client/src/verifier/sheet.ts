import { hex } from './bytes';
import { digest, type Json } from './canonical';
import sheets from './sheets.json';

/**
 * A rule sheet in its canonical form, which is what its hash is taken over; only what a verifier asks is named here.
 */
export interface Sheet {
  game: { id: string; name: string; family: string; solo: boolean };
  shoe: { decks: number; reshuffle: string; cut: readonly [number, number]; burn: number };
  seats: { count: number };
  options: { behind: boolean };
  stakes: {
    unit: number;
    reserve: number;
    round_cap: number;
    max_win: number;
    max_win_counts: string;
    missing_funds: string;
  };
  timeouts: { hit_up_to: number; choice: string; second: string };
  sides: Readonly<Record<string, { kind: string; pays: Readonly<Record<string, string>> }>>;
  cites: Readonly<Record<string, string>>;
  charlie: number;
  pair_requires_stand: boolean;
  dealer: { soft_17: string; peek: readonly string[] };
  dealer_blackjack_takes: { ace: string; ten: string };
  blackjack: { pays: string };
  double: { on: string; after_split: boolean };
  split: { equal: string; hands: number; aces: string };
  insurance: { offered: boolean; pays: string; even_money: boolean };
  cash_out: {
    offered: boolean;
    hard: Readonly<Record<string, readonly number[]>>;
    soft: Readonly<Record<string, readonly number[]>>;
  };
  bonus: {
    spins: number;
    box_cells: number;
    wheel: Readonly<Record<string, number>>;
    boxes: Readonly<Record<string, number>>;
    start: Readonly<Record<string, number>>;
    cell: Readonly<Record<string, number>>;
    diamonds: Readonly<Record<string, number>>;
    prizes: Readonly<Record<string, number>>;
    boards: Readonly<Record<string, { cells: number; start: number }>>;
  };
  duel: { qualify: number; draw_to: number; house_way: readonly string[] };
}

/** A sheet and the hash under which it is committed to. */
export interface Ruled {
  sheet: Sheet;
  hash: string;
}

const KNOWN = sheets as unknown as readonly Json[];

/**
 * The sheets that this verifier was made with, by their hash: taken anew, so that a changed one is a sheet of no house.
 */
export async function known(): Promise<readonly Ruled[]> {
  return Promise.all(
    KNOWN.map(async (plain) => ({ sheet: plain as unknown as Sheet, hash: hex(await digest(plain)) })),
  );
}

/** Least and most cards dealt when the cut card comes out. */
export function cutWindow({ shoe }: Sheet): readonly [number, number] {
  const size = shoe.decks * 52;
  return shoe.reshuffle === 'every-round'
    ? [1, 1]
    : [Math.floor((size * shoe.cut[0]) / 100), Math.floor((size * shoe.cut[1]) / 100)];
}
