import { beforeEach, describe, expect, test, vi } from 'vitest';
import { callChange, LAST_BETS, listCalls, sayCall } from '../pages/dealer/calls';
import { FORGET, listenToDesk } from '../pages/dealer/desk_keys';
import { findDuty, listPayments, listScanned, listSteps, titleDuty } from '../pages/dealer/duty';
import { mayDeal } from '../pages/dealer/tables';
import { writeCode } from '../scan/codes';
import type { Box, Hand, MeResponse, PublicView, Studio, Wanted } from '../wire/types';
import { speak } from '../words/words.svelte';

const studio = (more: Partial<Studio> = {}): Studio => ({
  wanted: null,
  out: 1,
  cut_out: false,
  dealer: 'Carla',
  scans: 0,
  misdeal: '',
  committed: [],
  ...more,
});
const wanted = (place: Wanted['place'], box: number, card: number, more: Partial<Wanted> = {}): Wanted => ({
  place,
  box,
  hand: 1,
  card,
  face: 'up',
  ...more,
});
const hand = (cards: string, total: string, more: Partial<Hand> = {}): Hand => ({
  added: 0,
  cards: cards ? cards.split(' ') : [],
  outcome: '',
  stake: 500,
  status: 'playing',
  total,
  ...more,
});
const box = (number: number, ...hands: Hand[]): Box => ({
  behind: [],
  bonus: null,
  box: number,
  even_money: false,
  face_down: 0,
  hands,
  insurance: null,
  player: '7',
  sides: [],
});
function table(more: Partial<PublicView> = {}): PublicView {
  return {
    bets: [],
    boxes: [],
    cards_left: 400,
    closing: false,
    code: 'T1-1',
    deadline: null,
    dealer: { cards: [], community: [], face_down: 0, total: '', totals: [] },
    game: 'ventuno',
    hurried_by: [],
    lines: [],
    name: 'Ventuno',
    paused: null,
    people: { '7': { player: '7', name: 'Ada', bot: false } },
    phase: 'round',
    practice: false,
    seats: [],
    sheet: 'x',
    shoe: 1,
    span: null,
    stage: 'deal',
    table: 'Sala 1',
    turn: null,
    studio: studio(),
    ...more,
  };
}
const dealer = (cards: string, total: string, face_down = 0): PublicView['dealer'] => ({
  cards: cards ? cards.split(' ') : [],
  community: [],
  face_down,
  total,
  totals: [],
});
const doing = (open: PublicView): string => findDuty(open).do;
const title = (open: PublicView): string => titleDuty(open, findDuty(open));
const steps = (open: PublicView): string[] => listSteps(open, findDuty(open), (code) => code);
const calls = (open: PublicView, left: number | null = null): string[] =>
  listCalls(open, left).map((one) => sayCall('it', one));

beforeEach(() => speak('it'));

describe('the next action in large type', () => {
  test.each([
    [wanted('box', 3, 2), 'Box 3, seconda carta', 'Box 3, second card'],
    [wanted('box', 1, 1), 'Box 1, prima carta', 'Box 1, first card'],
    [wanted('box', 1, 9), 'Box 1, 9ª carta', 'Box 1, card 9'],
    [wanted('dealer', 0, 2, { face: 'down' }), 'Banco, seconda carta', 'Dealer, second card'],
    [wanted('community', 0, 1), 'Centro del tavolo, prima carta', 'Middle of the table, first card'],
    [wanted('burn', 0, 1, { face: 'down' }), 'Carta da bruciare', 'Burn card'],
    [wanted('shoe', 0, 0), 'Mescola, poi dichiara il nuovo sabot', 'Shuffle, then declare the new shoe'],
  ])('%o', (next, it, en) => {
    const open = table({ studio: studio({ wanted: next }) });
    expect(title(open)).toBe(it);
    speak('en');
    expect(title(open)).toBe(en);
  });

  test('names the hand only where a box has two', () => {
    const two = [box(3, hand('8S', '8'), hand('8D', '8'))];
    const next = wanted('box', 3, 2, { hand: 2 });
    expect(title(table({ boxes: two, studio: studio({ wanted: next }) }))).toBe('Box 3, mano 2, seconda carta');
  });
});

