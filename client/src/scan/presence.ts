/**
 * Which codes are in the picture. A code is told when it comes into it, and told again only after it left: a card that
 * lies under the camera is one scan, however long it lies.
 */
export class Presence {
  /** When each code was seen last, and how many frames without it were looked at since. */
  #seen = new Map<string, { last: number; missed: number }>();

  /**
   * A code counts as taken away after `gone` milliseconds without it, in which at least `frames` were looked at: a hand
   * over a card hides it for less, and a slow device looks seldom.
   */
  constructor(
    readonly gone = 800,
    readonly frames = 3,
  ) {}

  /** What came into the picture with this frame. */
  see(texts: readonly string[], now: number): string[] {
    const fresh: string[] = [];
    for (const [text, { last, missed }] of this.#seen) {
      if (missed >= this.frames && now - last > this.gone) this.#seen.delete(text);
    }
    for (const text of new Set(texts)) {
      if (!this.#seen.has(text)) fresh.push(text);
      this.#seen.set(text, { last: now, missed: -1 });
    }
    for (const entry of this.#seen.values()) entry.missed++;
    return fresh;
  }
}
