import type { TableOffer } from '../../parts/room/LobbyCard.svelte';
import type { Message } from '../../parts/room/ChatBox.svelte';
import type { GameResponse, Option, PrivateView, PublicView, Reason, Settled } from '../../wire/types';

/** Invented tables for the parts page. They have the shape of the wire, so that the parts are fed as they will be. */
export const reason = (code: string, numbers: Record<string, unknown> = {}): Reason => ({
  code,
  numbers,
});
const shut = (code: string, numbers: Record<string, unknown> = {}): Option => ({
  price: null,
  reasons: [reason(code, numbers)],
});

export const CHIPS = [100, 500, 1000, 2500, 5000, 10000, 50000, 100000];
const hand = (
  cards: string,
  total: string,
  stake: number,
  status = 'stood',
  outcome = '',
): PublicView['boxes'][number]['hands'][number] => ({
  cards: cards.split(' '),
  total,
  stake,
  added: 0,
  status,
  outcome,
});
const side = (
  bet: string,
  stake: number,
  won: string | null = '',
  returned: number | null = 0,
): PublicView['boxes'][number]['sides'][number] => ({ bet, stake, won, returned });
const box = (
  number: number,
  player: string,
  hands: PublicView['boxes'][number]['hands'],
  sides: PublicView['boxes'][number]['sides'] = [],
): PublicView['boxes'][number] => ({
  box: number,
  player,
  hands,
  face_down: 0,
  sides,
  behind: [],
  insurance: null,
  even_money: false,
  bonus: null,
});
const person = (player: string, name: string, bot = false): PublicView['people'][string] => ({ player, name, bot });
const seat = (number: number, player: string, streak = 0): PublicView['seats'][number] => ({
  box: number,
  player,
  streak,
  hottest: streak > 0,
  takes_behind: true,
  leaving: false,
});

export const NOW = 1_800_000_000_000;

/** What the tables of this page show of a sheet. */
export const game: GameResponse = {
  game: 'ventuno',
  name: 'Blackjack Ventuno',
  family: 'blackjack',
  solo: false,
  sheet: '7f3a',
  looks: {
    order: 1,
    cards: [],
    tone: 'green',
    hand: 'hand',
    start: 'deal',
    balance: 'balance',
    amounts: 'money',
    names: {},
  },
  chips: CHIPS,
  unit: 100,
  shown_as: 'to-one',
  limits: {
    main: { least: 500, most: 100_000 },
    'perfect-pairs': { least: 100, most: 20_000 },
    '21+3': { least: 100, most: 20_000 },
    behind: { least: 100, most: 50_000 },
  },
  vip: [],
  cash_out: {},
  certified: null,
  cites: {},
  draws: [],
  pay_tables: [],
  published: { base: 'initial', between: {}, returns: {} },
  switches: Object.entries({
    'seats.count': 7,
    'shoe.decks': 8,
    'dealer.soft_17': 'stand',
    'timeouts.hit_up_to': 11,
    'options.behind': true,
    'options.chat': true,
    'options.focus': true,
  }).map(([path, value]) => ({ path, value, criteria: [], readings: [], legal: '' })),
};

