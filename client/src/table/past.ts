import type { PublicView } from '../wire/types';
import { dealerKind } from './views';

/** What the dealer came to in a round. */
export interface PastRound {
  code: string;
  total: string;
  kind: 'blackjack' | 'bust' | 'plain';
}

/** So many rounds are remembered. */
export const REMEMBERED = 10;

/** With the round that is paid now, the last at the end; the same list where there is nothing to add. */
export function rememberRound(past: readonly PastRound[], open: PublicView): readonly PastRound[] {
  const { code, dealer, lines, phase } = open;
  if (phase !== 'results' || !lines.length || !dealer.total || dealer.face_down) return past;
  if (past.some((round) => round.code === code)) return past;
  const kind = dealerKind(open);
  const round: PastRound = {
    code,
    total: dealer.total,
    kind: kind === 'blackjack' || kind === 'bust' ? kind : 'plain',
  };
  return [...past, round].slice(-REMEMBERED);
}

/** The share of the shoe that has been dealt, in hundredths; where its cut card lies is nobody's to know. */
export const shareDealt = (left: number, decks: number): number =>
  Math.round(100 * Math.min(1, Math.max(0, 1 - left / Math.max(1, decks * 52))));
