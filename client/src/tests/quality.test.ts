import { afterEach, describe, expect, test, vi } from 'vitest';
import { applyQuality, measureQuality } from '../wire/quality.svelte';

const steady = (milliseconds: number, count = 90): number[] => Array.from({ length: count }, () => milliseconds);

describe('the quality of the picture (V-72, reading 14)', () => {
  afterEach(() => vi.unstubAllGlobals());

  test.each([
    [16, 'high'],
    [22, 'high'],
    [23, 'medium'],
    [34, 'medium'],
    [35, 'low'],
  ])('frames of %d ms are drawn %s', (milliseconds, quality) => {
    expect(measureQuality(steady(milliseconds))).toBe(quality);
  });

  test('a few slow frames change nothing, a tenth of them does', () => {
    expect(measureQuality([...steady(16, 91), ...steady(80, 9)])).toBe('high');
    expect(measureQuality([...steady(16, 90), ...steady(80, 10)])).toBe('low');
  });

  /** A screen that gives a frame every so many milliseconds, when it is told to. */
  function screen(): (milliseconds: number, count: number) => void {
    let [waiting, now]: [FrameRequestCallback | null, number] = [null, 1_000];
    vi.stubGlobal('requestAnimationFrame', (call: FrameRequestCallback) => ((waiting = call), 1));
    vi.stubGlobal('cancelAnimationFrame', () => (waiting = null));
    return (milliseconds, count) => {
      for (let frame = 0; frame < count && waiting; frame += 1) {
        const call: FrameRequestCallback = waiting;
        waiting = null;
        call((now += milliseconds));
      }
    };
  }

  test('automatic begins rich and follows what is measured', () => {
    const [root, pass] = [document.createElement('div'), screen()];
    applyQuality('auto', root);
    expect(root.dataset['quality']).toBe('high');
    pass(40, 200);
    expect(root.dataset['quality']).toBe('low');
  });

  test('a choice of one\u2019s own is not measured', () => {
    const [root, pass] = [document.createElement('div'), screen()];
    applyQuality('medium', root);
    pass(80, 200);
    expect(root.dataset['quality']).toBe('medium');
  });

  test('who leaves the table is not looked at any more', () => {
    const [root, pass] = [document.createElement('div'), screen()];
    applyQuality('auto', root)();
    pass(80, 200);
    expect(root.dataset['quality']).toBe('high');
  });
});
