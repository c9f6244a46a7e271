import type { Bet } from './shoe_document';
import { isAce, isNatural, isSoft, odds, paid, rank, sidePaid, total, value } from './hand';
import { Course, Forbidden, line } from './replay';
import type { BehindEntry, BoxEntry, Deed } from './scenario';
import type { Sheet } from './sheet';

/** A round of the blackjack family played again from its cards and decisions, as the sheet has it. */
export type Status = 'playing' | 'stood' | 'bust' | 'blackjack' | 'charlie' | 'cashed-out';
export interface Hand {
  cards: readonly number[];
  stake: number;
  added: number;
  status: Status;
  split: boolean;
  offer: number;
}
export interface Follower {
  entry: BehindEntry;
  stakes: [number, number][];
  insurance: number;
}
export interface Box {
  number: number;
  player: string;
  main: number;
  sides: readonly [string, number][];
  dealt: readonly number[];
  hands: Hand[];
  behind: Follower[];
  insurance: number;
  evenMoney: boolean;
}
export interface Played {
  boxes: readonly Box[];
  dealer: readonly number[];
}

const DOUBLE_FROM: Readonly<Record<string, number>> = { 'any-two': 0, '9-11': 9, '10-11': 10 };

export function play(course: Course, entries: readonly BoxEntry[]): Played {
  const { sheet } = course;
  const count = entries.length;
  const cards = course.draw(2 * count + 2);
  const [up, hole] = [cards[count]!, cards[2 * count + 1]!];
  const boxes = entries.map((entry, i) => laid(sheet, entry, [cards[i]!, cards[count + 1 + i]!]));
  if (sheet.insurance.offered && isAce(up))
    for (const box of boxes)
      insure(course, box, course.scenario.boxes.find((entry) => entry.box === box.number)?.behind ?? []);
  const looks =
    (sheet.dealer.peek.includes('A') && isAce(up)) || (sheet.dealer.peek.includes('ten') && value(up) === 10);
  if (looks && isNatural([up, hole])) return { boxes, dealer: [up, hole] };
  for (const box of boxes)
    for (let i = 0; i < box.hands.length; i += 1) while (box.hands[i]!.status === 'playing') decide(course, box, i, up);
  const dealer = [up, hole];
  while (boxes.some((box) => box.hands.some((hand) => hand.status === 'stood')) && draws(sheet, dealer))
    dealer.push(...course.draw(1));
  return { boxes, dealer };
}

function draws(sheet: Sheet, dealer: readonly number[]): boolean {
  const best = total(dealer);
  return best < 17 || (best === 17 && sheet.dealer.soft_17 === 'hit' && isSoft(dealer));
}

function laid(sheet: Sheet, entry: BoxEntry, dealt: readonly number[]): Box {
  const main = entry.main ?? 0;
  return {
    number: entry.box,
    player: entry.player,
    main,
    dealt,
    insurance: 0,
    evenMoney: false,
    sides: Object.keys(sheet.sides).flatMap((bet) =>
      entry.sides[bet] === undefined ? [] : [[bet, entry.sides[bet]] as [string, number]],
    ),
    hands: [
      {
        cards: dealt,
        stake: main,
        added: 0,
        status: isNatural(dealt) ? 'blackjack' : 'playing',
        split: false,
        offer: 0,
      },
    ],
    behind: entry.behind.map((one) => ({ entry: one, stakes: [[one.stake, 0]], insurance: 0 })),
  };
}

/** The owner is asked, then each bettor behind; who has a Blackjack may be offered even money instead (V-06, L-08). */
function insure(course: Course, box: Box, asked: readonly BehindEntry[]): void {
  const even = course.sheet.insurance.even_money && isNatural(box.dealt);
  const answer = course.decision(box.number, box.player);
  if (answer === 'even-money' && even) box.evenMoney = true;
  else if (!even || answer !== 'insure') box.insurance = premium(course, box.player, answer, box.main);
  else throw new Forbidden('decisions');
  for (const entry of asked) {
    const one = box.behind.find((follower) => follower.entry === entry)!;
    one.insurance = premium(course, entry.player, course.decision(box.number, entry.player), entry.stake);
  }
}

function premium(course: Course, player: string, answer: Deed, stake: number): number {
  if (answer === 'decline' || answer === 'timeout') return 0;
  const cost = Math.floor(stake / 2);
  if (answer !== 'insure' || course.against(player, cost)) throw new Forbidden('decisions');
  course.pay(player, cost);
  return cost;
}

