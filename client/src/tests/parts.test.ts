import { fireEvent, render, screen } from '@testing-library/svelte';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import Card from '../parts/cards/Card.svelte';
import { bubbles } from '../parts/frame/bubble.svelte';
import Button from '../parts/frame/Button.svelte';
import Switch from '../parts/frame/Switch.svelte';
import { Toasts } from '../wire/toasts.svelte';
import ChatBox from '../parts/room/ChatBox.svelte';
import BetTools from '../parts/table/BetTools.svelte';
import ChipTray from '../parts/table/ChipTray.svelte';
import CountdownBar from '../parts/table/CountdownBar.svelte';
import DecisionPanel from '../parts/table/DecisionPanel.svelte';
import Seconds from '../parts/table/Seconds.svelte';
import Settlement from '../parts/table/Settlement.svelte';
import Spot from '../parts/table/Spot.svelte';
import TableInWords from '../parts/table/TableInWords.svelte';
import { CHIPS, bettingMine, lines, messages, mine, reason, round } from '../pages/parts/samples';
import { closedViews } from '../table/views';
import { reading, speak } from '../words/words.svelte';

beforeEach(() => {
  speak('it');
  Element.prototype.scrollTo ??= () => {};
});

const spot = { bet: 'main', amount: 0, state: 'open' as const, reasons: [], won: null, pending: false, limit: false };

describe('a card', () => {
  test('is named, and its back is not told', async () => {
    const { rerender } = render(Card, { code: null });
    expect(screen.getByRole('img').getAttribute('aria-label')).toBe('Carta coperta');
    reading.lessMotion = true;
    await rerender({ code: 'QH' });
    expect(screen.getByRole('img').getAttribute('aria-label')).toBe('Donna di cuori');
    reading.lessMotion = false;
  });
});

test('with less motion a countdown is drawn once a second, and no animation runs', () => {
  vi.useFakeTimers();
  reading.lessMotion = true;
  let now = 0;
  const { container, unmount } = render(CountdownBar, { time: { deadline: 10_000, span: 10_000 }, clock: () => now });
  const bar = container.querySelector('i')!;
  expect(bar.style.transform).toBe('scaleX(1)');
  now = 900;
  vi.advanceTimersByTime(900);
  expect(bar.style.transform).toBe('scaleX(1)');
  now = 1_000;
  vi.advanceTimersByTime(100);
  expect(bar.style.transform).toBe('scaleX(0.9)');
  unmount();
  reading.lessMotion = false;
  vi.useRealTimers();
});

test('v56: a clock stands full while the cards that led to it are shown, and is never longer than it is', async () => {
  vi.useFakeTimers();
  reading.lessMotion = true;
  let now = 0;
  const time = { deadline: 13_500, span: 12_000 };
  const bar = render(CountdownBar, { time, clock: () => now });
  const figure = render(Seconds, { time, clock: () => now });
  const drawn = (): string | undefined => bar.container.querySelector('i')?.style.transform;
  const wait = async (until: number): Promise<void> => {
    const step = until - now;
    now = until;
    await vi.advanceTimersByTimeAsync(step);
  };
  expect([drawn(), figure.container.textContent]).toEqual(['scaleX(1)', '12 s']);
  await wait(1_000);
  expect([drawn(), figure.container.textContent]).toEqual(['scaleX(1)', '12 s']);
  await wait(7_500);
  await wait(8_000);
  expect(figure.container.textContent).toBe('6 s');
  bar.unmount();
  figure.unmount();
  reading.lessMotion = false;
  vi.useRealTimers();
});

