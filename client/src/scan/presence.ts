/**
 * Which codes are in the picture. A code is told when it comes into it, and told again only after it left: a card that
 * lies under the camera is one scan, however long it lies.
 */
export class Presence {
  /** When each code was seen last. */
  #seen = new Map<string, number>();

  /** `gone`: milliseconds without a code until it counts as taken away. A hand over a card hides it for less. */
  constructor(readonly gone = 800) {}

  /** What came into the picture with this frame. */
  see(texts: readonly string[], now: number): string[] {
    for (const [text, last] of this.#seen) if (now - last > this.gone) this.#seen.delete(text);
    const fresh = [...new Set(texts)].filter((text) => !this.#seen.has(text));
    for (const text of texts) this.#seen.set(text, now);
    return fresh;
  }
}
