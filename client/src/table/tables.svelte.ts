import { house } from '../wire/house.svelte';
import { router } from '../router.svelte';

/** As many tables as one window holds (V-90). */
export const MOST = 4;
const [WIDE, HIGH, BAR] = [740, 400, 44];
const beside = (width: number): number => Math.max(1, Math.floor(width / WIDE));
/** How many tables can be read at once in a window of this size. */
export const countFitting = (width: number, height: number): number =>
  Math.max(1, Math.min(MOST, beside(width) * Math.floor((height - BAR) / HIGH)));
/** In how many columns so many of them lie: as even as the width allows. */
export const countColumns = (width: number, height: number, count: number): number => {
  const rows = Math.max(
    1,
    Math.min(Math.floor((height - BAR) / HIGH), Math.ceil(count / Math.min(count, beside(width)))),
  );
  return Math.ceil(count / rows);
};
const PATH = /^\/table\/([^/]+)$/;

/** The tables an address names: `/table/A?and=B&and=C`. */
export function tableNames(path: string, query: URLSearchParams): string[] {
  const found = PATH.exec(path);
  return found ? [...new Set([decodeURIComponent(found[1]!), ...query.getAll('and')])].slice(0, MOST) : [];
}

export function address(names: readonly string[]): string {
  const [first, ...more] = names;
  if (first === undefined) return '/';
  const query = new URLSearchParams(more.map((name) => ['and', name]));
  return `/table/${encodeURIComponent(first)}${more.length ? `?${query}` : ''}`;
}

/**
 * The tables this window plays at. They stay while one looks at another page; a table is left when it is closed with
 * its X, or when another is picked in its place (V-83, V-87, V-89).
 */
class Rooms {
  names = $state.raw<readonly string[]>([]);

  /** These and no others: the rest is left. */
  keep(names: readonly string[]): void {
    const left = this.names.filter((name) => !names.includes(name));
    this.names = names;
    for (const name of names) house.watch(name);
    for (const name of left) this.#leave(name);
  }

  go(names: readonly string[]): void {
    router.go(address(names));
  }

  /** Up from the seats, and when nothing of one's own is in play any more the money goes home. */
  #leave(name: string): void {
    const table = house.tables.get(name);
    const player = table?.mine?.player;
    const boxes =
      table?.public?.seats.filter((seat) => seat.player === player && !seat.leaving).map((seat) => seat.box) ?? [];
    for (const box of boxes) void house.ask(name, { do: 'stand-up', box });
    const end = $effect.root(() => {
      $effect(() => {
        const [open, mine] = [table?.public, table?.mine];
        if (this.names.includes(name)) return end();
        if (
          table &&
          open &&
          mine &&
          (mine.staked > 0 || open.seats.some((seat) => seat.player === player) || table.pending.length)
        )
          return;
        end();
        void this.#home(name, open?.practice ? 0 : (mine?.balance ?? 0));
      });
    });
  }

  async #home(name: string, amount: number): Promise<void> {
    if (amount > 0) await house.ask(name, { do: 'take', amount });
    if (!this.names.includes(name)) house.unwatch(name);
  }
}

export const openTables = new Rooms();

/** Tables for one that somebody left of his own will: the lobby leads back to others, not to these (D-23, D-24). */
export const leftTables = new Set<string>();
