import { render, screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import RoundStatus from '../table/panels/RoundStatus.svelte';
import type { TableSession } from '../table/session.svelte';
import { lines, results, resultsMine } from '../pages/parts/samples';
import type { PublicView } from '../wire/types';
import { speak } from '../words/words.svelte';

/** What a table says of a round that is over, to somebody who asks nothing of it. */
function told(open: PublicView): string {
  render(RoundStatus, {
    session: { shown: { open, mine: resultsMine }, time: null, own: [], table: undefined } as unknown as TableSession,
  });
  return document.querySelector('.now .display')?.textContent ?? '';
}

describe('the end of a round', () => {
  test.each([
    ['it', 'La mano è annullata'],
    ['en', 'The round is void'],
  ] as const)('a voided one was not paid (V-77), %s', (language, words) => {
    speak(language);
    expect(told({ ...results, lines: [] })).toBe(words);
    expect(screen.queryByText(/pagata|paid/)).toBeNull();
  });

  test.each([
    ['it', 'La mano è pagata'],
    ['en', 'The round is paid'],
  ] as const)('one of others was, %s', (language, words) => {
    speak(language);
    expect(told({ ...results, lines: lines.map((line) => ({ ...line, player: 'somebody else' })) })).toBe(words);
  });
});
