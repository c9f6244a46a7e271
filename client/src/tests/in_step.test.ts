import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { holdFor, InStep, LONGEST_WAIT } from '../table/in_step';
import type { PublicView } from '../wire/types';

const table = (cards: number, more: object = {}): PublicView =>
  ({
    code: 'T1-1',
    boxes: [],
    dealer: { cards: Array.from({ length: cards }, () => '2S'), face_down: 0, community: [] },
    studio: { out: cards },
    ...more,
  }) as unknown as PublicView;

describe('a card waits until it is seen in the picture', () => {
  test('as long as the stream is late, less what has passed already', () => {
    expect(holdFor(table(1), table(2), 350, 50)).toBe(300);
    expect(holdFor(table(1), table(2), 350, 400)).toBe(0);
    expect(holdFor(table(1), table(2), 350, -20)).toBe(350);
  });

  test.each<[string, PublicView | null, PublicView, number]>([
    ['without a stream', table(1), table(2), 0],
    ['a sealed shoe', table(1), table(2, { studio: null }), 350],
    ['nothing but a decision', table(2), table(2), 350],
    ['the first state', null, table(2), 350],
    ['another round', table(2, { code: 'T1-0' }), table(0), 350],
    ['a stream that is hopelessly late', table(1), table(2), LONGEST_WAIT + 1],
  ])('but not %s', (_, before, after, delay) => expect(holdFor(before, after, delay, 0)).toBe(0));

  test('a card that was taken back waits too: it is seen to go', () => {
    expect(holdFor(table(2), table(1), 350, 0)).toBe(350);
  });
});

describe('states in step', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  test('keep their order, whatever waits', () => {
    const shown: string[] = [];
    const steps = new InStep<string>((state) => shown.push(state));
    steps.push('bet', 0);
    steps.push('card', 300);
    steps.push('decision', 0);
    expect(shown).toEqual(['bet']);
    vi.advanceTimersByTime(299);
    expect(shown).toEqual(['bet']);
    vi.advanceTimersByTime(2);
    expect(shown).toEqual(['bet', 'card', 'decision']);
  });

  test('are all shown when nobody can wait', () => {
    const shown: string[] = [];
    const steps = new InStep<string>((state) => shown.push(state));
    steps.push('card', 300);
    steps.push('card 2', 300);
    steps.flush();
    expect(shown).toEqual(['card', 'card 2']);
    vi.advanceTimersByTime(1_000);
    expect(shown).toHaveLength(2);
  });
});
