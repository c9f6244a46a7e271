import type { Change, Path } from './types';

/** A path that leads nowhere in the tree at hand: the client has lost the thread and must join again. */
export class PathMissing extends Error {}

/**
 * The tree with these changes, one after the other: `[path, value]` sets what lies at a path, `[path]` takes it away;
 * an index one past the end of a list appends. Untouched branches stay the same objects, so that nothing is drawn anew
 * that did not change.
 */
export function applyChanges<T>(tree: T, changes: readonly Change[]): T {
  return changes.reduce<unknown>(
    (held, change) => applyChange(held, change[0], change.length === 2, change[1]),
    tree,
  ) as T;
}

function applyChange(tree: unknown, path: Path, sets: boolean, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) {
    if (!sets) throw new PathMissing('the root cannot be taken away');
    return value;
  }
  if (Array.isArray(tree)) return changeList(tree, step, rest, sets, value);
  if (typeof tree === 'object' && tree !== null)
    return changeMap(tree as Record<string, unknown>, String(step), rest, sets, value);
  throw new PathMissing(`nothing lies at ${String(step)}`);
}

function changeList(
  list: readonly unknown[],
  step: string | number,
  rest: Path,
  sets: boolean,
  value: unknown,
): unknown[] {
  const appends = sets && !rest.length && step === list.length;
  if (typeof step !== 'number' || step < 0 || (step >= list.length && !appends))
    throw new PathMissing(`a list of ${list.length} has no ${String(step)}`);
  if (!rest.length && !sets) return list.toSpliced(step, 1);
  return appends ? [...list, value] : list.with(step, applyChange(list[step], rest, sets, value));
}

function changeMap(
  map: Readonly<Record<string, unknown>>,
  step: string,
  rest: Path,
  sets: boolean,
  value: unknown,
): Record<string, unknown> {
  if (!rest.length && !sets) {
    if (!Object.hasOwn(map, step)) throw new PathMissing(`there is no ${step}`);
    return Object.fromEntries(Object.entries(map).filter(([name]) => name !== step));
  }
  if (rest.length && !Object.hasOwn(map, step)) throw new PathMissing(`there is no ${step}`);
  return { ...map, [step]: applyChange(map[step], rest, sets, value) };
}
