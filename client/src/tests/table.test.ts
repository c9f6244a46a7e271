import { beforeEach, describe, expect, test } from 'vitest';
import { RANKS, SUITS, read } from '../art/cards';
import { stackChips } from '../art/chips';
import { place } from '../art/arc';
import { betting, bettingMine, lines, mine, reason, results, resultsMine, round } from '../pages/parts/samples';
import { NO_MARKS, boxShown, boxesShown, spotName, spotShown } from '../table/boxes';
import { choices } from '../table/choices';
import { tableOffer } from '../table/lobby_cards';
import {
  handResults,
  lineTitle,
  sumLines,
  weighLines,
  writeArithmetic,
  writeNet,
  writeReturn,
} from '../table/settlement';
import { announceChanges, describeTable } from '../table/text';
import { grandWins } from '../table/wins';
import { spoken } from '../words/why';
import { dealerKind, focusView, viewsOnFelt } from '../table/views';
import { speak } from '../words/words.svelte';
import type { PrivateView, Reason } from '../wire/types';
import { writeCode } from '../words/amounts';

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');
beforeEach(() => speak('it'));

describe('cards and chips', () => {
  test('all 52 are read and named', () => {
    const all = SUITS.flatMap((suit) => RANKS.map((rank) => rank + suit));
    expect(new Set(all.map((code) => spoken(code))).size).toBe(52);
    expect(all.every((code) => read(code) !== null)).toBe(true);
    expect([read('1S'), read('AX'), read('10H'), read('')]).toEqual([null, null, null, null]);
    expect(spoken('AS')).toBe('Asso di picche');
  });

  test('a pile is made of the largest chips and never lies empty', () => {
    expect(stackChips(4000, [100, 500, 1000, 2500])).toEqual([2500, 1000, 500]);
    expect(stackChips(100_000, [100, 500])).toHaveLength(5);
    expect(stackChips(50, [100])).toEqual([100]);
    expect(stackChips(0, [100])).toEqual([]);
  });

  test('the first box is right-most and all lie on the stage', () => {
    const places = Array.from({ length: 7 }, (_, at) => place(7, at));
    expect(places.every((one, at) => at === 0 || one.x < places[at - 1]!.x)).toBe(true);
    expect(places.every((one) => one.x > 0 && one.x < 1440 && one.y > 0 && one.y < 756)).toBe(true);
    expect(place(1, 0).x).toBeCloseTo(720);
  });
});

