import type { Settings } from './types';

/** How richly the table is drawn: chosen, or by how long its frames take (V-72). `low` leaves out shadows and blur. */
type Quality = 'low' | 'medium' | 'high';

const SAMPLE = 90;
const [SLOW, POOR] = [22, 34];

/** From the times of some frames in milliseconds, the slowest tenth left out. */
export function measureQuality(frames: readonly number[]): Quality {
  const sorted = [...frames].sort((a, b) => a - b);
  const worst = sorted[Math.floor(sorted.length * 0.9)] ?? 0;
  return worst > POOR ? 'low' : worst > SLOW ? 'medium' : 'high';
}

/** Applies the setting to the page; automatic, it looks at frames now and gives what ends the looking. */
export function applyQuality(
  chosen: Settings['video']['quality'],
  root: HTMLElement = document.documentElement,
): () => void {
  if (chosen !== 'auto') {
    root.dataset.quality = chosen;
    return () => {};
  }
  root.dataset.quality = 'high';
  const frames: number[] = [];
  let [last, next] = [0, 0];
  const look = (at: number): void => {
    if (last && !document.hidden) frames.push(at - last);
    last = at;
    if (frames.length < SAMPLE) next = requestAnimationFrame(look);
    else root.dataset.quality = measureQuality(frames);
  };
  next = requestAnimationFrame(look);
  return () => cancelAnimationFrame(next);
}
