import type { TableSession } from './session.svelte';

/** Money to the table, a bet on the hand one looks at, and the cards, in one press (F-04, S-15, D-06, L-06). */
export async function bringAndPlay(session: TableSession, amount: number, bet: number): Promise<void> {
  if (!(await session.ask({ do: 'bring', amount }))) return;
  // The first shoe may still be cut, and until then the house takes no bet.
  await hold(() => session.table?.public?.phase === 'shuffling');
  if (!session.table) return;
  const spots = [{ box: session.at, bet: 'main' }];
  if (await session.ask({ do: 'bet', spots, amount: bet, exact: false })) await session.ask({ do: 'deal' });
}

/** Waits as long as something is so. */
function hold(isSo: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const end = $effect.root(() => {
      $effect(() => {
        if (isSo()) return;
        resolve();
        queueMicrotask(() => end());
      });
    });
  });
}
