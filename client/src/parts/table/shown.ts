import type { Reason } from '../../wire/types';

/** What the parts of a table show. Made from the wire by `table/`, never by a rule of their own. */
export type PillKind = 'plain' | 'live' | 'bust' | 'blackjack' | 'win' | 'lose' | 'push';
export type SpotState = 'idle' | 'open' | 'closed' | 'won' | 'lost' | 'pushed';

export interface HandShown {
  cards: readonly (string | null)[];
  total: string;
  kind: PillKind;
  stake: number;
  doubled: boolean;
  active: boolean;
  outcome: string;
  net: number | null;
}

/** Chips of one bet: a hand's, what doubled it, what it won; `lost` are swept away, `won` come from the dealer. */
export interface Pile {
  /** Which hand's and what of it: the same pile from one state to the next. */
  key: string;
  amount: number;
  fate: '' | 'lost' | 'won';
}

export interface SpotShown {
  bet: string;
  /** The code of its name, where its game calls it otherwise. */
  named?: string | undefined;
  amount: number;
  /** The piles that lie there, where it is not one of them. */
  piles?: readonly Pile[] | undefined;
  state: SpotState;
  reasons: readonly Reason[];
  /** What a won bet brings on top of its stake, and its name. */
  won: { name: string; gain: number } | null;
  pending: boolean;
  /** The last chip did not fit: V-47. */
  limit: boolean;
  /** What an empty circle says, where not the short name of its bet. */
  label?: string | undefined;
}

/** What a hand is insured for, and what that brought once the round is paid. */
export interface Insured {
  stake: number;
  net: number | null;
}

export interface BoxShown {
  box: number;
  /** What this game calls it, with its number. */
  place: string;
  player: string | null;
  name: string;
  own: boolean;
  /** As the house knows him; `name` is what his place shows. */
  fullName: string;
  bot: boolean;
  leaving: boolean;
  streak: number;
  hottest: boolean;
  hands: readonly HandShown[];
  main: SpotShown;
  sides: readonly SpotShown[];
  /** Bets behind; the reasons are those that the house has against this player alone. */
  behind: { count: number; amount: number; open: boolean; reasons: readonly Reason[] } | null;
  active: boolean;
  dim: boolean;
  early: string | null;
  insurance: Insured | null;
  /** What the plaque says, where not number and name. */
  label?: string | undefined;
}

/** How large a box is drawn: radius of its main circle and of the side circles, width of its cards; own, others. */
export interface BoxSize {
  main: readonly [number, number];
  side: readonly [number, number];
  card: readonly [number, number];
}
export const FULL: BoxSize = { main: [42, 35], side: [25, 21], card: [78, 62] };
/** A phone that lies on its side, or one table of four. */
export const FLAT: BoxSize = { main: [27, 20], side: [15, 13], card: [52, 38] };

/** A table for one: five boxes at most, all one's own, so that every circle has room for its name and for a finger. */
export const ALONE: BoxSize = { main: [42, 42], side: [28, 28], card: [78, 78] };
export const ALONE_FLAT: BoxSize = { main: [27, 27], side: [21, 21], card: [46, 46] };
export const ALONE_MANY: BoxSize = { main: [24, 24], side: [18, 18], card: [41, 41] };

/** Time that runs out: the house's deadline and how long it is in all. It stands full until so much is left. */
export interface Limited {
  deadline: number;
  span: number;
}
/** A ring that does not run: there is no clock. */
export const UNTIMED: Limited = { deadline: Number.MAX_SAFE_INTEGER, span: 1 };