describe('boxes from the wire', () => {
  test('the turn is active, the rest dims, a free seat has nobody', () => {
    const shown = boxesShown(round, mine, 7);
    expect(shown.map((box) => box.active)).toEqual([false, false, false, true, false, false, false]);
    expect(shown[5]).toMatchObject({ player: null, hands: [] });
    expect(shown[4]).toMatchObject({ own: true, early: 'split', dim: true });
    expect(shown[2]).toMatchObject({ streak: 5, hottest: true, behind: { count: 3, amount: 4500, open: false } });
  });

  test('totals have their kinds', () => {
    const kinds = boxesShown(round, mine, 7).map((box) => box.hands[0]?.kind);
    expect(kinds).toEqual(['blackjack', 'bust', 'plain', 'live', 'plain', undefined, 'plain']);
    expect(boxShown(results, resultsMine, 5).hands.map((hand) => [hand.kind, hand.net])).toEqual([
      ['win', 3750],
      ['push', 0],
    ]);
    expect(boxShown(results, resultsMine, 7).hands[0]).toMatchObject({ kind: 'lose', net: null });
  });

  test('a spot is open, closed or still only because the options say so', () => {
    const box = boxShown(betting, bettingMine, 5);
    expect(box.main.state).toBe('open');
    expect(box.sides.map((side) => [side.bet, side.state, side.reasons[0]?.code])).toEqual([
      ['perfect-pairs', 'closed', 'MainBetMissing'],
      ['21+3', 'closed', 'MainBetMissing'],
    ]);
    expect(boxShown(round, mine, 4).main.state).toBe('idle');
    expect(boxShown(betting, bettingMine, 3).behind).toEqual({ count: 0, amount: 0, open: true, reasons: [] });
    expect(boxShown(betting, bettingMine, 1).behind).toBeNull();
  });

  test('a bet behind that the house refuses this player alone is a closed control with its reason (X-19)', () => {
    const linked = reason('LinkedAccounts', { box: 3 });
    const closed = (why: Reason): PrivateView => ({
      ...bettingMine,
      options: {
        ...bettingMine.options,
        spots: bettingMine.options.spots.map((one) =>
          one.box === 3 && one.bet === 'behind' ? { ...one, price: null, reasons: [why] } : one,
        ),
      },
    });
    expect(boxShown(betting, closed(linked), 3).behind).toEqual({
      count: 0,
      amount: 0,
      open: false,
      reasons: [linked],
    });
    const limited = reason('ProtectionLimit', { name: 'loss:day', limit: 500, used: 1000, asked: 10 });
    expect(boxShown(betting, closed(limited), 3).behind).toEqual({
      count: 0,
      amount: 0,
      open: false,
      reasons: [limited],
    });
    expect(boxShown(betting, closed(reason('BehindForbidden', { box: 3 })), 3).behind).toBeNull();
    expect(boxShown(betting, closed(reason('BoxEmpty', { box: 3 })), 3).behind).toBeNull();
  });

  test('chips on their way are counted and marked, a limit is noted', () => {
    const marks = {
      pending: new Map([[spotName(4, 'main'), 1000]]),
      refused: new Map([[spotName(4, '21+3'), reason('LimitReached', { bet: '21+3', maximum: 1, asked: 2 })]]),
    };
    const box = boxShown(betting, bettingMine, 4, marks);
    expect(box.main).toMatchObject({ amount: 5000, pending: true });
    expect(box.sides.find((side) => side.bet === '21+3')).toMatchObject({ limit: true });
    expect(boxShown(betting, bettingMine, 4, NO_MARKS).main).toMatchObject({ amount: 4000, pending: false });
  });

  test('a won side bet shows what it brings on top', () => {
    expect(boxShown(round, mine, 5).sides[0]).toMatchObject({ state: 'won', won: { name: 'coloured', gain: 6000 } });
    expect(boxShown(round, mine, 4).sides[0]!.state).toBe('idle');
  });

  test('a changed sheet is shown as it is: another bet appears, another payout is written', () => {
    const more = { ...bettingMine, limits: { ...bettingMine.limits, 'lucky-ladies': { least: 100, most: 500 } } };
    expect(boxShown(betting, more, 4).sides.map((side) => side.bet)).toContain('lucky-ladies');
    expect(plain(writeArithmetic('2500 + 6/5 x 2500'))).toBe('€ 25,00 + 6/5 × € 25,00');
  });
});

describe('choices', () => {
  test('show every option of the game with price or reason, and none it does not have', () => {
    const list = choices(round, mine, 4, { hit: 'C' }, 'stand');
    expect(list.map((choice) => [choice.action, plain(choice.hint), choice.reasons.length, choice.pending])).toEqual([
      ['hit', 'una in più', 0, false],
      ['stand', 'con 17', 0, true],
      ['double', '+ € 25,00', 0, false],
      ['split', 'senza costo', 1, false],
    ]);
    expect(list[0]!.key).toBe('C');
  });
});

