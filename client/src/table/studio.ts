import type { PublicView } from '../wire/types';
import { t } from '../words/words.svelte';

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

/** Who deals here: a person at the desk of a studio, or the host who is drawn. */
export function nameDealer(open: PublicView): string {
  const studio = studioOf(open);
  return studio ? studio.dealer || t('table.nobody') : t('table.host');
}

/** What everybody waits for while the dealer's hands are busy; null where nothing of the kind is waited for. */
export function describeWait(open: PublicView): string | null {
  const studio = studioOf(open);
  if (!studio || open.paused !== null) return null;
  if (!studio.dealer) return t('now.no-dealer');
  if (studio.wanted?.place === 'shoe' || studio.wanted?.place === 'burn') return t('now.new-shoe');
  if (!studio.wanted) return open.phase === 'shuffling' ? t('now.new-shoe') : null;
  return t(studio.wanted.place === 'dealer' && open.stage !== 'deal' ? 'now.dealer-draws' : 'now.draws');
}
