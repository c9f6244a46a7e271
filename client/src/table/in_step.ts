import type { PublicView } from '../wire/types';

/** Longer than this, in milliseconds, no card is kept back: who watches so late a stream plays by the felt. */
export const LONGEST_WAIT = 2_500;

const countCards = ({ dealer, boxes, studio }: PublicView & { studio?: { out: number } | null }): number =>
  dealer.cards.length * 100 +
  dealer.face_down +
  dealer.community.length +
  (studio?.out ?? 0) * 10_000 +
  boxes.reduce((sum, box) => sum + box.face_down + box.hands.reduce((all, hand) => all + hand.cards.length, 0), 0);

/**
 * How long a state waits before it is shown, so that a card lies on the felt when it is seen in the picture: as long as
 * the stream is late, less what has passed since the house told it. Only a card waits, and never without a stream.
 */
export function holdFor(before: PublicView | null, after: PublicView, delay: number, age: number): number {
  if (!before || delay <= 0 || delay > LONGEST_WAIT || !after.studio) return 0;
  if (before.code !== after.code || countCards(before) === countCards(after)) return 0;
  return Math.max(0, delay - Math.max(0, age));
}

/** States in their order, each shown when its time has come; what comes after one that waits, waits behind it. */
export class InStep<T> {
  #waiting: { state: T; due: number }[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #show: (state: T) => void;

  constructor(show: (state: T) => void) {
    this.#show = show;
  }

  push(state: T, wait: number): void {
    if (!wait && !this.#waiting.length) return this.#show(state);
    this.#waiting.push({ state, due: performance.now() + wait });
    this.#wait();
  }

  /** All of it now: somebody came back, or looks no more. */
  flush(): void {
    clearTimeout(this.#timer);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { state } of waiting) this.#show(state);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#waiting = [];
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const first = this.#waiting[0];
    if (!first) return;
    this.#timer = setTimeout(
      () => {
        this.#waiting.shift();
        this.#show(first.state);
        this.#wait();
      },
      Math.max(0, first.due - performance.now()),
    );
  }
}
