import { describe, expect, test } from 'vitest';
import rounds from '../../../tests/house/vectors/rounds.json';
import type { Json } from '../verifier/canonical';
import type { Bet } from '../verifier/shoe_document';
import { Forbidden } from '../verifier/replay';
import { readScenario } from '../verifier/scenario';
import { settle } from '../verifier/settle';
import { known } from '../verifier/sheet';

interface Case {
  scenario: Json;
  expect?: { bets?: Partial<Bet>[]; unused_cards?: number };
  refused?: { code: string };
  malformed?: boolean;
}
const files = import.meta.glob<Case>(
  ['../../../tests/scenarios/*/*.json', '!../../../tests/scenarios/*/*.table.json'],
  { import: 'default', eager: true },
);
const all = Object.entries(files).map(([path, one]) => [path.split('/').slice(-2).join('/'), one] as const);
const settled = all.filter(([, one]) => one.expect);
const sheets = new Map((await known()).map(({ sheet }) => [sheet.game.id, sheet]));

/** Minima and maxima are a table's own, which supervisors may change: a sheet cannot tell whether they were kept. */
const LIMITS = new Set(['BelowMinimum', 'LimitReached']);

function outcome(scenario: Json): { bets: readonly Bet[]; unused: number } | 'refused' {
  const read = readScenario(scenario, 'scenario', [...sheets.keys()]);
  try {
    return settle(sheets.get(read.game)!, read);
  } catch (no) {
    if (no instanceof Forbidden) return 'refused';
    throw no;
  }
}

describe('rounds at random, settled by the core', () => {
  const drawn = rounds as unknown as { scenario: Json; bets: Bet[] | null }[];

  test('are of every game, some of them forbidden', () => {
    expect(drawn.length).toBeGreaterThan(200);
    expect(drawn.filter((one) => one.bets === null).length).toBeGreaterThan(20);
    expect(new Set(drawn.map((one) => (one.scenario as { game: string }).game)).size).toBe(5);
  });

  test('give the same lines in the same order, or are refused', () => {
    for (const { scenario, bets } of drawn)
      expect(outcome(scenario)).toEqual(bets === null ? 'refused' : { bets, unused: 0 });
  });

  test('with one cent more are found out', () => {
    const { scenario, bets } = drawn.find((one) => one.bets !== null)!;
    const [first, ...rest] = bets!;
    expect(outcome(scenario)).not.toEqual({ bets: [{ ...first!, returned: first!.returned + 1 }, ...rest], unused: 0 });
  });
});

describe('rounds worked out by hand from the rules, the same files as in Python', () => {
  test('are there', () => {
    expect(settled.length).toBeGreaterThan(400);
    expect(new Set(settled.map(([name]) => name.split('/')[0])).size).toBe(5);
  });

  test.each(settled)('%s', (_, { scenario, expect: due }) => {
    const found = outcome(scenario);
    if (found === 'refused') throw new Error('refused');
    if (due!.unused_cards !== undefined) expect(found.unused).toBe(due!.unused_cards);
    if (!due!.bets) return;
    expect(found.bets.length).toBe(due!.bets.length);
    for (const one of due!.bets) expect(found.bets).toContainEqual(expect.objectContaining(one));
  });

  test.each(all.filter(([, one]) => one.refused && !LIMITS.has(one.refused.code)))('refuses %s', (_, { scenario }) => {
    expect(outcome(scenario)).toBe('refused');
  });
});
