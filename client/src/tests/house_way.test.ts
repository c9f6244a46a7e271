import { describe, expect, test } from 'vitest';
import { houseWayRows } from '../table/house_way';
import sheets from '../verifier/sheets.json';

const way = sheets.find((sheet) => sheet.duel.house_way.length)!.duel.house_way;
const rows = houseWayRows(way);
const pairsOf = (total: number, soft = false): readonly string[] =>
  rows.find((row) => row.total === total && row.soft === soft)?.pairs ?? [];

describe('the house way with its cards (D-10)', () => {
  test('is written as the regulation prints it', () => {
    expect(pairsOf(21)).toEqual(['A-10']);
    expect(pairsOf(19)).toEqual(['A-8', '10-9']);
    expect(pairsOf(11)).toEqual(['9-2', '8-3', '7-4', '6-5']);
    expect(pairsOf(18)).toEqual(['A-7', '10-8', '9-9']);
    expect(pairsOf(16, true)).toEqual(['A-5']);
    expect(pairsOf(12, true)).toEqual(['A-A']);
    expect(pairsOf(12)).toEqual(['10-2', '9-3', '8-4', '7-5', '6-6']);
    expect(pairsOf(4)).toEqual(['2-2']);
  });
  test('holds each of the 55 pairs of values once', () => {
    const all = rows.flatMap((row) => row.pairs);
    expect(all).toHaveLength(55);
    expect(new Set(all).size).toBe(55);
  });
});