export const round: PublicView = {
  table: 'aurelia',
  game: 'ventuno',
  name: 'Blackjack Ventuno',
  sheet: '7f3a',
  practice: false,
  closing: false,
  phase: 'round',
  stage: 'play',
  code: 'AUR-151126-20:14:37 GMT',
  deadline: NOW + 9_000,
  span: 15_000,
  hurried_by: [],
  paused: null,
  shoe: 12,
  cards_left: 214,
  people: {
    g: person('g', 'Giulia_M'),
    t: person('t', 'Tommaso.R'),
    n: person('n', 'NonnoPippo'),
    me: person('me', 'Marco'),
    c: person('c', 'contessa_21'),
  },
  seats: [seat(1, 'g'), seat(2, 't'), seat(3, 'n', 5), seat(4, 'me'), seat(5, 'me'), seat(7, 'c')],
  dealer: { cards: ['QH'], face_down: 1, total: '10', totals: ['10'], community: [] },
  boxes: [
    box(1, 'g', [hand('AS KC', '21', 5000, 'blackjack')], [side('perfect-pairs', 500, null, null)]),
    box(2, 't', [hand('TS 5H 9C', '24', 0, 'bust', 'bust')]),
    {
      ...box(3, 'n', [hand('7D 4C 9H', '20', 20000)], [side('21+3', 1000, null, null)]),
      behind: [
        { player: 'x', stakes: [[1500, 0]], insurance: null },
        { player: 'y', stakes: [[1500, 0]], insurance: null },
        { player: 'z', stakes: [[1500, 0]], insurance: null },
      ],
    },
    box(
      4,
      'me',
      [hand('AD 6S', '7/17', 2500, 'playing')],
      [side('perfect-pairs', 500, null, null), side('21+3', 500, null, null)],
    ),
    box(
      5,
      'me',
      [hand('8C 8S', '16', 2500, 'playing')],
      [side('perfect-pairs', 500, 'coloured', 6500), side('21+3', 500, null, null)],
    ),
    box(7, 'c', [hand('TD JH', '20', 10000, 'playing')], [side('perfect-pairs', 2500, null, null)]),
  ],
  turn: { box: 4, hand: 1 },
  bets: [],
  lines: [],
  studio: null,
};

const closedBetting = Object.fromEntries(
  ['undo', 'clear', 'repeat', 'repeat-double', 'double', 'deal'].map((name) => [name, shut('BettingClosed')]),
);
export const mine: PrivateView = {
  player: 'me',
  balance: 118_450,
  staked: 7_000,
  chips: CHIPS.map((value) => ({ value, enabled: value <= 118_450 })),
  bets: [],
  boxes: [
    { box: 4, early: null, insurance: null, even_money: false, offer: null },
    { box: 5, early: 'split', insurance: null, even_money: false, offer: null },
  ],
  behind: [],
  limits: game.limits,
  options: {
    decisions: [
      { box: 4, action: 'hit', price: 0, reasons: [], total: '' },
      { box: 4, action: 'stand', price: 0, reasons: [], total: '' },
      { box: 4, action: 'double', price: 2500, reasons: [], total: '' },
      {
        box: 4,
        action: 'split',
        price: null,
        reasons: [reason('ActionNotAllowed', { action: 'split', reason: 'equal-value' })],
        total: '',
      },
      {
        box: 4,
        action: 'surrender',
        price: null,
        reasons: [reason('ActionNotAllowed', { action: 'surrender', reason: 'not-offered' })],
        total: '',
      },
    ],
    early: [],
    betting: closedBetting,
    spots: [],
  },
  session: 'M4E5F00A2C71B9D8',
  participation: 'N9A1047CE23F58B6',
  warned: [],
  warned_until: null,
};

/**
 * The same table while bets are open: one chip down on box 4, a side bet closed for lack of a main bet, one at its
 * limit.
 */
export const betting: PublicView = {
  ...round,
  phase: 'betting',
  stage: '',
  turn: null,
  deadline: NOW + 11_000,
  dealer: { cards: [], face_down: 0, total: '', totals: [], community: [] },
  boxes: [],
  bets: [{ player: 'n', box: 3, bet: 'main', amount: 20_000 }],
};
export const bettingMine: PrivateView = {
  ...mine,
  boxes: mine.boxes.map((box) => ({ ...box, early: null })),
  staked: 4_500,
  bets: [
    { player: 'me', box: 4, bet: 'main', amount: 4000 },
    { player: 'me', box: 4, bet: 'perfect-pairs', amount: 500 },
  ],
  options: {
    decisions: [],
    early: [],
    betting: {
      undo: { price: 0, reasons: [] },
      clear: { price: 0, reasons: [] },
      repeat: shut('AlreadyBetting'),
      double: { price: 4500, reasons: [] },
      deal: { price: 0, reasons: [] },
    },
    spots: [
      { box: 4, bet: 'main', price: 500, reasons: [] },
      { box: 4, bet: 'perfect-pairs', price: 100, reasons: [] },
      { box: 4, bet: '21+3', price: 100, reasons: [] },
      { box: 5, bet: 'main', price: 500, reasons: [] },
      { box: 5, bet: 'perfect-pairs', price: null, reasons: [reason('MainBetMissing', { bet: 'perfect-pairs' })] },
      { box: 5, bet: '21+3', price: null, reasons: [reason('MainBetMissing', { bet: '21+3' })] },
      { box: 3, bet: 'behind', price: 100, reasons: [] },
      { box: 1, bet: 'behind', price: null, reasons: [reason('BehindForbidden', { box: 1 })] },
    ],
  },
};

