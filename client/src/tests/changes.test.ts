import { describe, expect, test } from 'vitest';
import { PathMissing, applyChanges } from '../wire/changes';
import type { Change } from '../wire/types';

const tree = { a: { b: [1, 2, 3], c: 'x' }, d: { e: { f: 1 } } };

describe('changes', () => {
  test.each<[string, Change[], unknown]>([
    ['set', [[['a', 'c'], 'y']], { a: { b: [1, 2, 3], c: 'y' }, d: { e: { f: 1 } } }],
    ['set in a list', [[['a', 'b', 1], 9]], { a: { b: [1, 9, 3], c: 'x' }, d: { e: { f: 1 } } }],
    ['append', [[['a', 'b', 3], 4]], { a: { b: [1, 2, 3, 4], c: 'x' }, d: { e: { f: 1 } } }],
    ['take from a list, last first', [[['a', 'b', 2]], [['a', 'b', 1]]], { a: { b: [1], c: 'x' }, d: { e: { f: 1 } } }],
    ['take from the middle of a list', [[['a', 'b', 0]]], { a: { b: [2, 3], c: 'x' }, d: { e: { f: 1 } } }],
    ['take from a map', [[['a', 'c']]], { a: { b: [1, 2, 3] }, d: { e: { f: 1 } } }],
    ['set to nothing', [[['a', 'c'], null]], { a: { b: [1, 2, 3], c: null }, d: { e: { f: 1 } } }],
    [
      'new key',
      [
        [['d', 'n'], {}],
        [['d', 'n', 'm'], 1],
      ],
      { a: { b: [1, 2, 3], c: 'x' }, d: { e: { f: 1 }, n: { m: 1 } } },
    ],
    [
      'the whole',
      [
        [[], { z: 1 }],
        [['z'], 2],
      ],
      { z: 2 },
    ],
  ])('%s', (_, changes, result) => {
    const before = structuredClone(tree);
    expect(applyChanges(tree, changes)).toEqual(result);
    expect(tree).toEqual(before);
  });

  test('leaves untouched branches the same objects', () => {
    const after = applyChanges(tree, [[['a', 'c'], 'y']]);
    expect(after.d).toBe(tree.d);
    expect(after.a.b).toBe(tree.a.b);
    expect(after.a).not.toBe(tree.a);
  });

  test.each<Change>([[['a', 'b', 5], 1], [['a', 'b', 3]], [['q', 'r'], 1], [['a', 'c', 'd'], 1], [['nothing']], [[]]])(
    'a path that leads nowhere: %j',
    (...change) => {
      expect(() => applyChanges(tree, [change as Change])).toThrow(PathMissing);
    },
  );
});
