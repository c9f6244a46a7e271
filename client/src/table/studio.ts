import type { PublicView } from '../wire/types';
import { t } from '../words/words.svelte';

/** Who deals here: a person at the desk of a studio, or the host who is drawn. */
export function nameDealer(open: PublicView): string {
  const studio = open.studio;
  return studio ? studio.dealer || t('table.nobody') : t('table.host');
}

/** What everybody waits for while the dealer's hands are busy; null where nothing of the kind is waited for. */
export function describeWait(open: PublicView): string | null {
  const studio = open.studio;
  if (!studio || open.paused !== null) return null;
  if (!studio.dealer) return t('now.no-dealer');
  if (studio.wanted?.place === 'shoe' || studio.wanted?.place === 'burn') return t('now.new-shoe');
  if (!studio.wanted) return open.phase === 'shuffling' ? t('now.new-shoe') : null;
  return t(studio.wanted.place === 'dealer' && open.stage !== 'deal' ? 'now.dealer-draws' : 'now.draws');
}