describe('sums', () => {
  test('are written as money, factors stay factors', () => {
    expect(plain(writeArithmetic('2500 + 3/2 x 2500'))).toBe('€ 25,00 + 3/2 × € 25,00');
    expect(plain(writeArithmetic('25 x 100'))).toBe('25 × € 1,00');
    expect(plain(writeArithmetic('200/100 x 500')), 'an ante that is paid twice').toBe('2 × € 5,00');
    expect(plain(writeArithmetic('50/100 x 500'))).toBe('1/2 × € 5,00');
    expect(plain(writeArithmetic('85/100 x 500'))).toBe('85/100 × € 5,00');
    expect(plain(writeArithmetic('100000 - 120000'))).toBe('€ 1.000,00 − € 1.200,00');
  });
  test('add up', () => {
    expect(sumLines(lines)).toEqual({ staked: 12_250, returned: 25_250, net: 13_000 });
    expect(plain(writeNet(sumLines(lines)))).toBe('€ 252,50 − € 122,50 = + € 130,00');
    expect(lineTitle(lines[4]!)).toBe('Box 5, mano 2, divisione');
    expect(lineTitle(lines[4]!, {}, 'solo.hand'), 'as the felt of a game for one says').toBe('Mano 5, n. 2, divisione');
    expect(lineTitle({ ...lines[4]!, hand: 1, bet: 'main' }, {}, 'solo.seat')).toBe('Posto 5, Puntata principale');
  });
});

describe('the table in words', () => {
  test('tells what is on the felt and what may be done', () => {
    const told = describeTable(round, mine, 7);
    expect(told.dealer).toBe('Il banco ha Donna di cuori, una coperta, totale 10.');
    expect(told.boxes[5]).toBe('Box 6: libero.');
    expect(plain(told.boxes[3]!)).toBe(
      'Box 4, Tu: Asso di quadri, 6 di picche, totale 7/17, ' +
        'posta € 25,00; Coppie Perfette € 5,00; 21+3 € 5,00; tocca a te.',
    );
    expect(plain(told.may)).toBe('Puoi: Carta, Stai, Raddoppia (€ 25,00).');
    expect(told.not).toEqual(['Dividi non si può: servono due carte di pari valore']);
  });

  test('v61: in focus mode a taken box is all that is said of others', () => {
    const others = Object.values(round.people).filter((person) => person.player !== mine.player);

    const named = (text: string): string[] => others.map((person) => person.name).filter((name) => text.includes(name));
    expect(named(JSON.stringify(describeTable(round, mine, 7))).length).toBeGreaterThan(1);
    const told = describeTable(focusView(round, mine.player), mine, 7);
    expect(named(JSON.stringify(told))).toEqual([]);
    for (const { box, player } of round.seats)
      if (player !== mine.player) expect(told.boxes[box - 1]).toBe(`Box ${box}: occupato.`);
    expect(told.boxes[3]).toBe(describeTable(round, mine, 7).boxes[3]);
  });

  test('during a bonus nothing is decided: the wheel is named, and no closed decision is explained', () => {
    const bonus = { ...round, turn: { ...round.turn!, hand: 0 } };
    const told = describeTable(bonus, mine, 7);
    expect(told.may).toBe('Bonus, box 4. Puoi: Gira.');
    expect(told.not).toEqual([]);
    expect(announceChanges(round, bonus, mine)).toEqual([{ text: 'Bonus, box 4: gira.', urgent: true }]);
  });

  test('announces a turn at once and says nothing twice', () => {
    const said = announceChanges({ ...round, turn: null }, round, mine);
    expect(said.map((one) => one.urgent)).toEqual([true]);
    expect(said[0]!.text).toContain('Tocca a te, box 4: 7/17.');
    expect(announceChanges(round, round, mine)).toEqual([]);
  });

  test('announces the deal, a card of one’s own, a pause and the result', () => {
    expect(announceChanges(betting, { ...round, turn: null }, mine).map((one) => one.text)).toEqual([
      'Niente più puntate.',
      'Carte in tavola. Il banco mostra Donna di cuori.',
      'Le tue carte, box 4: Asso di quadri, 6 di picche, totale 7/17.',
      'Le tue carte, box 5: 8 di fiori, 8 di picche, totale 16.',
    ]);
    const drawn = {
      ...round,
      boxes: round.boxes.map((box) =>
        box.box === 4 ? { ...box, hands: [{ ...box.hands[0]!, cards: ['AD', '6S', '4H'], total: '21' }] } : box,
      ),
    };
    expect(announceChanges(round, drawn, mine).map((one) => one.text)).toEqual(['Box 4: 4 di cuori, totale 21.']);
    expect(announceChanges(round, { ...round, paused: 'controllo' }, mine)).toEqual([
      { text: 'Il tavolo è in pausa: controllo.', urgent: true },
    ]);
    expect(plain(announceChanges(round, results, mine).at(-1)!.text)).toBe('Risultato della mano: + € 130,00.');
  });
});

