import type { LobbyResponse, MeResponse } from '../../wire/types';

type Line = LobbyResponse['tables'][number];
/** A table whose cards are scanned, and who deals there; empty where nobody does. */
export type StudioLine = Line & { cards: string; dealer: string };

export const listStudioTables = (lines: readonly Line[]): StudioLine[] =>
  (lines as readonly StudioLine[]).filter((line) => line.cards === 'scanned');

/** Whether somebody may deal: the role is needed, and a second factor. */
export function mayDeal(me: MeResponse | null): 'yes' | 'role' | 'factor' {
  if (!me || !['dealer', 'supervisor'].includes(me.role)) return 'role';
  return me.second_factor ? 'yes' : 'factor';
}