function decide(course: Course, box: Box, index: number, up: number): void {
  const hand = box.hands[index]!;
  if (total(hand.cards) === 21) {
    hand.status = 'stood';
    return;
  }
  carryOut(course, box, index, allowed(course, box, hand, course.decision(box.number, box.player)), up);
}

/**
 * The decision itself; what takes its place after a time-out or without funds, where the sheet has it so (V-57, V-59).
 */
function allowed(course: Course, box: Box, hand: Hand, asked: Deed): Deed {
  const { sheet } = course;
  const late: Deed = total(hand.cards) <= sheet.timeouts.hit_up_to ? 'hit' : 'stand';
  if (asked === 'timeout') return late;
  if (asked === 'hit' || asked === 'stand') return asked;
  if (hand.cards.length !== 2 || !permitted(sheet, box, hand, asked)) throw new Forbidden('decisions');
  const lack = asked === 'cash-out' ? '' : course.against(box.player, hand.stake);
  if (!lack) return asked;
  if (lack === 'cap' || sheet.stakes.missing_funds !== 'substitute') throw new Forbidden('decisions');
  return asked === 'double' ? 'hit' : late;
}

function permitted(sheet: Sheet, box: Box, hand: Hand, asked: Deed): boolean {
  const [first = 0, second = 0] = hand.cards;
  switch (asked) {
    case 'double': {
      const least = DOUBLE_FROM[sheet.double.on] ?? 0;
      const best = total(hand.cards);
      return (!hand.split || sheet.double.after_split) && (!least || (best >= least && best <= 11));
    }
    case 'split': {
      const equal = sheet.split.equal === 'rank' ? rank(first) === rank(second) : value(first) === value(second);
      return (
        equal &&
        box.hands.length < sheet.split.hands &&
        !(hand.split && isAce(first) && sheet.split.aces === 'one-card')
      );
    }
    case 'cash-out':
      return !hand.split && sheet.cash_out.offered;
    default:
      return false;
  }
}

function carryOut(course: Course, box: Box, index: number, deed: Deed, up: number): void {
  const hand = box.hands[index]!;
  switch (deed) {
    case 'stand':
      hand.status = 'stood';
      return;
    case 'hit':
      hand.cards = [...hand.cards, ...course.draw(1)];
      hand.status = after(course.sheet, hand.cards, 'playing');
      return;
    case 'double':
      double(course, box, index);
      return;
    case 'split':
      split(course, box, index);
      return;
    default: {
      const rows = isSoft(hand.cards) ? course.sheet.cash_out.soft : course.sheet.cash_out.hard;
      hand.offer = rows[String(total(hand.cards))]?.[total([up]) - 2] ?? 0;
      hand.status = 'cashed-out';
    }
  }
}

function after(sheet: Sheet, cards: readonly number[], otherwise: Status): Status {
  if (total(cards) > 21) return 'bust';
  return sheet.charlie && cards.length >= sheet.charlie ? 'charlie' : otherwise;
}

function double(course: Course, box: Box, index: number): void {
  const hand = box.hands[index]!;
  course.pay(box.player, hand.stake);
  for (const one of followers(course, box, index, 'follow_double')) one.stakes[index]![1] += one.stakes[index]![0];
  hand.added = hand.stake;
  hand.cards = [...hand.cards, ...course.draw(1)];
  hand.status = after(course.sheet, hand.cards, 'stood');
}

function split(course: Course, box: Box, index: number): void {
  const {
    stake,
    cards: [first = 0, second = 0],
  } = box.hands[index]!;
  course.pay(box.player, stake);
  const going = new Set(followers(course, box, index, 'follow_split'));
  for (const one of box.behind) one.stakes.splice(index + 1, 0, [going.has(one) ? one.stakes[index]![0] : 0, 0]);
  const [one = 0, other = 0] = course.draw(2);
  const status: Status = isAce(first) && course.sheet.split.aces === 'one-card' ? 'stood' : 'playing';
  const pair = [
    [first, one],
    [second, other],
  ].map((cards) => ({ cards, stake, added: 0, status, split: true, offer: 0 }));
  box.hands.splice(index, 1, ...pair);
}

/** Bettors behind who go along and can: their stakes are put up (V-30, V-31, V-34). */
function followers(course: Course, box: Box, index: number, wish: 'follow_double' | 'follow_split'): Follower[] {
  const going = box.behind.filter((one) => {
    const stake = one.stakes[index]?.[0] ?? 0;
    return stake > 0 && one.entry[wish] && !course.against(one.entry.player, stake);
  });
  for (const one of going) course.pay(one.entry.player, one.stakes[index]![0]);
  return going;
}