test('a line of the lobby becomes a card: own seats, taken ones, free ones', () => {
  const line = {
    table: 'Aurelia',
    game: 'g',
    name: 'n',
    sheet: 's',
    language: '',
    video: '',
    seats: 5,
    free: 2,
    taken: [1, 3, 5],
    people: 2,
    limits: { main: { least: 100, most: 500 } },
    betting_seconds: 15,
    decision_seconds: 12,
    streaks: [2, 4],
    phase: 'betting',
    deadline: null,
    paused: false,
    rounds: 1,
    multi_table: true,
    cards: 'sealed',
    dealer: '',
  };
  const own = {
    table: 'Aurelia',
    game: 'g',
    name: 'n',
    purse: 0,
    staked: 0,
    boxes: [3],
    open_round: '',
    practice: false,
    session: '',
    participation: '',
    issuer: '',
  };
  expect(tableOffer(line, [own])).toMatchObject({
    seats: ['taken', 'free', 'own', 'free', 'taken'],
    people: 2,
    hot: 4,
    least: 100,
    multi: true,
  });
  expect(tableOffer({ ...line, streaks: [] }, []).hot).toBeNull();
});

test('v70: a hand of a past round brings each player what his own bets brought, and nobody what others staked', () => {
  const line = (player: string, bet: string, hand: number, stake: number, returned: number) => ({
    ...{ player, bet, hand, stake, returned, box: 4 },
    ...{ criterion: '', arithmetic: '' },
  });
  const lines = [
    line('carla', 'behind', 1, 700, 1_400),
    line('me', 'main', 1, 1_000, 2_000),
    line('me', 'perfect-pairs', 0, 200, 0),
    line('me', 'main', 2, 1_000, 0),
    { ...line('dino', 'main', 1, 300, 0), box: 5 },
  ];
  expect(handResults(lines, 4, 1, 'me')).toEqual([
    { player: 'me', behind: false, net: 800 },
    { player: 'carla', behind: true, net: 700 },
  ]);
  expect(handResults(lines, 4, 2, 'me')).toEqual([{ player: 'me', behind: false, net: -1_000 }]);
  expect(handResults([], 4, 1, 'me')).toEqual([]);
});

