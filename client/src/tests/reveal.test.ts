import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RevealQueue } from '../table/queue.svelte';
import { CARD, FLIGHT, PUT, reveal, TURN, type Beat } from '../table/reveal';
import { viewsOnFelt, type Views } from '../table/views';
import { applyChanges } from '../wire/changes';
import type { Box, Hand, PublicView, Step, TableMessage, Told } from '../wire/types';
import recorded from './recorded.json';

/** The states of a round at a practice table as the house told them: bets, two boxes dealt, the dealer's five cards. */
const told = (recorded.frames as unknown as { told?: Told }[]).flatMap((frame) => frame.told ?? []);
const first = told.find((frame): frame is TableMessage => frame.type === 'table')!;
const states = told
  .filter((frame): frame is Step => frame.type === 'step')
  .reduce<Views[]>(
    (all, step) => {
      const { open, mine } = all.at(-1)!;
      return [...all, { open: applyChanges(open, step.public), mine: applyChanges(mine, step.mine ?? []) }];
    },
    [{ open: first.public, mine: first.mine }],
  );
const [bets, dealt, paid] = states.slice(-3).map(({ open, mine }) => viewsOnFelt(open, mine, false, '')) as [
  Views,
  Views,
  Views,
];

const lying = ({ views: { open } }: Beat): string[] => [
  ...open.boxes.flatMap((box) => box.hands.flatMap((hand, h) => hand.cards.map((_, k) => `${box.box}.${h}.${k}`))),
  ...open.boxes.flatMap((box) => (box.face_down ? [`${box.box} down`] : [])),
  ...open.dealer.cards.map((_, k) => `dealer ${k}`),
  ...open.dealer.community.map((_, k) => `middle ${k}`),
  ...Array.from({ length: open.dealer.face_down }, (_, k) => `dealer down ${k}`),
];
/** Cards in the order in which they come. */
const order = (beats: readonly Beat[], before: readonly string[] = []): string[] => {
  const seen = new Set(before);
  return beats.flatMap((beat) => lying(beat).filter((card) => !seen.has(card) && seen.add(card)));
};
const since = (beats: readonly Beat[], is: (views: Views) => boolean): number =>
  beats.find((beat) => is(beat.views))!.at;
const hand = (cards: string, total: string, more: Partial<Hand> = {}): Hand => ({
  ...dealt.open.boxes[0]!.hands[0]!,
  cards: cards.split(' '),
  total,
  ...more,
});
const box = (number: number, hands: Hand[], more: Partial<Box> = {}): Box => ({
  ...dealt.open.boxes[0]!,
  box: number,
  hands,
  sides: [],
  ...more,
});
const view = (more: Partial<PublicView>, from: Views = dealt): Views => ({
  open: { ...from.open, ...more },
  mine: from.mine,
});

