import { render, screen } from '@testing-library/svelte';
import { beforeEach, expect, test, vi } from 'vitest';
import CountingAmount from '../parts/frame/CountingAmount.svelte';
import Dealer from '../parts/table/Dealer.svelte';
import MiniBox from '../parts/table/MiniBox.svelte';
import PastRounds from '../parts/table/PastRounds.svelte';
import Hero from '../pages/lobby/Hero.svelte';
import { mine, results, round } from '../pages/parts/samples';
import { boxesShown, focusBox } from '../table/boxes';
import { rememberRound, REMEMBERED, shareDealt, type PastRound } from '../table/past';
import { RevealQueue } from '../table/queue.svelte';
import type { LobbyResponse, MeResponse, PublicView } from '../wire/types';
import { reading, speak } from '../words/words.svelte';

beforeEach(() => speak('it'));

const paid = (code: string, cards: string[], total: string): PublicView => ({
  ...results,
  code,
  dealer: { cards, face_down: 0, total, totals: [total], community: [] },
});

test('the last ten rounds are remembered once each, and only when they are paid', () => {
  let past: readonly PastRound[] = [];
  past = rememberRound(past, { ...paid('a', ['TS', 'TC'], '20'), phase: 'round' });
  past = rememberRound(past, { ...paid('a', ['TS'], '10'), dealer: { ...results.dealer, face_down: 1 } });
  expect(past).toEqual([]);
  past = rememberRound(past, paid('a', ['AS', 'TC'], '21'));
  past = rememberRound(past, paid('a', ['AS', 'TC'], '21'));
  past = rememberRound(past, paid('b', ['TS', '6C', 'TD'], '26'));
  expect(past.map((one) => one.kind)).toEqual(['blackjack', 'bust']);
  for (let k = 0; k < REMEMBERED; k += 1) past = rememberRound(past, paid(`c${k}`, ['TS', '9C'], '19'));
  expect(past).toHaveLength(REMEMBERED);
  expect(past[0]!.code).toBe('c0');
});

test('what the queue has shown as paid is remembered by it', () => {
  const queue = new RevealQueue();
  const arrival = { version: 1, jumps: true, tempo: 0 };
  queue.push({ open: round, mine }, arrival);
  expect(queue.past).toEqual([]);
  queue.push({ open: paid('a', ['TS', '9C'], '19'), mine }, arrival);
  expect(queue.past).toEqual([{ code: 'a', total: '19', kind: 'plain' }]);
});

test('past rounds are told latest first, each in words; before the first there is nothing', async () => {
  const { container, rerender } = render(PastRounds, { rounds: [] });
  expect(container.textContent).toBe('');
  await rerender({
    rounds: [
      { code: 'a', total: '21', kind: 'blackjack' },
      { code: 'b', total: '24', kind: 'bust' },
    ],
  });
  expect(screen.getAllByRole('listitem').map((one) => one.querySelector('.unseen')?.textContent)).toEqual([
    'Sballa 24',
    'Blackjack',
  ]);
});

test('the share of a shoe that is dealt stays between nothing and all', () => {
  expect([416, 312, 0, 420].map((left) => shareDealt(left, 8))).toEqual([0, 25, 100, 0]);
});

test('the dealer shuffles where her cards will lie, and says her line in little room too', async () => {
  const { rerender } = render(Dealer, {
    name: 'Elena',
    cards: [],
    shuffling: true,
    compact: true,
    says: 'Si mescola.',
  });
  expect(screen.getByRole('img', { name: 'Si mescolano le carte' })).toBeTruthy();
  expect(screen.getByText('«Si mescola.»')).toBeTruthy();
  await rerender({ cards: ['TS', null] });
  expect(screen.queryByRole('img', { name: 'Si mescolano le carte' })).toBeNull();
});

test('a bot is marked at its place, and the mark of its name is not cut there', () => {
  const [player] = Object.keys(round.people).filter((one) => one !== mine.player);
  const people = { ...round.people, [player!]: { player: player!, name: 'Massimiliano (bot)', bot: true } };
  const shown = boxesShown({ ...round, people }, mine, 7).find((box) => box.player === player)!;
  expect([shown.name, shown.fullName, shown.bot]).toEqual(['Massimiliano', 'Massimiliano (bot)', true]);
  expect(focusBox(shown).fullName).toBe('');
  render(MiniBox, { shown });
  expect(document.querySelector('[aria-description="Massimiliano (bot)"]')?.textContent).toBe('botMassimiliano');
});

test('a balance that grows counts up over its exact text, and one that falls does not', async () => {
  vi.useFakeTimers({ toFake: ['requestAnimationFrame', 'cancelAnimationFrame', 'performance'] });
  const { container, rerender } = render(CountingAmount, { cents: 1_000 });
  const amount = container.querySelector('span')!;
  const drawn = (): string | undefined => amount.dataset.drawn?.replace(/\s/g, ' ');
  const text = (): string => amount.textContent.replace(/\s/g, ' ');
  await rerender({ cents: 3_000 });
  expect([drawn(), text()]).toEqual(['€ 10,00', '€ 30,00']);
  vi.advanceTimersByTime(200);
  await Promise.resolve();
  expect(drawn()).not.toBe('€ 10,00');
  expect(drawn()).toBeDefined();
  vi.advanceTimersByTime(300);
  await Promise.resolve();
  expect([drawn(), text()]).toEqual([undefined, '€ 30,00']);
  await rerender({ cents: 500 });
  expect([drawn(), text()]).toEqual([undefined, '€ 5,00']);
  reading.lessMotion = true;
  await rerender({ cents: 9_000 });
  expect([drawn(), text()]).toEqual([undefined, '€ 90,00']);
  reading.lessMotion = false;
  vi.useRealTimers();
});

test('cards wait for their player only where he plays alone: a round of many goes on without him', () => {
  const games = [
    { game: 'live', name: 'Aurelia', solo: false },
    { game: 'alone', name: 'Link', solo: true },
  ];
  const open = (game: string): string => {
    const tables = [{ table: 't', game, name: 'Aurelia', open_round: 't-1', boxes: [4], practice: false, purse: 0 }];
    const me = { name: 'Ada', tables } as unknown as MeResponse;
    const { container, unmount } = render(Hero, { me, lobby: { games, tables: [] } as unknown as LobbyResponse });
    const text = container.querySelector('.text')!.textContent;
    unmount();
    return text;
  };
  expect(open('alone')).toContain('ti aspettano');
  expect(open('live')).not.toContain('aspettano');
  expect(open('live')).toContain('t-1');
});
