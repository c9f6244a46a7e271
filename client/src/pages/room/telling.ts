import { Toasts } from '../../parts/frame/notices.svelte';
import { Refused } from '../../wire/api';
import { why } from '../../words/why';
import { t } from '../../words/words.svelte';

/** The notices of the room: one list for every page of this window. */
export const toasts = new Toasts();

/** A failure in words: the house's refusal with its numbers, else that it does not answer. */
export const trouble = (fault: unknown): string => (fault instanceof Refused ? why(fault.trouble) : t('frame.trouble'));

/** Runs what a press asked for; a refusal becomes a notice. True where it was done. */
export async function attempt(act: () => Promise<unknown>, done = ''): Promise<boolean> {
  try {
    await act();
    if (done) toasts.add(done, 'good');
    return true;
  } catch (fault) {
    toasts.add(trouble(fault), 'bad');
    return false;
  }
}
