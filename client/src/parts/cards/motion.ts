import { getContext, setContext } from 'svelte';
import type { TransitionConfig } from 'svelte/transition';
import { FLIGHT } from '../../table/reveal';
import { still, tempo } from '../../words/words.svelte';

/**
 * Where cards, payouts and one's own chips come from on this table, in pixels of the screen, and how far it is scaled.
 */
export interface Origins {
  /** Whether cards fly here at all; asked without measuring anything. */ moves: () => boolean;
  shoe: () => DOMRect | undefined;
  dealer: () => DOMRect | undefined;
  tray?: () => DOMRect | undefined;
  scale: () => number;
}

const NAME = 'origins';
export const offerOrigins = (origins: Origins): Origins => setContext(NAME, origins);
export const origins = (): Origins | undefined => getContext<Origins | undefined>(NAME);

const CHIP = 320;
/** Milliseconds between cards that come to a hand at once. */
export const APART = 90;
const ARC = 40;

/** Fast away, soft to rest: the curve of `--ease-deal`. */
const ease = (t: number): number => 1 - (1 - t) ** 2.6;

/** Measured at once and set in motion later: whoever reads and writes in turns pays for a layout with every card. */
type Flight = () => TransitionConfig;
function flown(
  node: Element,
  from: DOMRect | undefined,
  scale: number,
  duration: number,
  delay: number,
  arc: number,
): Flight {
  if (still() || !from) return () => ({ duration: 0 });
  const to = node.getBoundingClientRect();
  const x = (from.left + from.width / 2 - to.left - to.width / 2) / scale;
  const y = (from.top + from.height / 2 - to.top - to.height / 2) / scale;
  const pace = tempo();
  return () => ({
    duration: duration * pace,
    delay: delay * pace,
    easing: ease,
    css: (t, u) => `translate: ${x * u}px ${y * u - Math.sin(Math.PI * t) * arc}px; opacity: ${Math.min(1, t * 6)}`,
  });
}

/** A card leaves the shoe on a short arc; where several come at once, the k-th starts a little later. */
export function dealt(node: Element, { from, order = 0 }: { from: Origins | undefined; order?: number }): Flight {
  return flown(node, from?.shoe(), from?.scale() ?? 1, FLIGHT, order * APART, ARC);
}

/** Chips that are paid go home, to the balance at the left of the tray. */
export function home(node: Element, { from }: { from: Origins | undefined }): TransitionConfig {
  const tray = from?.tray?.();
  if (still() || !tray) return { duration: 0 };
  const at = node.getBoundingClientRect();
  const scale = from?.scale() ?? 1;
  const x = (tray.left + Math.min(90, tray.width / 2) - at.left) / scale;
  const y = (tray.top + 30 - at.top) / scale;
  return {
    duration: 420 * tempo(),
    easing: (t) => t * t * (3 - 2 * t),
    css: (t, u) => `translate: ${x * u}px ${y * u}px; opacity: ${Math.min(1, t * 4)}`,
  };
}

/** A payout slides out from the dealer. */
export function paid(node: Element, { from }: { from: Origins | undefined }): Flight {
  return flown(node, from?.dealer(), from?.scale() ?? 1, CHIP, 0, 0);
}