interface Result {
  rule: string;
  odds?: string;
  base: number;
  added: number;
}
const EVEN = '1:1';
const fixed = (rule: string, base = 0, added = base): Result => ({ rule, base, added });
const won = (rule: string, pays: string): Result => ({ rule, odds: pays, base: 0, added: 0 });

function result(sheet: Sheet, { dealer }: Played, hand: Hand, index: number, evenMoney: boolean): Result {
  const natural = isNatural(dealer);
  if (hand.status === 'bust') return fixed('bust');
  if (hand.status === 'cashed-out') return fixed('cash-out', hand.offer, 0);
  if (evenMoney) return won('even-money', EVEN);
  if (natural) return hand.status === 'blackjack' ? fixed('push', 100) : taken(sheet, dealer, index);
  if (hand.status === 'blackjack') return won('blackjack', sheet.blackjack.pays);
  if (hand.status === 'charlie') return won('charlie', EVEN);
  const [mine, theirs] = [total(hand.cards), total(dealer)];
  if (theirs > 21 || mine > theirs) return won('win', EVEN);
  return mine === theirs ? fixed('push', 100) : fixed('lose');
}

/** A dealer's Blackjack takes what the sheet says for that up-card (V-09, L-12). */
function taken(sheet: Sheet, dealer: readonly number[], index: number): Result {
  const ace = isAce(dealer[0] ?? 0);
  const takes = ace ? sheet.dealer_blackjack_takes.ace : sheet.dealer_blackjack_takes.ten;
  return fixed(
    ace ? 'dealer-blackjack-ace' : 'dealer-blackjack-ten',
    takes === 'original' && index > 0 ? 100 : 0,
    takes === 'all' ? 0 : 100,
  );
}

export function boxLines(sheet: Sheet, played: Played, box: Box, prizeOf: (box: Box) => number): Bet[] {
  const found: Bet[] = [];
  const stakes = (
    player: string,
    names: readonly [string, string],
    index: number,
    how: Result,
    amounts: readonly [number, number],
    rule: string,
  ): void => {
    for (const [place, stake] of amounts.entries()) {
      const back = how.odds ? paid(odds(how.odds), stake) : Math.floor((stake * (place ? how.added : how.base)) / 100);
      if (stake) found.push(line(sheet, player, names[place]!, stake, back, rule, box.number, index + 1));
    }
  };
  const insured = (player: string, bet: string, stake: number): void => {
    if (stake)
      found.push(
        line(
          sheet,
          player,
          bet,
          stake,
          isNatural(played.dealer) ? paid(odds(sheet.insurance.pays), stake) : 0,
          'insurance',
          box.number,
        ),
      );
  };
  for (const [index, hand] of box.hands.entries()) {
    const how = result(sheet, played, hand, index, box.evenMoney);
    stakes(box.player, [index ? 'split' : 'main', 'double'], index, how, [hand.stake, hand.added], how.rule);
  }
  insured(box.player, 'insurance', box.insurance);
  for (const [bet, stake] of box.sides)
    found.push(line(sheet, box.player, bet, stake, sideBack(sheet, played, box, bet, stake, prizeOf), bet, box.number));
  for (const one of box.behind) {
    for (const [index, amounts] of one.stakes.entries())
      stakes(
        one.entry.player,
        [index ? 'behind-split' : 'behind', 'behind-double'],
        index,
        result(sheet, played, box.hands[index]!, index, false),
        amounts,
        'behind',
      );
    insured(one.entry.player, 'behind-insurance', one.insurance);
  }
  return found;
}

function sideBack(
  sheet: Sheet,
  { dealer }: Played,
  box: Box,
  bet: string,
  stake: number,
  prizeOf: (box: Box) => number,
): number {
  const side = sheet.sides[bet]!;
  if (side.kind === 'bonus') return isNatural(box.dealt) ? stake * (prizeOf(box) + 1) : 0;
  const stoodPat = box.hands.length === 1 && box.hands[0]!.cards.length === 2;
  if (side.kind === 'pair' && sheet.pair_requires_stand && !stoodPat) return 0;
  return sidePaid(side, side.kind === 'three-cards' ? [...box.dealt, dealer[0] ?? 0] : box.dealt, stake);
}