describe('what the dealer must do now', () => {
  const hole = { wanted: wanted('dealer', 0, 2, { face: 'down' }) };
  test.each<[string, PublicView]>([
    ['deal', table({ studio: studio({ wanted: wanted('box', 1, 1) }) })],
    ['deal', table({ studio: studio(hole) })],
    ['draw', table({ studio: studio({ wanted: wanted('box', 1, 3) }) })],
    [
      'draw',
      table({ boxes: [box(1, hand('8S', '8'), hand('8D', '8'))], studio: studio({ wanted: wanted('box', 1, 2) }) }),
    ],
    ['draw', table({ studio: studio({ wanted: wanted('dealer', 0, 3) }) })],
    ['burn', table({ phase: 'shuffling', studio: studio({ wanted: wanted('burn', 0, 1) }) })],
    ['shoe', table({ phase: 'betting', studio: studio({ wanted: wanted('shoe', 0, 0) }) })],
    ['bets-first', table({ phase: 'betting' })],
    ['bets', table({ phase: 'betting', deadline: 10, span: 10 })],
    ['decision', table({ boxes: [box(2, hand('8S 5D', '13'))], turn: { box: 2, hand: 1 } })],
    ['bonus', table({ boxes: [box(2, hand('8S 5D', '13'))], turn: { box: 2, hand: 0 } })],
    ['insurance', table({ stage: 'insurance' })],
    ['pay', table({ phase: 'results' })],
    ['pause', table({ paused: 'break', studio: studio({ wanted: wanted('box', 1, 1) }) })],
    ['misdeal', table({ paused: 'misdeal', studio: studio({ misdeal: 'card-exposed' }) })],
    ['nobody', table({ studio: studio({ dealer: '', wanted: wanted('box', 1, 1) }) })],
    ['closed', table({ phase: 'closed' })],
  ])('%s', (duty, open) => expect(doing(open)).toBe(duty));

  test('a card face down is said so, and nobody waits for a clock', () => {
    expect(steps(table({ studio: studio(hole) }))[0]).toContain('coperta');
  });

  test('the hole card is turned before the first draw, and not again', () => {
    const third = table({ dealer: dealer('9S 5D', '14'), studio: studio({ wanted: wanted('dealer', 0, 3) }) });
    const fourth = table({ dealer: dealer('9S 2D 3C', '14'), studio: studio({ wanted: wanted('dealer', 0, 4) }) });
    expect(steps(third)).toEqual(['Gira la carta coperta.', 'Il banco tira: leggi la carta, poi posala.']);
    expect(steps(fourth)).toEqual(['Il banco tira: leggi la carta, poi posala.']);
  });

  test('a dealer card that still lies face down is not said to be turned', () => {
    const open = table({ phase: 'results', dealer: dealer('9S', '9', 1), lines: [line(1, 500, 0)] });
    expect(steps(open)).toEqual(['Dalla destra del banco, box per box.']);
  });

  test('boxes are paid in order, with all bets on them', () => {
    const open = table({ phase: 'results', lines: [line(3, 500, 0), line(1, 500, 1_000), line(1, 100, 0)] });
    expect(listPayments(open)).toEqual([
      { box: 1, net: 400 },
      { box: 3, net: -500 },
    ]);
  });
});

const line = (number: number, stake: number, returned: number): PublicView['lines'][number] => ({
  arithmetic: '',
  bet: 'main',
  box: number,
  criterion: 'V-01',
  hand: 1,
  player: '7',
  returned,
  stake,
});

describe('the calls', () => {
  test('follow the table', () => {
    expect(calls(table({ phase: 'betting' }))).toEqual(['Puntate, prego.']);
    expect(calls(table({ phase: 'betting', deadline: 1 }), LAST_BETS + 1)).toEqual(['Puntate, prego.']);
    expect(calls(table({ phase: 'betting', deadline: 1 }), LAST_BETS)).toEqual(['Ultime puntate.']);
    expect(calls(table({ studio: studio({ wanted: wanted('box', 1, 1) }) }))).toEqual(['Niente più puntate.']);
    expect(calls(table({ stage: 'insurance' }))).toEqual(['Assicurazione?']);
  });

  test('a soft total is said as two numbers, in both languages', () => {
    const open = table({
      boxes: [box(2, hand('AS 6D', '7/17'))],
      turn: { box: 2, hand: 1 },
      dealer: dealer('TS', '10', 1),
    });
    expect(calls(open)).toEqual(['Box 2, 7 o 17.', 'Il banco mostra 10.']);
    expect(listCalls(open).map((one) => sayCall('en', one))).toEqual(['Box 2, 7 or 17.', 'Dealer shows 10.']);
  });

  test.each([
    ['AS KD', '21', 'Blackjack al banco.'],
    ['9S KD 5C', '24', 'Il banco sballa.'],
    ['9S KD', '19', 'Banco, 19.'],
  ])('the end with %s', (cards, total, said) => {
    expect(calls(table({ phase: 'results', dealer: dealer(cards, total), lines: [line(1, 5, 0)] }))).toEqual([said]);
  });

  test('a bust is called with the card that made it, once', () => {
    const before = table({ boxes: [box(2, hand('8S TD', '18'))] });
    const after = table({ boxes: [box(2, hand('8S TD KC', '28', { status: 'bust' }))] });
    expect(callChange(before, after).map((one) => sayCall('it', one))).toEqual(['Box 2 sballa.']);
    expect(callChange(after, after)).toEqual([]);
  });
});

