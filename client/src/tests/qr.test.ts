import { describe, expect, test } from 'vitest';
import { type Modules, qr } from '../pages/account/qr';

/**
 * Reads a code again by the standard's own rules, written apart from the encoder: places by a table, words checked by
 * their syndromes.
 */
const PLACES: Readonly<Record<number, readonly number[]>> = {
  1: [],
  2: [6, 18],
  3: [6, 22],
  4: [6, 26],
  5: [6, 30],
  6: [6, 34],
  7: [6, 22, 38],
  8: [6, 24, 42],
  9: [6, 26, 46],
  10: [6, 28, 50],
  11: [6, 30, 54],
  12: [6, 32, 58],
  13: [6, 34, 62],
};
/** [correction words, [blocks, data words]…] of table 9, level M. */
const LAYOUT: Readonly<Record<number, readonly [number, ...(readonly [number, number])[]]>> = {
  1: [10, [1, 16]],
  2: [16, [1, 28]],
  3: [26, [1, 44]],
  4: [18, [2, 32]],
  5: [24, [2, 43]],
  6: [16, [4, 27]],
  7: [18, [4, 31]],
  8: [22, [2, 38], [2, 39]],
  9: [22, [3, 36], [2, 37]],
  10: [26, [4, 43], [1, 44]],
  11: [30, [1, 50], [4, 51]],
  12: [22, [6, 36], [2, 37]],
  13: [22, [8, 37], [1, 38]],
};
/** Format words of level M by mask, as table C.1 of the standard lists them. */
const FORMATS = [
  '101010000010010',
  '101000100100101',
  '101111001111100',
  '101101101001011',
  '100010111111001',
  '100000011001110',
  '100111110010111',
  '100101010100000',
];
const VERSIONS: Readonly<Record<number, string>> = {
  7: '000111110010010100',
  8: '001000010110111100',
  9: '001001101010011001',
  10: '001010010011010011',
  11: '001011101111110110',
  12: '001100011101100010',
  13: '001101100001000111',
};

const EXP: number[] = [1];
for (let i = 1; i < 255; i += 1) EXP.push(EXP[i - 1]! * 2 > 255 ? (EXP[i - 1]! * 2) ^ 0x11d : EXP[i - 1]! * 2);
const LOG = new Map(EXP.map((value, i) => [value, i]));
const product = (a: number, b: number): number => (a && b ? EXP[(LOG.get(a)! + LOG.get(b)!) % 255]! : 0);

function isFixed(size: number, version: number, x: number, y: number): boolean {
  const near = (cx: number, cy: number, reach: number): boolean =>
    Math.abs(x - cx) <= reach && Math.abs(y - cy) <= reach;
  if (x === 6 || y === 6 || (x <= 8 && y <= 8) || (x >= size - 8 && y <= 8) || (x <= 8 && y >= size - 8)) return true;
  if (version >= 7 && ((x >= size - 11 && y <= 5) || (y >= size - 11 && x <= 5))) return true;
  const places = PLACES[version]!;
  const end = places.at(-1);
  return places.some((cx) =>
    places.some(
      (cy) => !((cx === 6 && cy === 6) || (cx === 6 && cy === end) || (cx === end && cy === 6)) && near(cx, cy, 2),
    ),
  );
}