describe('a closed control', () => {
  test('stays in reach, says why, and does nothing but say so', async () => {
    const [chosen, refused] = [vi.fn(), vi.fn()];
    const choices = [
      { action: 'hit', hint: 'una in più', reasons: [] },
      { action: 'double', hint: '', reasons: [reason('FundsMissing', { needed: 2500, available: 1200 })] },
    ];
    render(DecisionPanel, { title: 'Box 4', choices, onchoose: chosen, onrefused: refused });
    const double = screen.getByRole('button', { name: /Raddoppia/ });
    expect(double.getAttribute('aria-disabled')).toBe('true');
    expect(double.hasAttribute('disabled')).toBe(false);
    expect(
      document.getElementById(double.getAttribute('aria-describedby')!)!.textContent!.replaceAll('\u00a0', ' '),
    ).toBe('servono € 25,00, hai € 12,00');
    await fireEvent.click(double);
    expect(chosen).not.toHaveBeenCalled();
    expect(refused).toHaveBeenCalledOnce();
    await fireEvent.click(screen.getByRole('button', { name: /Carta/ }));
    expect(chosen).toHaveBeenCalledWith('hit');
  });

  test('shows its reason on focus and hides it afterwards', async () => {
    render(BetTools, { options: bettingMine.options.betting });
    const repeat = screen.getByRole('button', { name: 'Ripeti' });
    await fireEvent.focusIn(repeat);
    expect(bubbles.shown?.reasons).toEqual(['Si ripete solo prima della prima fiche della mano.']);
    await fireEvent.focusOut(repeat);
    expect(bubbles.shown).toBeNull();
  });

  test('its reason goes when the control opens, and some time after a press: it lies over nothing', async () => {
    vi.useFakeTimers();
    const { rerender } = render(Button, { reasons: ['Non ora.'], label: 'Ripeti' });
    const button = screen.getByRole('button');
    await fireEvent.pointerMove(button.parentElement!);
    expect(bubbles.shown?.reasons).toEqual(['Non ora.']);
    await fireEvent.click(button);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(bubbles.shown).toBeNull();
    await fireEvent.pointerMove(button.parentElement!);
    expect(bubbles.shown).not.toBeNull();
    await rerender({ reasons: [] });
    expect(bubbles.shown).toBeNull();
    vi.useRealTimers();
  });

  test('while a decision is on its way the next is passed on, for the table to say what becomes of it', async () => {
    const [chosen, refused] = [vi.fn(), vi.fn()];
    render(DecisionPanel, {
      title: 'Box 4',
      choices: [
        { action: 'hit', hint: '', reasons: [], pending: true },
        { action: 'stand', hint: '', reasons: [] },
      ],
      onchoose: chosen,
      onrefused: refused,
    });
    await fireEvent.click(screen.getByRole('button', { name: /Stai/ }));
    expect(chosen).toHaveBeenCalledExactlyOnceWith('stand');
    expect(refused).not.toHaveBeenCalled();
    expect(screen.getByRole('button', { name: /Carta/ }).getAttribute('aria-busy')).toBe('true');
  });
});

describe('a spot', () => {
  test('takes a chip when open, gives one back on the other button, says what it holds', async () => {
    const [placed, removed] = [vi.fn(), vi.fn()];
    const { rerender } = render(Spot, {
      spot,
      place: 'Box 4',
      chips: CHIPS,
      chip: 2500,
      onplace: placed,
      onremove: removed,
    });
    const button = screen.getByRole('button');
    expect(
      screen.getByRole('button', {
        name: (name) =>
          name.replaceAll('\u00a0', ' ') ===
          'Puntata principale, box 4: aggiungi € 25. Puntata principale, box 4: vuoto',
      }),
    ).toBe(button);
    await fireEvent.click(button);
    await fireEvent.contextMenu(button);
    expect([placed.mock.calls.length, removed.mock.calls.length]).toEqual([1, 1]);
    await rerender({ spot: { ...spot, state: 'closed', reasons: [reason('BettingClosed')] } });
    await fireEvent.click(screen.getByRole('button'));
    expect(placed).toHaveBeenCalledOnce();
    await rerender({ spot: { ...spot, state: 'won', amount: 500, won: { name: 'coloured', gain: 6000 } } });
    expect(screen.getByRole('img').getAttribute('aria-label')!.replaceAll('\u00a0', ' ')).toContain('vince € 60');
  });
});

