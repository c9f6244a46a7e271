import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import Replay from '../pages/history/Replay.svelte';
import { betting, bettingMine, mine, results, resultsMine, round } from '../pages/parts/samples';
import LimitRow from '../pages/protection/LimitRow.svelte';
import Button from '../parts/frame/Button.svelte';
import { placeBeside } from '../parts/frame/placement';
import Spot from '../parts/table/Spot.svelte';
import { boxShown } from '../table/boxes';
import { choices } from '../table/choices';
import { traceHands } from '../table/lineage';
import { api } from '../wire/api';
import type { Hand, PublicView, ReplayResponse, RoundResponse } from '../wire/types';
import { reading, speak } from '../words/words.svelte';

beforeEach(() => speak('it'));
afterEach(() => vi.restoreAllMocks());

const hand = (cards: string, total: string): Hand => ({
  ...round.boxes[0]!.hands[0]!,
  cards: cards.split(' '),
  total,
  status: 'playing',
  outcome: '',
});

describe('what a box shows with others behind it', () => {
  const box = results.boxes.find((one) => one.box === 5)!;
  const line = { ...results.lines[0]!, box: 5, hand: 1, bet: 'main' };

  test('v26: each of its hands has its own result, of its owner alone', () => {
    const lines = [
      { ...line, player: box.player, stake: 500, returned: 1_000 },
      { ...line, player: box.player, hand: 2, stake: 500, returned: 0 },
      { ...line, player: 'behind', bet: 'behind', stake: 300, returned: 600 },
    ];
    const hands = [box.hands[0]!, box.hands[0]!];
    const boxes = results.boxes.map((one) => (one.box === 5 ? { ...one, hands } : one));
    const shown = boxShown({ ...results, boxes, lines }, resultsMine, 5);
    expect(shown.hands.map((one) => one.net)).toEqual([500, -500]);
  });

  test('v30: the amount behind counts what followed a double and a split', () => {
    const behind = [
      {
        player: 'b',
        follow_double: true,
        follow_split: true,
        stakes: [
          [100, 100],
          [100, 0],
        ],
      },
      { player: 'c', follow_double: false, follow_split: false, stakes: [[200, 0]] },
    ] as unknown as PublicView['boxes'][number]['behind'];
    const open = { ...round, boxes: round.boxes.map((one) => ({ ...one, behind })) };
    expect(boxShown(open, mine, open.boxes[0]!.box).behind).toMatchObject({ count: 2, amount: 500 });
  });
});

test('v14: the hint of a split hand is that of the hand in turn', () => {
  const at = round.turn!.box;
  const hands = [hand('8D 3C', '11'), hand('8S 5C', '13')];
  const boxes = round.boxes.map((one) => (one.box === at ? { ...one, hands } : one));
  const stand = (number: number): string | undefined =>
    choices({ ...round, boxes, turn: { box: at, hand: number } }, mine, at).find((one) => one.action === 'stand')?.hint;
  expect([stand(1), stand(2)]).toEqual(['con 11', 'con 13']);
});

describe('a closed control', () => {
  test('x19: a button and a circle do nothing when they are pressed', async () => {
    const [pressed, placed] = [vi.fn(), vi.fn()];
    render(Button, { label: 'Conferma', reasons: ['Non ora.'], onpress: pressed });
    await fireEvent.click(screen.getByRole('button', { name: 'Conferma' }));
    const closed = bettingMine.options.spots.find((one) => one.price === null)!;
    const shown = boxShown(betting, bettingMine, closed.box);
    const spot = { ...shown.main, state: 'closed' as const, reasons: closed.reasons };
    const { container } = render(Spot, { spot, place: shown.place, chips: [100], onplace: placed });
    await fireEvent.click(container.querySelector('button')!);
    expect([pressed.mock.calls, placed.mock.calls]).toEqual([[], []]);
  });

  test('r34: a raised limit is confirmed when its day has passed, not before', async () => {
    const confirm = vi.spyOn(api, 'confirmLimit').mockResolvedValue({ limits: [] } as never);
    const DAY = 86_400_000;
    const limit = { name: 'loss:day', amount: 1_000, asked: { amount: 5_000, ready: 10 * DAY } } as never;
    const { rerender } = render(LimitRow, { limit, now: 9 * DAY, onchange: () => {} });
    const button = screen.getByRole('button', { name: 'Conferma' });
    for (const now of [9 * DAY, 10 * DAY - 1]) {
      await rerender({ now });
      expect(button.getAttribute('aria-disabled')).toBe('true');
      await fireEvent.click(button);
    }
    expect(confirm).not.toHaveBeenCalled();
    await rerender({ now: 10 * DAY });
    await fireEvent.click(button);
    expect(confirm).toHaveBeenCalledExactlyOnceWith('loss:day');
  });
});

