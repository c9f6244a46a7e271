/** Hands an hour at each table, from what the house counted within the last ten minutes of this console. */
const WINDOW = 10 * 60_000;
const LEAST = 30_000;

export class Pace {
  #seen = new Map<string, { at: number; rounds: number }[]>();

  take(now: number, tables: readonly { table: string; rounds: number }[]): void {
    this.#seen = new Map(
      tables.map(({ table, rounds }) => [
        table,
        [...(this.#seen.get(table) ?? []).filter((one) => one.at >= now - WINDOW), { at: now, rounds }],
      ]),
    );
  }

  /** Null until there is half a minute to go by. */
  of(table: string): number | null {
    const held = this.#seen.get(table) ?? [];
    const [first, last] = [held[0], held.at(-1)];
    if (!first || !last || last.at - first.at < LEAST) return null;
    return Math.round(((last.rounds - first.rounds) * 3_600_000) / (last.at - first.at));
  }
}