describe('what a round brought', () => {
  test('each hand has its pile, a double one beside it, a win one more, and what is lost is swept', () => {
    const box = { ...results.boxes.find((one) => one.box === 5)! };
    const [first, second] = box.hands;
    const open = {
      ...results,
      boxes: [
        {
          ...box,
          hands: [
            { ...first!, added: 500 },
            { ...second!, status: 'bust' },
          ],
        },
      ],
    };
    const piles = boxShown(open, resultsMine, 5).main.piles!;
    expect(piles.map((pile) => pile.fate)).toEqual(['', '', 'won', 'lost']);
    expect(piles[1]!.amount).toBe(500);
    expect(boxShown(betting, bettingMine, 4).main.piles).toBeUndefined();
  });

  test('the lines that weigh most are told first, the others in a sum, and all of it adds up', () => {
    const line = (bet: string, stake: number, returned: number) => ({ ...lines[0]!, bet, stake, returned });
    const all = [line('main', 300, 0), line('pair', 100, 1200), line('21+3', 100, 3000), line('dealer-pair', 100, 0)];
    const { first, rest } = weighLines(all, 3);
    expect(first.map((one) => one.bet)).toEqual(['21+3', 'pair']);
    expect(rest).toEqual({ count: 2, staked: 400, returned: 0, net: -400 });
    expect(weighLines(all.slice(0, 3), 3)).toMatchObject({ rest: { count: 0 } });
    expect(weighLines(all.slice(0, 3), 3).first).toHaveLength(3);
  });

  test("25 to 1 and more is a moment of its own, once, and only of one's own", () => {
    const own = round.boxes.find((one) => one.player === mine.player)!;
    const side = (stake: number, returned: number, player = mine.player) => ({
      open: {
        ...round,
        boxes: [{ ...own, player, sides: [{ bet: 'perfect-pairs', stake, won: 'perfect', returned }] }],
        lines: [{ ...lines[0]!, player, box: own.box, bet: 'perfect-pairs', stake, returned }],
      },
      mine,
    });
    expect(grandWins(side(100, 2600))).toMatchObject([{ box: own.box, won: 'perfect', gain: 2500, times: 25 }]);
    expect(grandWins(side(100, 2600))[0]!.cards).toEqual(own.hands[0]!.cards.slice(0, 2));
    expect(grandWins(side(100, 2500))).toEqual([]);
    expect(grandWins(side(100, 2600, 'other'))).toEqual([]);
    const paid = side(100, 2600);
    expect(grandWins({ ...paid, open: { ...paid.open, phase: 'results' } })).toHaveLength(1);
  });

  test('an insurance is not told of a round that is over, and a Blackjack of the dealer is called one', () => {
    const insured = { ...mine, boxes: mine.boxes.map((one) => ({ ...one, insurance: 500 })) };
    const cleared = viewsOnFelt({ ...round, phase: 'betting' }, insured, false, '');
    expect(boxShown(cleared.open, insured, 5).insurance).toBeNull();
    const dealer = { cards: ['AS', 'KD'], face_down: 0, total: '21', totals: ['1/11', '21'], community: [] };
    expect(dealerKind({ ...results, dealer })).toBe('blackjack');
    expect(dealerKind({ ...results, dealer: { ...dealer, cards: ['AS', '4D', '6C'] } })).toBe('plain');
    expect(dealerKind({ ...results, dealer: { ...dealer, total: '24' } })).toBe('bust');
  });
});

test('v66: the code of a round carries its GMT time as the regulation writes it', () => {
  expect(writeCode('Ventuno 1-20261115-201437-12')).toBe('Ventuno 1-151126-20:14:37 GMT');
  expect(writeCode('practice-7-2-20261115-000501-1')).toBe('practice-7-2-151126-00:05:01 GMT');
  expect(['', 'anything'].map(writeCode)).toEqual(['', 'anything']);
});

test('v44: a spot that an own limit closes names the chip that was asked', () => {
  const closed = reason('ProtectionLimit', { name: 'stake:day', limit: 5_000, used: 5_000, asked: 10 });
  const options = { ...bettingMine.options, spots: [{ box: 4, bet: 'main', price: null, reasons: [closed] }] };
  const marks = { ...NO_MARKS, chip: 500 };
  const shown = spotShown(betting, { ...bettingMine, options }, 4, 'main', undefined, marks);
  expect(shown.reasons.map((one) => one.numbers.asked)).toEqual([500]);
});

describe('a game that prints what comes back in all', () => {
  test('tells its past so, and not by odds that it does not use (S-31)', () => {
    const line = { bet: 'main', box: 3, hand: 1, player: '1', criterion: 'S-31', arithmetic: '250 + 3/2 x 250' };
    expect(writeReturn({ ...line, stake: 250, returned: 625 })).toBe('€\u00a02,50 × 2,5');
    expect(writeReturn({ ...line, stake: 100, returned: 0 }, (cents) => `${cents} cent`)).toBe('100 cent × 0');
  });
});