describe('a deal', () => {
  const beats = reveal(bets, dealt);

  test('a total waits until its card lies open, not until it is half turned', () => {
    const hands = ({ open }: Views): Hand[] => open.boxes[0]?.hands ?? [];
    const lies = since(beats, (views) => hands(views).some((one) => one.cards.length === 2));
    const told = since(beats, (views) => hands(views).some((one) => one.total !== ''));
    expect(told - lies).toBeGreaterThanOrEqual(FLIGHT + TURN);
  });

  test('comes card by card in the order of dealing, and ends with what the house told', () => {
    expect(order(beats)).toEqual(['4.0.0', '5.0.0', 'dealer 0', '4.0.1', '5.0.1', 'dealer down 0']);
    const starts = [...'012345'].map((k) => beats.find((beat) => lying(beat).length === Number(k) + 1)!.at);
    expect(starts).toEqual([0, 1, 2, 3, 4, 5].map((k) => k * CARD));
    expect(CARD).toBeGreaterThanOrEqual(220);
    expect(CARD).toBeLessThanOrEqual(260);
    expect(beats.at(-1)!.views).toBe(dealt);
    expect(beats.every((beat, k) => !k || beat.at >= beats[k - 1]!.at)).toBe(true);
  });

  test('a total follows its card, a side bet the deal, a question all of it', () => {
    const total = since(beats, ({ open }) => open.boxes[0]?.hands[0]?.total === '16');
    const blackjack = since(beats, ({ open }) => open.boxes[1]?.hands[0]?.status === 'blackjack');
    const side = since(beats, ({ open }) => open.boxes[0]?.sides[0]?.won === '');
    const turn = since(beats, ({ open, mine }) => open.turn !== null || mine.options.decisions.length > 0);
    const clock = since(beats, ({ open }) => open.deadline !== null);
    expect(total).toBeGreaterThan(3 * CARD);
    expect(blackjack).toBeGreaterThan(4 * CARD);
    expect(side).toBeGreaterThan(Math.max(blackjack, 5 * CARD));
    expect(turn).toBeGreaterThan(side);
    expect(clock).toBe(turn);
    expect(beats.slice(0, 3).every(({ views }) => views.open.boxes.every((one) => !one.hands[0]!.total))).toBe(true);
  });

  test('the shoe gives up a card at a time', () => {
    const left = beats.map(({ views }) => views.open.cards_left);
    expect(left[0]).toBe(dealt.open.cards_left + 5);
    expect(left.at(-1)).toBe(dealt.open.cards_left);
    expect(left).toEqual([...left].sort((one, other) => other - one));
  });

  test('that ends the round at once is still dealt, turned and paid in turn', () => {
    const all = reveal(bets, paid);
    expect(order(all).slice(-4)).toEqual(['dealer 1', 'dealer 2', 'dealer 3', 'dealer 4']);
    expect(since(all, ({ open }) => open.phase === 'results')).toBeGreaterThan(
      since(all, ({ open }) => open.dealer.cards.length === 5),
    );
  });
});

describe('the end of a round', () => {
  const beats = reveal(dealt, paid);
  const at = (count: number): number => since(beats, ({ open }) => open.dealer.cards.length === count);

  test('the hole card after a breath, the draws one by one, each counted when it lies', () => {
    expect(beats[0]!.views.open).toMatchObject({ stage: 'dealer', turn: null, dealer: { face_down: 1, total: '3' } });
    expect(at(2)).toBeGreaterThanOrEqual(400);
    expect(beats.find((beat) => beat.at === at(2))!.views.open.dealer).toMatchObject({ face_down: 0, total: '3' });
    const totals = beats.map(({ views }) => views.open.dealer.total);
    expect([...new Set(totals)]).toEqual(['3', '11', '12', '13', '20']);
    expect([at(3) - at(2), at(4) - at(3), at(5) - at(4)].every((apart) => apart >= 400)).toBe(true);
  });

  test('nothing of the result before the last card, nothing of the balance before the result', () => {
    const results = since(beats, ({ open }) => open.phase === 'results');
    expect(results).toBeGreaterThan(since(beats, ({ open }) => open.dealer.total === '20'));
    for (const { at: when, views } of beats)
      if (when < results) {
        expect(views.open.lines).toEqual([]);
        expect(views.open.boxes.flatMap((one) => one.hands.map((each) => each.outcome)).join('')).toBe('');
        expect(views.mine).toMatchObject({ balance: dealt.mine.balance, staked: dealt.mine.staked });
      }
    expect(since(beats, ({ mine }) => mine.balance === paid.mine.balance)).toBeGreaterThan(results);
  });

  test('the breath is longer when much hangs on the card', () => {
    const open = view({ boxes: [box(4, [hand('QD 6S', '16', { status: 'stood' })])] });
    const strong = view({ dealer: { ...paid.open.dealer, cards: ['KS', '8S'], total: '18' } }, paid);
    const weak = view({ dealer: { ...paid.open.dealer, cards: ['3S', '8S'], total: '11' } }, paid);
    const gap = (after: Views): number => {
      const boxes = [box(4, [hand('QD 6S 2C', '18', { status: 'stood', outcome: 'lose' })])];
      const before = { ...open.open.dealer, cards: after.open.dealer.cards.slice(0, 1) };
      const score = reveal(view({ dealer: before }, open), view({ boxes }, after));
      return since(score, (views) => views.open.dealer.cards.length === 2);
    };
    expect(gap(strong)).toBeGreaterThan(gap(weak) + 400);
  });
});