describe('what was scanned', () => {
  test('is told in the order of dealing; what lies face down is not named', () => {
    const open = table({
      boxes: [box(1, hand('2S 3S 4S', '9')), box(2, hand('5S 6S', '11'))],
      dealer: dealer('7S', '7', 1),
    });
    expect(listScanned(open).map((one) => one.code)).toEqual(['2S', '5S', '7S', '3S', '6S', null, '4S']);
  });

  test('every card of a split is told once', () => {
    const open = table({ boxes: [box(1, hand('8S 2S', '10'), hand('8D 3S 4S', '15'))], dealer: dealer('7S KC', '17') });
    expect(listScanned(open).map((one) => one.code)).toEqual(['8S', '7S', '8D', 'KC', '2S', '3S', '4S']);
  });
});

describe('who may deal', () => {
  const me = (role: string, second_factor: boolean): MeResponse => ({ role, second_factor }) as MeResponse;
  test.each([
    ['dealer', true, 'yes'],
    ['supervisor', true, 'yes'],
    ['dealer', false, 'factor'],
    ['player', true, 'role'],
    ['cashier', true, 'role'],
  ])('%s, second factor %s: %s', (role, factor, right) => expect(mayDeal(me(role, factor))).toBe(right));
});

describe('the keyboard of the desk', () => {
  function listening(): { heard: string[]; end: () => void } {
    const heard: string[] = [];
    const end = listenToDesk(window, {
      read: (code) => heard.push(code.kind === 'cut' ? 'cut' : code.card),
      refuse: (text) => heard.push(`? ${text}`),
      typed: () => undefined,
      run: (command) => heard.push(command),
    });
    return { heard, end };
  }
  const press = (key: string, on: EventTarget = document.body): KeyboardEvent => {
    const event = new KeyboardEvent('keydown', { key, code: '', bubbles: true, cancelable: true });
    on.dispatchEvent(event);
    return event;
  };
  const type = (text: string, on?: EventTarget): void => {
    for (const key of text) press(key, on);
  };

  test('reads a scanner, a hand, the cut card, wherever the focus is', () => {
    const { heard, end } = listening();
    const button = document.body.appendChild(document.createElement('button'));
    const pressed = vi.fn();
    button.addEventListener('click', pressed);
    button.focus();
    type(writeCode('TD'), button);
    expect(press('Enter', button).defaultPrevented).toBe(true);
    type('ks', button);
    press('Enter', button);
    type(writeCode('CUT'), button);
    press('Enter', button);
    expect(heard).toEqual(['TD', 'KS', 'cut']);
    expect(pressed).not.toHaveBeenCalled();
    button.remove();
    end();
  });

  test('says what is no card, and lets go of an Enter alone', () => {
    const { heard, end } = listening();
    type('V21-TD-0');
    press('Enter');
    expect(heard).toEqual(['? V21-TD-0']);
    expect(press('Enter').defaultPrevented).toBe(false);
    end();
  });

  test('a card typed by hand into a field stays there', () => {
    const { heard, end } = listening();
    const field = document.body.appendChild(document.createElement('input'));
    type('TD', field);
    expect(press('Enter', field).defaultPrevented).toBe(false);
    expect(heard).toEqual([]);
    type('9', field);
    type(writeCode('KS'));
    press('Enter');
    expect(heard).toEqual(['KS']);
    field.remove();
    end();
  });

  test('a scan into a field is a scan, whatever was written there before', () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    const { heard, end } = listening();
    const field = document.body.appendChild(document.createElement('input'));
    field.value = `ciao ${writeCode('TD')}`;
    type('ciao', field);
    now += 400;
    type(writeCode('TD'), field);
    expect(press('Enter', field).defaultPrevented).toBe(true);
    expect([heard, field.value]).toEqual([['TD'], 'ciao ']);
    field.remove();
    end();
    vi.restoreAllMocks();
  });

  test('forgets what was not ended, and Escape clears it', () => {
    vi.useFakeTimers();
    const { heard, end } = listening();
    type('T');
    vi.advanceTimersByTime(FORGET + 1);
    type('9D');
    press('Enter');
    type('K');
    press('Escape');
    type('2C');
    press('Enter');
    expect(heard).toEqual(['9D', '2C']);
    end();
    vi.useRealTimers();
  });

  test('has keys for the commands', () => {
    const { heard, end } = listening();
    for (const key of ['F2', 'F4', 'F8', 'F9', 'F10', 'F5']) press(key);
    expect(heard).toEqual(['unscan', 'pause', 'call-help', 'misdeal', 'new-shoe']);
    end();
  });
});
