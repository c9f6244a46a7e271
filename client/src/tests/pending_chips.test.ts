import { describe, expect, test } from 'vitest';
import { PendingChips } from '../table/asked';
import { spotName } from '../table/boxes';
import type { Doing, SpotOption } from '../wire/types';

const bet = (amount: number, box = 4): Doing => ({
  do: 'bet',
  spots: [{ box, bet: 'main' }],
  amount,
  exact: false,
});
const lies = (amount: number): { box: number; bet: string; amount: number }[] => [{ box: 4, bet: 'main', amount }];
const takes = (price: number): SpotOption[] => [{ box: 4, bet: 'main', price, reasons: [] }];
const MAIN = spotName(4, 'main');

describe('chips on their way', () => {
  test('are drawn at once, and not a second time when the house shows them before it answers', () => {
    const chips = new PendingChips();
    const one = bet(100);
    chips.note(one, [], lies(500));
    expect(chips.missing([one], lies(500), takes(5_000)).get(MAIN)).toBe(100);
    expect([...chips.missing([one], lies(600), takes(5_000))]).toEqual([]);
    expect([...chips.missing([], lies(600), takes(5_000))]).toEqual([]);
  });

  test('pressed quickly, each counts over the ones before, whichever are answered', () => {
    const chips = new PendingChips();
    const [one, two] = [bet(100), bet(100)];
    chips.note(one, [], []);
    chips.note(two, [one], []);
    expect(chips.missing([one, two], [], takes(5_000)).get(MAIN)).toBe(200);
    expect(chips.missing([one, two], lies(100), takes(5_000)).get(MAIN)).toBe(100);
    expect(chips.missing([two], lies(100), takes(5_000)).get(MAIN)).toBe(100);
    expect([...chips.missing([two], lies(200), takes(5_000))]).toEqual([]);
  });

  test('are never more than the spot still takes', () => {
    const chips = new PendingChips();
    const one = bet(2_500);
    chips.note(one, [], []);
    expect(chips.missing([one], [], takes(1_000)).get(MAIN)).toBe(1_000);
    expect([...chips.missing([one], [], [])]).toEqual([]);
  });
});
