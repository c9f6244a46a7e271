import { render, screen } from '@testing-library/svelte';
import { describe, expect, test } from 'vitest';
import RoundStatus from '../table/panels/RoundStatus.svelte';
import type { TableSession } from '../table/session.svelte';
import { announceChanges } from '../table/text';
import { lines, results, resultsMine } from '../pages/parts/samples';
import type { PublicView } from '../wire/types';
import { speak } from '../words/words.svelte';

/** What a table says of a round that is over, to somebody who asks nothing of it. */
function told(open: PublicView): string {
  render(RoundStatus, {
    session: {
      shown: { open, mine: resultsMine },
      calm: false,
      time: null,
      own: [],
      table: undefined,
    } as unknown as TableSession,
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

describe('a betting clock that deal now has shortened (V-38, V-45)', () => {
  const [asking, other] = Object.keys(results.people) as [string, string];
  const betting: PublicView = { ...results, phase: 'betting', deadline: 20_000, span: 15_000, lines: [] };
  const hurried: PublicView = { ...betting, deadline: 4_000, span: 4_000, hurried_by: [asking] };
  const view = (open: PublicView) => ({
    shown: { open, mine: { ...resultsMine, player: other } },
    calm: false,
    time: { deadline: open.deadline ?? 0, span: open.span ?? 1 },
    own: [],
    table: undefined,
  });
  const lineOf = (): string => document.querySelector('.now .text')?.textContent ?? '';

  test.each([
    ['it', 'Carte chieste da', 'il tempo torna intero'],
    ['en', 'Cards asked for by', 'the whole time is back'],
  ] as const)(
    'names who asked, and says when the whole time is back, also where there is little room, %s',
    async (language, short, whole) => {
      speak(language);
      const { rerender } = render(RoundStatus, { session: view(betting) as unknown as TableSession, slim: true });
      expect(lineOf()).toBe('');
      await rerender({ session: view(hurried) as unknown as TableSession });
      expect(lineOf()).toContain(`${short} ${results.people[asking]!.name}`);
      await rerender({ session: view(betting) as unknown as TableSession });
      expect(lineOf()).toContain(whole);
      await rerender({ session: view({ ...betting, phase: 'round' }) as unknown as TableSession });
      await rerender({ session: view(betting) as unknown as TableSession });
      expect(lineOf()).toBe('');
    },
  );

  test('is read aloud once, and whoever joins late hears it too', () => {
    speak('en');
    const heard = (before: PublicView | null, after: PublicView): string =>
      announceChanges(before, after, { ...resultsMine, player: other })
        .map((one) => one.text)
        .join(' ');
    expect(heard(betting, hurried)).toContain('Cards asked for by');
    expect(heard(null, hurried)).toContain('Cards asked for by');
    expect(heard(hurried, { ...hurried, hurried_by: [asking, other] })).toBe('');
    expect(heard(hurried, betting)).toContain('the whole time is back');
    expect(heard(hurried, { ...betting, phase: 'round' })).not.toContain('time');
    expect(
      announceChanges(betting, { ...hurried, hurried_by: [other] }, { ...resultsMine, player: other })[0]?.text,
    ).toBe('You asked for the cards: last moments for bets behind.');
  });
});
