/**
 * The house's clock, as far as it can be told from here. A frame that left at `now` arrives a little later, so each
 * sighting says at least how far the house is ahead; the largest of the last few is the best.
 */
export class HouseClock {
  static readonly KEPT = 12;
  #sightings: number[] = [];
  readonly #local: () => number;

  constructor(local: () => number = () => performance.timeOrigin + performance.now()) {
    this.#local = local;
  }

  seen(now: number): void {
    this.#sightings = [...this.#sightings, now - this.#local()].slice(-HouseClock.KEPT);
  }

  get offset(): number {
    return this.#sightings.length ? Math.max(...this.#sightings) : 0;
  }

  now = (): number => this.#local() + this.offset;
}
