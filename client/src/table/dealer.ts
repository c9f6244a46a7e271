import type { Pose } from '../art/pose';
import type { PublicView } from '../wire/types';

const CALM: Pose = { look: 0, mood: 'calm' };
/** The shoe stands at the viewer's right, her own cards lie before her. */
const SHOE = 0.7;

/** How the dealer holds herself at a table of so many boxes, the first right-most. */
export function poseDealer(open: PublicView, boxes: number): Pose {
  const toBox = (box: number): number => (boxes > 1 ? 1 - (2 * (box - 1)) / (boxes - 1) : 0);
  const natural = open.boxes.find((box) => box.hands.some((hand) => hand.status === 'blackjack'));
  if (open.phase === 'results')
    return natural?.hands.some((hand) => !['push', 'lose', ''].includes(hand.outcome))
      ? { look: toBox(natural.box), mood: 'smiles' }
      : CALM;
  if (open.phase === 'shuffling') return { look: SHOE, mood: 'deals' };
  if (open.phase !== 'round') return CALM;
  if (open.turn) return { look: toBox(open.turn.box), mood: 'calm' };
  if (open.stage === 'insurance') return CALM;
  return { look: open.stage === 'deal' ? SHOE : 0, mood: open.stage === 'deal' ? 'deals' : 'turns' };
}
