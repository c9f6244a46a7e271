import { describe, expect, test } from 'vitest';
import { routeOf, hasPage } from '../routes';
import { parseCents } from '../table/amounts';
import { tablePath } from '../pages/lobby/paths';
import type { GameLine } from '../wire/types';

describe('an amount as it is written', () => {
  test.each([
    ['50', 5_000],
    ['12,50', 1_250],
    ['12.5', 1_250],
    ['0,01', 1],
    ['€ 1.250', 125_000],
    ['1.250,75', 125_075],
    ['1,250.75', 125_075],
    ['1\u00a0000', 100_000],
    ['999999999', 99_999_999_900],
  ])('%s', (text, amount) => {
    expect(parseCents(text)).toBe(amount);
  });

  test.each(['', 'dodici', '-5', '1,234,5', '12,345,', '1e3', '0x10', '1.25.0', '9999999999'])('%s is none', (text) => {
    expect(parseCents(text)).toBeNull();
  });

  test('three digits after a point are thousands, as both languages write them', () => {
    expect(parseCents('5,001')).toBe(500_100);
  });
});

describe('an address', () => {
  test('leads to its page with what follows', () => {
    expect(routeOf('/history/AUR-151126-20%3A14%3A37')).toMatchObject({
      name: 'history',
      at: 'AUR-151126-20:14:37',
      open: false,
    });
    expect(routeOf('/')).toMatchObject({ name: '', at: '' });
    expect(routeOf('/help/')).toMatchObject({ name: 'help', at: '', open: true });
  });

  test('of nowhere leads nowhere, and breaks nothing', () => {
    expect(routeOf('/nowhere')).toBeNull();
    expect(routeOf('/constructor')).toBeNull();
    expect(routeOf('/help/%E0%A4%A')).toMatchObject({ at: '%E0%A4%A' });
    expect(hasPage('__proto__')).toBe(false);
  });

  test('of a table depends on whether its game is for one', () => {
    const line = (game: string, solo: boolean): GameLine => ({
      game,
      name: game,
      sheet: '',
      solo,
      certified: false,
      least: 1,
      most: 2,
      looks: { order: 1, cards: [], tone: '', hand: '', start: '', balance: '', amounts: '', names: {} },
    });
    const games = [line('shared', false), line('alone', true)];
    expect(tablePath({ table: 'Uno 1', game: 'shared', practice: true }, { games })).toBe('/table/Uno%201');
    expect(tablePath({ table: 'alone-4', game: 'alone', practice: false }, { games })).toBe('/solo/alone');
    expect(tablePath({ table: 'practice 7', game: 'alone', practice: true }, { games })).toBe(
      '/solo/alone?table=practice%207',
    );
  });
});
