import type { PublicView } from '../wire/types';

/** The next card that the rules wait for, at a table whose cards a person deals. */
export interface Wanted {
  place: 'box' | 'dealer' | 'community' | 'burn' | 'shoe';
  box: number;
  hand: number;
  /** Which card of that hand, from 1. */
  card: number;
  face: 'up' | 'down';
}
export interface Studio {
  wanted: Wanted | null;
  /** Cards that left this shoe, those burnt too. */
  out: number;
  cut_out: boolean;
  /** Who deals; empty where nobody does. */
  dealer: string;
  scans: number;
  /** Why the table stands after a misdeal; empty where it does not. */
  misdeal: string;
  committed: readonly string[];
}

/** What a table with scanned cards says of them; null at a table with a sealed shoe. */
export const studioOf = (open: PublicView): Studio | null =>
  (open as PublicView & { studio?: Studio | null }).studio ?? null;
