import { afterEach, expect, test, vi } from 'vitest';
import { tableKeys } from '../table/hotkeys';
import type { TableSession } from '../table/session.svelte';
import { speak } from '../words/words.svelte';

const explain = vi.fn();
let stop = (): void => {};

/** Somebody before a table whose bets cannot be repeated now. */
function listenAt(solo: boolean, phase: string): void {
  const reasons = [{ code: 'WrongPhase', numbers: { phase: 'shuffling' } }];
  const session = {
    rules: { solo, duel: solo ? { qualify: 13 } : null },
    shown: { open: { phase }, mine: { chips: [], options: { betting: { repeat: { price: null, reasons } } } } },
    question: null,
    explain,
    press: vi.fn(),
  } as unknown as TableSession;
  stop = tableKeys(document, { session: () => session, press: () => {}, busy: () => false });
}
const space = (): boolean =>
  document.body.dispatchEvent(
    new KeyboardEvent('keydown', { key: ' ', code: 'Space', bubbles: true, cancelable: true }),
  );

afterEach(() => {
  stop();
  explain.mockClear();
});

test('D-21: SPACE that comes while the cards are shuffled says why nothing happens', () => {
  speak('it');
  listenAt(true, 'betting');
  space();
  expect(explain).toHaveBeenCalledExactlyOnceWith([expect.stringMatching(/mescola/i)]);
});

test.each([
  ['with others at the table', false, 'betting'],
  ['while a hand is played', true, 'round'],
] as const)('a stray SPACE %s says nothing', (_, solo, phase) => {
  listenAt(solo, phase);
  space();
  expect(explain).not.toHaveBeenCalled();
});
