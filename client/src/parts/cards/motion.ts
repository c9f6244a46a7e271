import { getContext, setContext } from 'svelte';
import type { TransitionConfig } from 'svelte/transition';
import { FLIGHT, PUT } from '../../table/reveal';
import { still, tempo } from '../../words/words.svelte';
import type { MovingCards } from './moving';

/**
 * Where cards, payouts and one's own chips come from on this table, in pixels of the screen, and how far it is scaled.
 */
export interface Origins {
  /** Whether cards fly here at all; asked without measuring anything. */ moves: () => boolean;
  shoe: () => DOMRect | undefined;
  dealer: () => DOMRect | undefined;
  tray?: () => DOMRect | undefined;
  scale: () => number;
  /** Where it is told what moves, for whoever waits until it lies. */
  moving?: MovingCards | undefined;
}

const NAME = 'origins';
export const offerOrigins = (origins: Origins): Origins => setContext(NAME, origins);
export const origins = (): Origins | undefined => getContext<Origins | undefined>(NAME);

const [CHIP, HOME] = [320, 420];
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

/** Animations of an element and of what is in it are at their end, now. */
export const finishMotion = (node: Element | undefined): void =>
  node?.getAnimations({ subtree: true }).forEach((one) => one.finish());

/** Whoever waits for what moves on this table waits for this flight too. */
function follow(node: Element, from: Origins | undefined): void {
  const end = from?.moving?.begin(() => finishMotion(node), node);
  if (end) node.addEventListener('introend', end, { once: true });
}

/** A card leaves the shoe on a short arc; where several come at once, the k-th starts a little later. */
export function dealt(node: Element, { from, order = 0 }: { from: Origins | undefined; order?: number }): Flight {
  return flown(node, from?.shoe(), from?.scale() ?? 1, FLIGHT, order * APART, ARC);
}

interface Pile {
  from: Origins | undefined;
  won: boolean;
  foreign: boolean;
}
/** How far from its circle another's chips are drawn that he has with him. */
const AWAY = 70;

/** Between a pile and where its owner has his chips: one's own balance at the left of the tray, another's place. */
function slide(node: Element, { from, foreign }: Pile, duration: number): TransitionConfig {
  const tray = from?.tray?.();
  if (still() || !tray) return { duration: 0 };
  const at = node.getBoundingClientRect();
  const scale = from?.scale() ?? 1;
  const x = foreign ? 0 : (tray.left + Math.min(90, tray.width / 2) - at.left) / scale;
  const y = foreign ? AWAY : (tray.top + 30 - at.top) / scale;
  return {
    duration: duration * tempo(),
    easing: (t) => t * t * (3 - 2 * t),
    css: (t, u) => `translate: ${x * u}px ${y * u}px; opacity: ${Math.min(1, t * 4)}`,
  };
}

/** The same for a card that comes with its face up, and is open as soon as it lies. */
export function laid(node: Element, { from }: { from: Origins | undefined }): Flight {
  follow(node, from);
  return dealt(node, { from });
}

/** What was won slides out from the dealer; chips for a double or a split come from their owner. */
export function arrive(node: Element, pile: Pile): TransitionConfig | Flight {
  const { from } = pile;
  if (pile.won) follow(node, from);
  return pile.won ? flown(node, from?.dealer(), from?.scale() ?? 1, CHIP, 0, 0) : slide(node, pile, PUT);
}

/** Chips that were won go home. */
export const leave = (node: Element, pile: Pile): TransitionConfig =>
  pile.won ? slide(node, pile, HOME) : { duration: 0 };

/** Cards that lie are moved from where they were on the screen to where they are now. */
export function shift(cards: readonly (readonly [HTMLElement, DOMRect])[], scale: number): void {
  if (still()) return;
  const frames = cards.map(([card, before]) => {
    const now = card.getBoundingClientRect();
    const x = (before.left + before.width / 2 - now.left - now.width / 2) / scale;
    const y = (before.top + before.height / 2 - now.top - now.height / 2) / scale;
    return { translate: [`${x}px ${y}px`, '0 0'], scale: [String(before.height / now.height), '1'] };
  });
  const timing = { duration: PUT * tempo(), easing: 'cubic-bezier(0.2, 0.7, 0.2, 1)' };
  cards.forEach(([card], k) => card.animate(frames[k]!, timing));
}