describe('decisions', () => {
  test('a card to the hand in turn keeps its question until it can be read, then takes it away', () => {
    const before = view({ boxes: [box(4, [hand('QD 6S', '16')])], turn: { box: 4, hand: 1 } });
    const after = view({ boxes: [box(4, [hand('QD 6S KC', '26', { status: 'bust' })])], turn: null });
    const beats = reveal(before, {
      open: after.open,
      mine: { ...after.mine, options: { ...after.mine.options, decisions: [] } },
    });
    expect(beats[0]!.views.open).toMatchObject({ turn: { box: 4, hand: 1 } });
    expect(beats[0]!.views.open.boxes[0]!.hands[0]).toMatchObject({ total: '16', status: 'playing' });
    expect(beats[0]!.views.mine.options.decisions).toBe(before.mine.options.decisions);
    const bust = beats.find((beat) => beat.views.open.boxes[0]!.hands[0]!.status === 'bust')!;
    expect(bust.at).toBeGreaterThan(0);
    expect(bust.views.mine.options.decisions).toEqual([]);
  });

  test('a split lies as two hands before each takes its card', () => {
    const before = view({ boxes: [box(4, [hand('8D 8S', '16')])], turn: { box: 4, hand: 1 } });
    const after = view({ boxes: [box(4, [hand('8D KC', '18'), hand('8S 5C', '13')])], turn: { box: 4, hand: 1 } });
    const beats = reveal(before, after);
    expect(order(beats, ['4.0.0', '4.1.0', 'dealer 0', 'dealer down 0'])).toEqual(['4.0.1', '4.1.1']);
    expect(beats[0]!.views.open.boxes[0]!.hands.map((one) => one.cards)).toEqual([['8D'], ['8S']]);
    expect(beats.find((beat) => lying(beat).includes('4.0.1'))!.at).toBe(PUT);
  });

  test('a second split moves the hands beyond it along, each with its own total and state', () => {
    const before = view({
      boxes: [box(4, [hand('8D 8C', '16', { status: 'playing' }), hand('8S 5C', '13', { status: 'stood' })])],
    });
    const after = view({ boxes: [box(4, [hand('8D KC', '18'), hand('8C 2C', '10'), hand('8S 5C', '13')])] });
    const { hands } = reveal(before, after)[0]!.views.open.boxes[0]!;
    expect(hands.map((one) => one.cards.join(' '))).toEqual(['8D', '8C', '8S 5C']);
    expect(hands.map((one) => one.total)).toEqual(['', '', '13']);
  });

  test('chips for a double lie before its card comes', () => {
    const before = view({ boxes: [box(4, [hand('6D 5S', '11', { stake: 100, added: 0 })])] });
    const after = view({ boxes: [box(4, [hand('6D 5S 9C', '20', { stake: 100, added: 100 })])] });
    const [put, dealtCard] = reveal(before, after);
    expect(put!.views.open.boxes[0]!.hands[0]).toMatchObject({ added: 100, cards: ['6D', '5S'], total: '11' });
    expect(dealtCard!.at).toBe(PUT);
    expect(dealtCard!.views.open.boxes[0]!.hands[0]!.cards).toHaveLength(3);
  });

  test('what needs no card is shown at once', () => {
    const after = view({ turn: { box: 5, hand: 1 } });
    expect(reveal(dealt, after)).toMatchObject([{ at: 0, views: after }]);
    expect(reveal(paid, bets)).toMatchObject([{ at: 0, views: bets }]);
  });
});

