/** A QR code of a text: byte mode, error correction M, versions 1 to 13 (ISO/IEC 18004). Dark modules are true. */
export type Modules = readonly (readonly boolean[])[];

/** Error correction words of each block and number of blocks, by version, at level M. */
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9];
const LEVEL_M = 0;
const MASKS: readonly ((x: number, y: number) => boolean)[] = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

export function qr(text: string): Modules {
  const bytes = [...new TextEncoder().encode(text)];
  const version = CORRECTION.findIndex((_, i) => bytes.length + (i + 1 < 10 ? 2 : 3) <= dataWords(i + 1)) + 1;
  if (!version) throw new RangeError(`${bytes.length} bytes are too many for a code of version ${CORRECTION.length}`);
  const grid = new Grid(version);
  grid.lay(interleaved(packed(bytes, version), version));
  return grid.masked();
}

/** Modules that carry words, eight to a word. */
function allWords(version: number): number {
  const align = version === 1 ? 0 : Math.floor(version / 7) + 2;
  const shapes = version === 1 ? 0 : (25 * align - 10) * align - 55 + (version >= 7 ? 36 : 0);
  return Math.floor(((16 * version + 128) * version + 64 - shapes) / 8);
}

const dataWords = (version: number): number => allWords(version) - CORRECTION[version - 1]! * BLOCKS[version - 1]!;

/** Mode, length, text, an end, and padding up to the last word. */
function packed(bytes: readonly number[], version: number): number[] {
  const bits: number[] = [];
  const put = (value: number, size: number): void => {
    for (let i = size - 1; i >= 0; i -= 1) bits.push((value >> i) & 1);
  };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  for (const one of bytes) put(one, 8);
  put(0, Math.min(4, 8 * dataWords(version) - bits.length));
  while (bits.length % 8) bits.push(0);
  const words = Array.from({ length: bits.length / 8 }, (_, i) =>
    bits.slice(8 * i, 8 * i + 8).reduce((sum, bit) => 2 * sum + bit, 0),
  );
  for (let pad = 0xec; words.length < dataWords(version); pad ^= 0xec ^ 0x11) words.push(pad);
  return words;
}

/** Multiplication in the field of 256 by x^8 + x^4 + x^3 + x^2 + 1. */
function times(a: number, b: number): number {
  let found = 0;
  for (let i = 7; i >= 0; i -= 1) found = (found << 1) ^ ((found >> 7) * 0x11d) ^ (((b >> i) & 1) * a);
  return found;
}

/** Reed-Solomon: what is left of the words after division by (x - 1)(x - 2)(x - 4)… */
function remainder(words: readonly number[], degree: number): number[] {
  const divisor: number[] = [...new Array<number>(degree - 1).fill(0), 1];
  for (let i = 0, power = 1; i < degree; i += 1, power = times(power, 2)) {
    for (let k = 0; k < degree; k += 1) divisor[k] = times(divisor[k]!, power) ^ (divisor[k + 1] ?? 0);
  }
  const left = new Array<number>(degree).fill(0);
  for (const word of words) {
    const factor = word ^ left.shift()!;
    left.push(0);
    for (let k = 0; k < degree; k += 1) left[k] = left[k]! ^ times(divisor[k]!, factor);
  }
  return left;
}

/** Blocks side by side, so that a stain spreads over all of them; the shorter ones come first. */
function interleaved(words: readonly number[], version: number): number[] {
  const [degree, count] = [CORRECTION[version - 1]!, BLOCKS[version - 1]!];
  const [size, longer] = [Math.floor(words.length / count), words.length % count];
  const starts = Array.from({ length: count + 1 }, (_, i) => i * size + Math.max(0, i - (count - longer)));
  const blocks = starts.slice(0, -1).map((start, i) => words.slice(start, starts[i + 1]));
  const checks = blocks.map((block) => remainder(block, degree));
  const woven = (parts: readonly (readonly number[])[], length: number): number[] =>
    Array.from({ length }, (_, i) => parts.flatMap((part) => part[i] ?? [])).flat();
  return [...woven(blocks, size + 1), ...woven(checks, degree)];
}

class Grid {
  readonly #size: number;
  readonly #version: number;
  readonly #dark: boolean[][];
  readonly #fixed: boolean[][];