function readAgain(grid: Modules): string {
  const size = grid.length;
  const version = (size - 17) / 4;
  const format = [
    [0, 8],
    [1, 8],
    [2, 8],
    [3, 8],
    [4, 8],
    [5, 8],
    [7, 8],
    [8, 8],
    [8, 7],
    [8, 5],
    [8, 4],
    [8, 3],
    [8, 2],
    [8, 1],
    [8, 0],
  ]
    .map(([x, y]) => Number(grid[y!]![x!]))
    .join('');
  const second = [
    ...Array.from({ length: 7 }, (_, i) => [8, size - 1 - i]),
    ...Array.from({ length: 8 }, (_, i) => [size - 8 + i, 8]),
  ]
    .map(([x, y]) => Number(grid[y!]![x!]))
    .join('');
  expect(second).toBe(format);
  const mask = FORMATS.indexOf(format);
  expect(mask).toBeGreaterThanOrEqual(0);
  if (version >= 7)
    expect(
      Array.from({ length: 18 }, (_, i) => Number(grid[Math.floor((17 - i) / 3)]![size - 11 + ((17 - i) % 3)])).join(
        '',
      ),
    ).toBe(VERSIONS[version]);
  const turned = [
    (i: number, j: number) => (i + j) % 2,
    (i: number) => i % 2,
    (_: number, j: number) => j % 3,
    (i: number, j: number) => (i + j) % 3,
    (i: number, j: number) => ((i >> 1) + Math.floor(j / 3)) % 2,
    (i: number, j: number) => ((i * j) % 2) + ((i * j) % 3),
    (i: number, j: number) => (((i * j) % 2) + ((i * j) % 3)) % 2,
    (i: number, j: number) => (((i + j) % 2) + ((i * j) % 3)) % 2,
  ][mask]!;
  const bits: number[] = [];
  let up = true;
  for (let right = size - 1; right > 0; right -= 2, up = !up) {
    if (right === 6) right -= 1;
    for (let k = 0; k < size; k += 1) {
      const y = up ? size - 1 - k : k;
      for (const x of [right, right - 1])
        if (!isFixed(size, version, x, y)) bits.push(Number(grid[y]![x]) ^ (turned(y, x) === 0 ? 1 : 0));
    }
  }
  const words = Array.from({ length: Math.floor(bits.length / 8) }, (_, i) =>
    Number.parseInt(bits.slice(8 * i, 8 * i + 8).join(''), 2),
  );
  return text(words, version);
}

function text(words: number[], version: number): string {
  const [degree, ...groups] = LAYOUT[version]!;
  const sizes = groups.flatMap(([count, size]) => Array.from({ length: count }, () => size));
  const blocks = sizes.map(() => [] as number[]);
  let at = 0;
  for (let i = 0; i < Math.max(...sizes); i += 1)
    for (const [k, size] of sizes.entries()) if (i < size) blocks[k]!.push(words[at++]!);
  for (let i = 0; i < degree; i += 1) for (const block of blocks) block.push(words[at++]!);
  for (const block of blocks) {
    for (let i = 0; i < degree; i += 1) expect(block.reduce((sum, word) => product(sum, EXP[i]!) ^ word, 0)).toBe(0);
  }
  const bits = blocks
    .flatMap((block, k) => block.slice(0, sizes[k]))
    .map((word) => word.toString(2).padStart(8, '0'))
    .join('');
  expect(bits.slice(0, 4)).toBe('0100');
  const wide = version < 10 ? 8 : 16;
  const length = Number.parseInt(bits.slice(4, 4 + wide), 2);
  const bytes = Array.from({ length }, (_, i) => Number.parseInt(bits.slice(4 + wide + 8 * i, 12 + wide + 8 * i), 2));
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

describe('a QR code', () => {
  test.each([1, 14, 15, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331])(
    'of %i bytes is read again, every word of it in order',
    (length) => {
      const written = Array.from({ length }, (_, i) => String.fromCharCode(33 + ((i * 37 + length) % 90))).join('');
      expect(readAgain(qr(written))).toBe(written);
    },
  );

  test('uses the smallest version that holds the text', () => {
    expect(qr('x'.repeat(14)).length).toBe(21);
    expect(qr('x'.repeat(15)).length).toBe(25);
    expect(qr('x'.repeat(331)).length).toBe(69);
    expect(() => qr('x'.repeat(332))).toThrow(RangeError);
  });

  test('of an address of a second factor, with letters beyond ASCII', () => {
    const uri =
      'otpauth://totp/Ventuno:Niccol\u00f2?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' +
      '&issuer=Ventuno&algorithm=SHA1&digits=6&period=30';
    expect(readAgain(qr(uri))).toBe(uri);
  });

  test('with one module turned is found out', () => {
    const grid = qr('otpauth://totp/Ventuno').map((row) => [...row]);
    grid[grid.length - 1]![grid.length - 1] = !grid[grid.length - 1]![grid.length - 1];
    expect(() => readAgain(grid)).toThrow();
  });
});