test('a duel: up cards, the middle, the hidden ones; then the dealer turns, takes and turns (D-04, D-10)', () => {
  const empty = view({ boxes: [], dealer: { cards: [], face_down: 0, total: '', totals: [], community: [] } }, bets);
  const dealer = { cards: [], face_down: 2, total: '', totals: [], community: ['5S', '6D'] };
  const begun = view({ boxes: [1, 2].map((n) => box(n, [hand('8D', '8')], { face_down: 1 })), dealer });
  expect(order(reveal(empty, begun))).toEqual([
    ...['1.0.0', '2.0.0', 'dealer down 0', 'middle 0', 'middle 1', '1 down', '2 down', 'dealer down 1'],
  ]);
  const ended = view({
    ...begun.open,
    phase: 'results',
    dealer: { ...dealer, cards: ['9C', '6D', 'KH'], face_down: 0, total: '25', totals: ['9', '15', '25'] },
  });
  const shown = reveal(begun, ended).map(
    ({ views: { open } }) => `${open.dealer.cards.length}/${open.dealer.face_down}`,
  );
  expect([...new Set(shown)]).toEqual(['0/2', '1/1', '2/1', '3/0']);
});

test('a scene comes over the table when the last card has been looked at, a question sooner', () => {
  const before = view({
    turn: { box: 4, hand: 1 },
    boxes: [box(4, [hand('9D 5S', '14')]), box(5, [hand('AS KD', '21')])],
  });
  const bust = [box(4, [hand('9D 5S TC', '24', { status: 'bust' })]), box(5, [hand('AS KD', '21')])];
  const wait = (turn: PublicView['turn']): number => {
    const beats = reveal(before, view({ turn, boxes: bust }));
    return beats.at(-1)!.at - since(beats, ({ open }) => open.boxes[0]!.hands[0]!.status === 'bust');
  };
  expect(wait({ box: 5, hand: 0 })).toBeGreaterThanOrEqual(1_000);
  expect(wait({ box: 5, hand: 1 })).toBeLessThan(400);
});

describe('the queue', () => {
  let queue: RevealQueue;
  const push = (views: Views, more = {}): void => queue.push(views, { version: 1, jumps: false, tempo: 1, ...more });
  const length = reveal(bets, dealt).at(-1)!.at;

  beforeEach(() => {
    vi.useFakeTimers();
    queue = new RevealQueue();
    push(bets);
  });
  afterEach(() => vi.useRealTimers());

  test('plays a deal in its time, and in half of it for who wants it fast', () => {
    push(dealt, { version: 2 });
    expect([queue.running, queue.version, queue.told]).toEqual([true, 1, bets]);
    expect(queue.shown!.open.boxes[0]!.hands[0]!.cards).toHaveLength(1);
    vi.advanceTimersByTime(length - 1);
    expect([queue.running, queue.time]).toEqual([true, null]);
    vi.advanceTimersByTime(1);
    expect([queue.running, queue.version, queue.shown, queue.told]).toEqual([false, 2, dealt, dealt]);
    push(bets);
    push(dealt, { tempo: 0.5 });
    vi.advanceTimersByTime(length / 2);
    expect(queue.shown).toBe(dealt);
  });

  test('a clock is shown with its question, as long as the house says', () => {
    push(dealt);
    expect(queue.time).toBeNull();
    vi.advanceTimersByTime(length);
    expect(queue.time).toEqual({ deadline: dealt.open.deadline, span: dealt.open.span });
  });

  test('without motion, after a break and out of sight all is shown at once', () => {
    push(dealt, { tempo: 0 });
    expect([queue.shown, queue.running]).toEqual([dealt, false]);
    push(bets);
    push(dealt, { jumps: true });
    expect(queue.shown).toBe(dealt);
    push(bets);
    push(dealt);
    queue.finish();
    expect([queue.shown, queue.running]).toEqual([dealt, false]);
  });

  test('the next round does not wait for the last, and who is late catches up', () => {
    push(dealt);
    push(paid);
    push(bets);
    expect([queue.shown, queue.paid, queue.running]).toEqual([bets, paid, false]);
    push(dealt);
    push(paid);
    const more = view(
      { boxes: paid.open.boxes.map((one) => ({ ...one, hands: [...one.hands, hand('2C 3C', '5')] })) },
      paid,
    );
    push(more);
    expect(queue.shown!.open.dealer.cards).toHaveLength(5);
    expect(queue.shown!.open.phase).toBe('round');
  });

  describe('waits for the cards themselves', () => {
    const total = (): string => queue.shown!.open.boxes[0]!.hands[0]!.total;
    const seconds = reveal(bets, dealt).find((beat) => beat.views.open.boxes[0]!.hands[0]!.total)!.at;

    /** Every card that is laid moves until it is told to end, as on a machine that draws late. */
    function layAll(until: number): (() => void)[] {
      const ends: (() => void)[] = [];
      let laid = queue.cards.laid - 1;
      for (let at = 0; at <= until; at += 1) {
        if (queue.cards.laid > laid) ends.push(queue.cards.begin(() => ends.forEach((end) => end())));
        laid = queue.cards.laid;
        vi.advanceTimersByTime(1);
      }
      return ends;
    }

    test('a total, and all that follows it, comes when its card lies open, however long after its time', async () => {
      push(dealt);
      const ends = layAll(seconds + 1_000);
      expect(total()).toBe('');
      expect(ends.length).toBeGreaterThan(1);
      for (const end of ends) end();
      await vi.advanceTimersByTimeAsync(length);
      expect([queue.shown, queue.running]).toEqual([dealt, false]);
    });

    test('a card that never ends its way is laid without motion', async () => {
      push(dealt);
      layAll(seconds + 3_900);
      expect([total(), queue.cards.cuts]).toEqual(['', false]);
      await vi.advanceTimersByTimeAsync(4_000);
      expect(total()).not.toBe('');
      expect(queue.cards.areStill(queue.cards.laid)).toBe(true);
    });

    test('who cuts it short has nothing that moves', () => {
      push(dealt);
      layAll(seconds / 2);
      queue.finish();
      expect([queue.shown, queue.cards.cuts, queue.cards.areStill(queue.cards.laid)]).toEqual([dealt, true, true]);
    });

    test('a few frames late delay nothing after them', async () => {
      push(dealt);
      const all = reveal(bets, dealt);
      const last = all.findLast((beat) => beat.open < beat.laid)!;
      const end = queue.cards.begin(() => {});
      vi.advanceTimersByTime(all.find((beat) => beat.open)!.at + 40);
      end();
      await vi.advanceTimersByTimeAsync(0);
      vi.advanceTimersByTime(last.at - all.find((beat) => beat.open)!.at - 40);
      expect(queue.shown).toEqual(last.views);
    });
  });

  test('holds back what a scene over the table keeps, and goes on afterwards', () => {
    push(dealt, { tempo: 0 });
    queue.hold();
    push(paid, { tempo: 0 });
    vi.advanceTimersByTime(10_000);
    expect([queue.shown, queue.running]).toEqual([dealt, false]);
    queue.release();
    expect(queue.shown).toBe(paid);
  });
});

