import type { Contribution } from '../../wire/shoe_cut.svelte';
import type { ShoeMessage } from '../../wire/types';

/** On whose word it will rest that nobody chose the order of a shoe, as far as it is known by now. */
export interface SealBasis {
  restsOn: 'beacon' | 'you' | 'players' | 'house';
  /** Players who have a part in the cut: those who revealed, or who are asked as long as it lasts. */
  players: number;
  beacon: { round: number; chain: string } | null;
}

export function findSealBasis(
  shoe: ShoeMessage,
  sent: Contribution | undefined,
  player: string | undefined,
): SealBasis {
  const beacon = (shoe.commitment.beacon ?? null) as SealBasis['beacon'];
  const parts = shoe.phase === 'cut' ? shoe.revealed : shoe.players;
  const isMine = player !== undefined && parts.includes(player) && sent?.shoe === shoe.commitment.root;
  const restsOn = beacon ? 'beacon' : isMine ? 'you' : parts.length ? 'players' : 'house';
  return { restsOn, players: parts.length, beacon };
}
