import type { LobbyResponse, OwnTable } from '../../wire/types';

/** Where a table is played: games for one have a room of their own; a practice table is named to it. */
export function tablePath(
  one: Pick<OwnTable, 'table' | 'game' | 'practice'>,
  { games }: Pick<LobbyResponse, 'games'>,
): string {
  const solo = games.find((game) => game.game === one.game)?.solo ?? false;
  if (!solo) return `/table/${encodeURIComponent(one.table)}`;
  return one.practice ? `/solo/${one.game}?table=${encodeURIComponent(one.table)}` : `/solo/${one.game}`;
}