describe('a replay (v70)', () => {
  const empty = { ...betting, boxes: [], dealer: { ...betting.dealer, cards: [] } };
  const frames = [empty, round, { ...round, stage: 'dealer' }, results].map((open, seq) => ({
    seq,
    at: seq,
    public: open,
  }));
  const replay = { code: round.code, frames } as unknown as ReplayResponse;
  const steps = { steps: [] } as unknown as RoundResponse;
  const place = (): string => screen.getByRole('slider').getAttribute('aria-valuetext')!;

  test('begins again with the first card when it is at its end, and goes on from where it was stopped', async () => {
    vi.useFakeTimers();
    reading.lessMotion = true; // no card turns: this document does not move
    render(Replay, { replay, round: steps, me: 'me', place: 'table.box' });
    expect(place()).toContain('3');
    await fireEvent.click(screen.getByRole('button', { name: 'Riproduci' }));
    expect(place()).toBe('Passo 1 di 3');
    await vi.advanceTimersByTimeAsync(1_150);
    expect(place()).toBe('Passo 2 di 3');
    await fireEvent.click(screen.getByRole('button', { name: 'Pausa' }));
    await fireEvent.click(screen.getByRole('button', { name: 'Riproduci' }));
    expect(place()).toBe('Passo 2 di 3');
    await vi.advanceTimersByTimeAsync(5_000);
    expect(place()).toBe('Passo 3 di 3');
    expect(screen.getByRole('button', { name: 'Riproduci' })).toBeTruthy();
    reading.lessMotion = false;
    vi.useRealTimers();
  });
});

describe('what stands beside a control', () => {
  const room = { left: 0, top: 0, right: 400, bottom: 300 };
  const size = { width: 100, height: 40, room };
  const area = (left: number, top: number, right: number, bottom: number) => ({ left, top, right, bottom });

  test('is above it, or where it lies over nothing that is open', () => {
    expect(placeBeside({ ...size, anchor: area(180, 150, 220, 170) })).toEqual({ left: 150, top: 101 });
    const avoid = [area(100, 0, 300, 145)];
    expect(placeBeside({ ...size, anchor: area(180, 150, 220, 170), avoid })).toEqual({ left: 150, top: 179 });
  });

  test('stays in the window at every edge, and beside its control', () => {
    for (const anchor of [area(0, 0, 20, 20), area(380, 0, 400, 20), area(0, 280, 20, 300), area(380, 280, 400, 300)]) {
      const { left, top } = placeBeside({ ...size, anchor });
      expect([left >= 8, top >= 8, left + 100 <= 392, top + 40 <= 292]).toEqual([true, true, true, true]);
      const apart = left >= anchor.right || left + 100 <= anchor.left || top >= anchor.bottom || top + 40 <= anchor.top;
      expect(apart).toBe(true);
    }
  });
});

test('v14: hands are followed through a second split', () => {
  const cards = (...all: string[]) => all.map((one) => ({ cards: one.split(' ') }));
  expect(traceHands(cards('8D 8C', '8S 5C'), cards('8D', '8C', '8S 5C 2C'))).toEqual([
    { from: 0, lying: 1, parted: false },
    { from: 0, lying: 1, parted: true },
    { from: 1, lying: 2, parted: false },
  ]);
  expect(traceHands([], cards('8D'))).toEqual([{ from: null, lying: 0, parted: false }]);
});
