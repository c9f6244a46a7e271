import { untrack } from 'svelte';
import { person } from '../wire/person.svelte';
import type { TableSession } from './session.svelte';

/**
 * What the profile says of bets behind is told to the table while one is there. To be called where effects may begin.
 */
export function followPreferences(session: TableSession): void {
  /** Whether others may bet behind one's boxes: the table is told where it has it otherwise (V-33). */
  $effect(() => {
    const allowed = person.settings?.bet_behind.allow_others ?? true;
    const seat = session.table?.public?.seats.find((one) => one.player === session.table?.mine?.player);
    const differs = session.rules?.behind && seat !== undefined && seat.takes_behind !== allowed;
    if (differs)
      untrack(() => {
        if (!session.table?.pending.some((one) => one.command.do === 'allow-behind'))
          void session.ask({ do: 'allow-behind', allowed });
      });
  });

  /** A pre-decision that is changed in the settings counts for the bets that lie already (V-32). */
  let known = '';
  $effect(() => {
    const wish = person.settings?.bet_behind;
    if (!wish) return;
    const [double, split] = [wish.follow_double, wish.follow_split];
    const next = `${double} ${split}`;
    const changed = known !== '' && known !== next;
    known = next;
    if (changed)
      untrack(() => {
        for (const { box } of session.table?.mine?.behind ?? []) void session.ask({ do: 'follow', box, double, split });
      });
  });
}