describe('bet tools', () => {
  test('V-51: undo held removes all bets, a short press only the last', async () => {
    vi.useFakeTimers();
    const pressed = vi.fn();
    render(BetTools, { options: bettingMine.options.betting, onpress: pressed });
    const undo = screen.getByRole('button', { name: /Annulla/ });
    await fireEvent.pointerDown(undo);
    vi.advanceTimersByTime(1_000);
    await fireEvent.pointerUp(undo);
    await fireEvent.click(undo);
    expect(pressed.mock.calls).toEqual([['clear']]);
    await fireEvent.pointerDown(undo);
    await fireEvent.pointerUp(undo);
    await fireEvent.click(undo);
    expect(pressed.mock.calls).toEqual([['clear'], ['undo']]);
    vi.useRealTimers();
  });

  test('V-46: a chip the balance does not cover cannot be taken and says so', async () => {
    const chose = vi.fn();
    render(ChipTray, {
      chips: [
        { value: 100, enabled: true },
        { value: 50_000, enabled: false },
      ],
      onchoose: chose,
    });
    const [one, many] = screen.getAllByRole('radio');
    expect(many!.getAttribute('aria-label')).toContain('il saldo non basta');
    await fireEvent.click(many!);
    await fireEvent.click(one!);
    expect(chose.mock.calls).toEqual([[100]]);
  });
});

describe('the room', () => {
  test('V-65: other players’ words can be hidden, the host’s stay', async () => {
    render(ChatBox, { messages, fixed: true });
    expect(screen.getByText(/chi mi segue/)).toBeTruthy();
    await fireEvent.click(screen.getByRole('button', { name: 'Nascondi i messaggi degli altri' }));
    expect(screen.queryByText(/chi mi segue/)).toBeNull();
    expect(screen.getByText(/Buona fortuna/)).toBeTruthy();
  });

  test('V-62: a message is sent with Enter, an empty one is not', async () => {
    const sent = vi.fn();
    render(ChatBox, { messages: [], fixed: true, onsend: sent });
    const field = screen.getByRole('textbox');
    await fireEvent.submit(field.closest('form')!);
    await fireEvent.input(field, { target: { value: ' ciao ' } });
    await fireEvent.submit(field.closest('form')!);
    expect(sent.mock.calls).toEqual([['ciao']]);
  });

  test('a notice is not shown twice and can be closed', () => {
    const toasts = new Toasts();
    const id = toasts.add('a', 'plain', true);
    expect(toasts.add('a', 'plain', true)).toBe(id);
    expect(toasts.list).toHaveLength(1);
    toasts.close(id);
    expect(toasts.list).toEqual([]);
  });

  test('a switch is one to a reader', async () => {
    const changed = vi.fn();
    render(Switch, { label: 'Voce', onchange: changed });
    await fireEvent.click(screen.getByRole('switch'));
    expect(screen.getByRole('switch').getAttribute('aria-checked')).toBe('true');
    expect(changed).toHaveBeenCalledWith(true);
  });
});

test('X-05: the settlement has a line for each bet, with its arithmetic and its criterion', () => {
  render(Settlement, { lines });
  const rows = screen.getAllByRole('row');
  expect(rows).toHaveLength(lines.length + 2);
  expect(rows[4]!.textContent!.replaceAll('\u00a0', ' ')).toContain('€ 25,00 + 3/2 × € 25,00');
  expect(rows[4]!.textContent).toContain('V-19');
});

test('X-07: the table in words is there for a reader in both languages', async () => {
  const { unmount } = render(TableInWords, { open: round, mine, boxes: 7 });
  expect(screen.getByText(/Il banco ha Donna di cuori/)).toBeTruthy();
  unmount();
  speak('en');
  render(TableInWords, { open: round, mine, boxes: 7 });
  expect(screen.getByText(/The dealer has Queen of hearts/)).toBeTruthy();
});

test('X-07: two boxes whose choices are closed for the same reason are both told', () => {
  const insure = { action: 'insure', price: 500, reasons: [] };
  const decisions = [4, 5].map((box) => ({ ...mine.options.decisions[0]!, ...insure, box }));
  const asked = { ...mine, options: { ...mine.options, decisions } } as typeof mine;
  const cut = closedViews({ open: { ...round, stage: 'insurance' }, mine: asked });
  render(TableInWords, { open: cut.open, mine: cut.mine, boxes: 7 });
  expect(screen.getAllByText(/^Assicura non si può/)).toHaveLength(2);
});
