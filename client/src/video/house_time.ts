/**
 * The house's clock in milliseconds, from questions and their answers: half of the way there and back lies between the
 * two clocks, so the quickest answer of the last few says it best.
 */
export class HouseTime {
  static readonly KEPT = 8;
  #answers: { trip: number; offset: number }[] = [];
  readonly #local: () => number;

  constructor(local: () => number = () => performance.timeOrigin + performance.now()) {
    this.#local = local;
  }

  local = (): number => this.#local();

  /** An answer came: when it was asked by the clock here, and what the clock of the house said. */
  heard(sent: number, house: number): void {
    const back = this.#local();
    const answer = { trip: back - sent, offset: house - (sent + back) / 2 };
    this.#answers = [...this.#answers, answer].slice(-HouseTime.KEPT);
  }

  get known(): boolean {
    return this.#answers.length > 0;
  }

  get offset(): number {
    const best = this.#answers.reduce((one, other) => (other.trip < one.trip ? other : one), {
      trip: Infinity,
      offset: 0,
    });
    return best.offset;
  }

  now = (): number => this.#local() + this.offset;
}
