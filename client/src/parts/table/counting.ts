import { still } from '../../words/words.svelte';
import type { Limited } from './shown';

type Drawn = { transform: string } | { strokeDasharray: string };

/**
 * Draws the share of a time that is left, down to nothing at its deadline; gives what ends it. It stands full while
 * cards are shown, before the time begins. With less motion it is drawn once a second, and between two seconds no frame
 * is: a stepped animation would cost as much as a smooth one.
 */
export function counting(
  element: HTMLElement | SVGElement,
  time: Limited,
  clock: () => number,
  frozen: boolean,
  drawn: (share: number) => Drawn,
): () => void {
  const left = (): number => Math.max(0, time.deadline - clock());
  const draw = (): void => {
    Object.assign(element.style, drawn(Math.min(1, left() / Math.max(1, time.span))));
  };
  draw();
  if (frozen || !left()) return () => {};
  if (still()) {
    const timer = setInterval(() => {
      draw();
      if (!left()) clearInterval(timer);
    }, 1_000);
    return () => clearInterval(timer);
  }
  const runs = Math.min(left(), Math.max(1, time.span));
  const run = element.animate([drawn(runs / Math.max(1, time.span)), drawn(0)], {
    delay: left() - runs,
    duration: runs,
    fill: 'both',
  });
  return () => run.cancel();
}
