import type { Face } from '../parts/room/StatusFace.svelte';
import type { LineState } from '../wire/socket';
import type { Notice, PublicView, Reason } from '../wire/types';
import { reasonText, why } from '../words/why';
import { cash, t } from '../words/words.svelte';

/** A state that lies over the table, and what its button does. */
export interface TableStatus {
  face: Face;
  detail: string;
  act: 'rejoin' | 'hurry' | 'lobby' | 'help' | null;
}

const [SESSION_OVER, PLAY_CLOSED, REPLACED] = [4004, 4005, 4008];
const PATIENCE = 4;

/** The face of the line; null while it stands. */
export function lineStatus(line: LineState, welcomed: boolean): TableStatus | null {
  switch (line.is) {
    case 'open':
      return null;
    case 'over':
      if (line.code === SESSION_OVER) return { face: 'time', detail: '', act: 'lobby' };
      if (line.code === PLAY_CLOSED) return { face: 'excluded', detail: '', act: 'help' };
      return { face: line.code === REPLACED ? 'elsewhere' : 'gone', detail: '', act: 'rejoin' };
    case 'resting':
      return null;
    case 'doubtful':
      return { face: 'reconnecting', detail: '', act: null };
    default:
      if (line.attempt >= PATIENCE) return { face: 'gone', detail: '', act: 'hurry' };
      return welcomed ? { face: 'reconnecting', detail: '', act: 'hurry' } : null;
  }
}

/** The face of a table one cannot see any more. */
export function closedStatus(closed: Reason | null): TableStatus | null {
  if (!closed) return null;
  if (closed.code === 'taken-over') return { face: 'elsewhere', detail: '', act: 'rejoin' };
  return { face: 'shut', detail: closed.code === 'table-closed' ? t('told.table-closed') : why(closed), act: 'lobby' };
}

/** A round that ended without a line of any bet was voided: nothing was paid, all stakes came back (V-77). */
export const isVoided = (open: PublicView): boolean => open.phase === 'results' && !open.lines.length;

/** Why a round was voided, as the house or a supervisor said it. */
export const voidReason = (voided: Notice): string => reasonText(String(voided.numbers?.reason ?? ''));

/** The face of a table that stands still, or of a round that is no more (V-76, V-77). */
export function tableStatus(open: PublicView | undefined, voided: Notice | null): TableStatus | null {
  if (open?.paused != null) return { face: 'paused', detail: reasonText(open.paused), act: null };
  if (!voided || !open || !isVoided(open)) return null;
  const back = Number(voided.numbers?.amount ?? 0);
  return {
    face: 'voided',
    detail: [voidReason(voided), back ? t('void.back', { amount: cash(back) }) : ''].filter(Boolean).join('. '),
    act: null,
  };
}
