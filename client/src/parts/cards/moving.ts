/** A card on its way, or one that is turned. */
interface Move {
  /** The number of the card it began with. */
  card: number;
  hurry: () => void;
  /** What moves: once it is gone from the page nobody waits for it. */
  node: Node | undefined;
}

/**
 * What moves on one table now: cards from the shoe and cards that are turned, chips from the dealer. Whoever shows what
 * hangs on a card asks here whether that card lies open, because an animation may lag behind every clock.
 */
export class MovingCards {
  /** How many cards were laid so far. What begins to move belongs to the last of them. */
  laid = 0;
  /** What changes now is drawn as it will lie: nothing of it moves. */
  cuts = false;
  readonly #moves = new Set<Move>();
  #asked: { card: number; then: () => void } | null = null;

  /** `hurry` brings it to its end at once. Whoever began calls what is given back when it has ended, however it did. */
  begin(hurry: () => void, node?: Node): () => void {
    const move = { card: this.laid, hurry, node };
    this.#moves.add(move);
    return () => {
      if (this.#moves.delete(move)) queueMicrotask(() => this.#answer());
    };
  }

  /** Whether all that began with the first so many cards has come to rest. */
  areStill(card: number): boolean {
    return ![...this.#moves].some((one) => one.card <= card && one.node?.isConnected !== false);
  }

  /** Told once they are. There is one who asks: a later question takes the place of the last. */
  whenStill(card: number, then: () => void): void {
    this.#asked = { card, then };
  }

  forget(): void {
    this.#asked = null;
  }

  /** All lies where it belongs, now. */
  cut(): void {
    this.cuts = true;
    for (const one of this.#moves) one.hurry();
  }

  #answer(): void {
    const asked = this.#asked;
    if (!asked || !this.areStill(asked.card)) return;
    this.#asked = null;
    asked.then();
  }
}