  constructor(version: number) {
    this.#version = version;
    this.#size = 17 + 4 * version;
    const empty = (): boolean[][] =>
      Array.from({ length: this.#size }, () => new Array<boolean>(this.#size).fill(false));
    [this.#dark, this.#fixed] = [empty(), empty()];
    this.#patterns();
  }

  #set(x: number, y: number, dark: boolean): void {
    if (x < 0 || y < 0 || x >= this.#size || y >= this.#size) return;
    this.#dark[y]![x] = dark;
    this.#fixed[y]![x] = true;
  }

  #patterns(): void {
    const last = this.#size - 1;
    for (let i = 0; i < this.#size; i += 1)
      for (const [x, y] of [
        [6, i],
        [i, 6],
      ] as const)
        this.#set(x, y, i % 2 === 0);
    for (const [cx, cy] of [
      [3, 3],
      [last - 3, 3],
      [3, last - 3],
    ] as const)
      this.#square(cx, cy, 4, (far) => far !== 2 && far !== 4);
    const places = this.#aligned();
    for (const [i, cx] of places.entries()) {
      for (const [k, cy] of places.entries()) {
        const corner =
          (i === 0 && k === 0) || (i === 0 && k === places.length - 1) || (i === places.length - 1 && k === 0);
        if (!corner) this.#square(cx, cy, 2, (far) => far !== 1);
      }
    }
    this.#format(0);
    if (this.#version >= 7) this.#number();
  }

  #square(cx: number, cy: number, reach: number, dark: (far: number) => boolean): void {
    for (let dy = -reach; dy <= reach; dy += 1)
      for (let dx = -reach; dx <= reach; dx += 1)
        this.#set(cx + dx, cy + dy, dark(Math.max(Math.abs(dx), Math.abs(dy))));
  }

  #aligned(): number[] {
    if (this.#version === 1) return [];
    const count = Math.floor(this.#version / 7) + 2;
    const step = Math.ceil((this.#version * 4 + 4) / (count * 2 - 2)) * 2;
    return [6, ...Array.from({ length: count - 1 }, (_, i) => this.#size - 7 - (count - 2 - i) * step)];
  }

  /** Level and mask with their check bits, twice. */
  #format(mask: number): void {
    const data = (LEVEL_M << 3) | mask;
    const bits = ((data << 10) | checked(data, 10, 0x537)) ^ 0x5412;
    const bit = (i: number): boolean => ((bits >> i) & 1) === 1;
    const last = this.#size - 1;
    for (let i = 0; i < 15; i += 1) {
      this.#set(8, i < 6 ? i : i < 8 ? i + 1 : last - 14 + i, bit(i));
      this.#set(i < 8 ? last - i : i < 9 ? 7 : 14 - i, 8, bit(i));
    }
    this.#set(8, last - 7, true);
  }

  #number(): void {
    const bits = (this.#version << 12) | checked(this.#version, 12, 0x1f25);
    for (let i = 0; i < 18; i += 1) {
      const [a, b] = [this.#size - 11 + (i % 3), Math.floor(i / 3)];
      for (const [x, y] of [
        [a, b],
        [b, a],
      ] as const)
        this.#set(x, y, ((bits >> i) & 1) === 1);
    }
  }

  /** The words, two columns at a time from the right, up and down by turns. */
  lay(words: readonly number[]): void {
    let at = 0;
    for (let right = this.#size - 1; right >= 1; right -= 2) {
      if (right === 6) right = 5;
      for (let down = 0; down < this.#size; down += 1) {
        const y = ((right + 1) & 2) === 0 ? this.#size - 1 - down : down;
        for (const x of [right, right - 1]) {
          if (this.#fixed[y]![x]) continue;
          this.#dark[y]![x] = at < 8 * words.length && ((words[at >> 3]! >> (7 - (at & 7))) & 1) === 1;
          at += 1;
        }
      }
    }
  }

  /** The mask under which the code is easiest to read. */
  masked(): Modules {
    const made = MASKS.map((mask, number) => {
      this.#format(number);
      const grid = this.#dark.map((row, y) => row.map((dark, x) => (this.#fixed[y]![x] ? dark : dark !== mask(x, y))));
      return { grid, cost: penalty(grid) };
    });
    return made.reduce((best, one) => (one.cost < best.cost ? one : best)).grid;
  }
}

/** The check bits of a number: what is left of it after division by a polynomial. */
function checked(value: number, degree: number, divisor: number): number {
  let left = value;
  for (let i = 0; i < degree; i += 1) left = (left << 1) ^ ((left >> (degree - 1)) * divisor);
  return left;
}

const FINDER = /(?=0000(?:1011101)|(?:1011101)0000)/g;

function penalty(grid: Modules): number {
  const rows = grid.map((row) => row.map(Number).join(''));
  const columns = grid.map((_, x) => grid.map((row) => Number(row[x])).join(''));
  const runs = [...rows, ...columns]
    .flatMap((line) => line.match(/0{5,}|1{5,}/g) ?? [])
    .reduce((sum, run) => sum + run.length - 2, 0);
  const finders = [...rows, ...columns].reduce((sum, line) => sum + 40 * (line.match(FINDER)?.length ?? 0), 0);
  const blocks = grid
    .slice(1)
    .reduce(
      (sum, row, y) =>
        sum +
        3 *
          row.slice(1).filter((dark, x) => dark === row[x] && dark === grid[y]![x] && dark === grid[y]![x + 1]).length,
      0,
    );
  const dark = rows.join('').replaceAll('0', '').length;
  return runs + finders + blocks + 10 * Math.floor(Math.abs((20 * dark) / grid.length ** 2 - 10));
}
