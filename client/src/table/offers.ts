import type { TableOffer } from '../parts/room/LobbyCard.svelte';
import type { LobbyLine, OwnTable } from '../wire/types';

/**
 * A line of the lobby as its card shows it. The lobby tells how many seats are taken, not which: they fill from the
 * first.
 */
export function offer(line: LobbyLine, own: readonly OwnTable[]): TableOffer {
  const mine = own.find((one) => one.table === line.table)?.boxes ?? [];
  const others = line.seats - line.free - mine.length;
  let left = others;
  const seats = Array.from({ length: line.seats }, (_, at) => {
    if (mine.includes(at + 1)) return 'own';
    left -= 1;
    return left >= 0 ? 'taken' : 'free';
  });
  const limit = line.limits.main ?? line.limits.ante;
  return {
    table: line.table,
    name: line.table,
    seats,
    least: limit?.least ?? 0,
    most: limit?.most ?? 0,
    seconds: line.betting_seconds,
    hot: line.streaks.length ? Math.max(...line.streaks) : null,
    practice: false,
    closing: false,
    multi: line.multi_table,
    phase: line.phase,
    paused: line.paused,
  };
}