describe('cards that a person deals', () => {
  const lies = (cards: number, down = 0, second = ''): Views =>
    view({
      stage: 'deal',
      turn: null,
      boxes: [
        box(1, [
          hand('8S', '8', { cards: cards > 0 ? ['8S', ...(second ? [second] : [])] : [], total: cards > 0 ? '8' : '' }),
        ]),
      ],
      dealer: {
        cards: cards > 1 ? ['9H'] : [],
        face_down: down,
        total: cards > 1 ? '9' : '',
        totals: cards > 1 ? ['9'] : [],
        community: [],
      },
    });
  const seen = (before: Views, after: Views): string[] =>
    order(reveal(before, after), lying({ views: before } as Beat));

  test('come one by one, each with its own state and none before it', () => {
    expect(seen(lies(0), lies(1))).toEqual(['1.0.0']);
    expect(seen(lies(1), lies(2))).toEqual(['dealer 0']);
    expect(seen(lies(2), lies(2, 0, '5D'))).toEqual(['1.0.1']);
    expect(seen(lies(2, 0, '5D'), lies(2, 1, '5D'))).toEqual(['dealer down 0']);
  });

  test('a round that begins without cards shows none', () => {
    expect(reveal(bets, lies(0)).flatMap(lying)).toEqual([]);
  });

  test('the deal is told as such until it is over', () => {
    const stages = reveal(lies(1), lies(2)).map((beat) => beat.views.open.stage);
    expect(new Set(stages)).toEqual(new Set(['deal']));
  });

  test('a card is laid at once: nothing is waited for', () => {
    expect(reveal(lies(1), lies(2))[0]!.at).toBe(0);
  });
});
