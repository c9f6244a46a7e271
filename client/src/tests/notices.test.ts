import { fireEvent, render, screen } from '@testing-library/svelte';
import { tick } from 'svelte';
import { afterEach, expect, test, vi } from 'vitest';
import Notices from '../pages/room/Notices.svelte';
import ToastList from '../parts/frame/ToastList.svelte';
import { house } from '../wire/house.svelte';
import { describeNotice, describeVoid } from '../table/notices';
import { LONG_STAY, Toasts } from '../wire/toasts.svelte';
import { reading, speak } from '../words/words.svelte';

const calls: string[] = [];
vi.stubGlobal('fetch', (path: string, wish: { method: string }) => {
  calls.push(`${wish.method} ${path}`);
  return Promise.resolve(new Response(null, { status: 204 }));
});

afterEach(() => {
  house.notices = [];
  calls.length = 0;
});

test('R-37: a reality check tells time and result, and play goes on when it was read', async () => {
  speak('it');
  render(Notices);
  house.hear({
    type: 'notice',
    kind: 'reality-check',
    numbers: { code: 'RealityCheckDue', minutes: 60, net: -1250 },
  });
  expect(await screen.findByText('Giochi da 60 minuti. Risultato della sessione: − € 12,50.')).toBeTruthy();
  await fireEvent.click(screen.getByText('Ho letto, continuo'));
  await vi.waitFor(() => expect(house.notices).toEqual([]));
  expect(calls[0]).toBe('POST /api/protection/reality-check/acknowledgement');
});

test('R-37: it cannot be closed without having been read', async () => {
  const { container } = render(Notices);
  house.hear({
    type: 'notice',
    kind: 'reality-check',
    numbers: { code: 'RealityCheckDue', minutes: 60, net: 0 },
  });
  const close = await screen.findAllByLabelText('Chiudi');
  await fireEvent.click(close[0]!);
  expect(container.querySelector('dialog[open]')).toBeTruthy();
  expect(house.notices).toHaveLength(1);
  expect(calls).toEqual([]);
});

test('R-40: a forced stop says which, and until when', async () => {
  render(Notices);
  house.hear({ type: 'notice', kind: 'excluded', numbers: { code: 'PlayExcluded', until: 0 } });
  expect(await screen.findByText('Sei escluso dal gioco')).toBeTruthy();
  expect(screen.getByText('Sei escluso dal gioco a tempo indeterminato.')).toBeTruthy();
});

test('R-40: an exclusion with an end says the day', async () => {
  render(Notices);
  const until = Date.UTC(2027, 4, 3, 12);
  house.hear({ type: 'notice', kind: 'excluded', numbers: { code: 'PlayExcluded', until } });
  expect(await screen.findByText(/^Sei escluso dal gioco fino al .*2027/)).toBeTruthy();
});

test('V-42: news that asks for no answer goes by itself, not before it was read', () => {
  vi.useFakeTimers();
  const toasts = new Toasts();
  const news = describeNotice({ type: 'notice', kind: 'seat-lost', table: 'Aurora', numbers: { box: 3 } })!;
  toasts.add(news.text, news.tone, news.stays);
  vi.advanceTimersByTime(11_000);
  expect(toasts.list).toHaveLength(1);
  vi.advanceTimersByTime(2_000);
  expect(toasts.list).toEqual([]);
  vi.useRealTimers();
});

test('V-77: a void round is told for twenty seconds at least', () => {
  vi.useFakeTimers();
  const toasts = new Toasts();
  const told = describeVoid({ type: 'notice', kind: 'voided', table: 'Aurora', numbers: { amount: 500 } })!;
  toasts.add(told.text, told.tone, told.stays);
  toasts.add(told.text + '.', told.tone, LONG_STAY);
  vi.advanceTimersByTime(20_000);
  expect(toasts.list).toHaveLength(2);
  vi.useRealTimers();
});

test('a notice that is told again has its time again', () => {
  vi.useFakeTimers();
  const toasts = new Toasts();
  const first = toasts.add('ancora in arrivo', 'bad');
  vi.advanceTimersByTime(5_900);
  expect(toasts.add('ancora in arrivo', 'bad')).toBe(first);
  vi.advanceTimersByTime(5_900);
  expect(toasts.list).toHaveLength(1);
  vi.advanceTimersByTime(200);
  expect(toasts.list).toEqual([]);
  vi.useRealTimers();
});

test.each([
  ['the pointer', 'pointerEnter', 'pointerLeave'],
  ['the focus', 'focusIn', 'focusOut'],
] as const)('a notice does not go from under %s', async (_what, comes, goes) => {
  vi.useFakeTimers();
  reading.lessMotion = true;
  const toasts = new Toasts();
  render(ToastList, { toasts });
  toasts.add('Servono € 5', 'bad', false, { label: 'Aggiungi denaro', run: () => {} });
  await tick();
  const notice = screen.getByRole('alert');
  await fireEvent[comes](notice);
  vi.advanceTimersByTime(60_000);
  expect(toasts.list).toHaveLength(1);
  await fireEvent[goes](notice);
  vi.advanceTimersByTime(13_000);
  expect(toasts.list).toEqual([]);
  await tick();
  reading.lessMotion = false;
  vi.useRealTimers();
});