const line = (
  bet: string,
  [stake, returned]: readonly [number, number],
  criterion: string,
  arithmetic: string,
  [number, hand]: readonly [number, number],
): Settled => ({ player: 'me', bet, stake, returned, criterion, arithmetic, box: number, hand });
export const lines: Settled[] = [
  line('main', [2500, 5000], 'V-19', '2500 + 1 x 2500', [4, 1]),
  line('double', [2500, 5000], 'V-11', '2500 + 1 x 2500', [4, 1]),
  line('perfect-pairs', [500, 0], 'V-21', '0', [4, 0]),
  line('main', [2500, 6250], 'V-19', '2500 + 3/2 x 2500', [5, 1]),
  line('split', [2500, 2500], 'V-14', '2500', [5, 2]),
  line('perfect-pairs', [500, 6500], 'V-21', '500 + 12 x 500', [5, 0]),
  line('insurance', [1250, 0], 'V-06', '0', [5, 0]),
];

export const resultsMine: PrivateView = {
  ...mine,
  boxes: bettingMine.boxes,
  balance: 136_950,
  options: { ...mine.options, decisions: [] },
};

/** The round paid: the dealer had 17. */
export const results: PublicView = {
  ...round,
  phase: 'results',
  stage: '',
  turn: null,
  deadline: NOW + 4_000,
  dealer: { cards: ['QH', '7C'], face_down: 0, total: '17', totals: ['10', '17'], community: [] },
  boxes: [
    box(3, 'n', [hand('7D 4C 9H', '20', 20000, 'stood', 'win')]),
    box(4, 'me', [{ ...hand('AD 6S 4H', '21', 2500, 'stood', 'win'), added: 2500 }], [side('perfect-pairs', 500)]),
    box(
      5,
      'me',
      [hand('8C TD', '18', 2500, 'stood', 'win'), hand('8S 9C', '17', 2500, 'stood', 'push')],
      [side('perfect-pairs', 500, 'coloured', 6500)],
    ),
    box(7, 'c', [hand('TD 6H', '16', 10000, 'stood', 'lose')]),
  ],
  lines,
};

export const messages: Message[] = [
  { id: 1, name: 'Elena', text: 'Buona fortuna a tutti.', host: true, own: false },
  { id: 2, name: 'Giulia_M', text: 'Blackjack al primo colpo!', host: false, own: false },
  { id: 3, name: 'NonnoPippo', text: 'Cinque di fila, chi mi segue?', host: false, own: false },
  { id: 4, name: 'Marco', text: 'Eccomi.', host: false, own: true },
];

const seats = (text: string): TableOffer['seats'] =>
  [...text].map((one) => (one === '1' ? 'taken' : one === '2' ? 'own' : 'free'));
const offer = (name: string, taken: string, least: number, most: number): TableOffer => ({
  table: name.toLowerCase(),
  name,
  seats: seats(taken),
  least,
  most,
  seconds: 15,
  hot: null,
  practice: false,
  closing: false,
  multi: true,
});
export const offers: TableOffer[] = [
  { ...offer('Aurelia', '1112201', 500, 100_000), hot: 5 },
  offer('Cassia', '0101100', 100, 20_000),
  { ...offer('Flaminia', '1111111', 2500, 250_000), seconds: 10, hot: 3, closing: true },
];
