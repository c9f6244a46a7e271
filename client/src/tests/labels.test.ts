import { describe, expect, test } from 'vitest';
import type { Reason } from '../wire/types';
import { labelled } from '../words/why';
import { LANGUAGES, speak } from '../words/words.svelte';

/** Whatever closes a decision, with the largest amounts of the house. */
const rule = (reason: string): Reason => ({ code: 'ActionNotAllowed', numbers: { reason, most: 4 } }) as Reason;
const REASONS: Reason[] = [
  ...['first-two-cards', 'after-split', 'not-offered', 'no-double-after-split', 'only-9-11', 'only-10-11'].map(rule),
  ...['equal-value', 'equal-rank', 'hands-at-most', 'split-aces', 'no-early', 'turn-came', 'hand-over'].map(rule),
  ...['only-blackjack', 'insurance-asked', 'even-money-instead', 'not-asked'].map(rule),
  { code: 'FundsMissing', numbers: { needed: 125_000, available: 99_900 } },
  { code: 'RoundCapReached', numbers: { cap: 100_000, total: 125_000 } },
  { code: 'LimitReached', numbers: { maximum: 100_000 } },
  { code: 'Offline', numbers: {} },
] as Reason[];
/** Letters that have room in a line of a button on the narrowest phone; there are two lines. */
const LINE = 13;

/** How many lines a text takes, broken at its blanks. */
const lines = (text: string): number =>
  text.split(' ').reduce<string[]>((all, word) => {
    const longer = `${all.at(-1) ?? ''} ${word}`.trim();
    return longer.length <= LINE && all.length ? [...all.slice(0, -1), longer] : [...all, word];
  }, []).length;

describe('why a key is closed, in two lines on the key', () => {
  test.each(LANGUAGES)('V-55, X-19: every reason, %s', (language) => {
    speak(language);
    const long = REASONS.map(labelled).filter(
      (text) => lines(text) > 2 || text.split(' ').some((word) => word.length > LINE),
    );
    expect(long).toEqual([]);
    expect(lines('niente raddoppio dopo una divisione'), 'a long one is seen').toBeGreaterThan(2);
  });
});
