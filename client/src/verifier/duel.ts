import type { Bet } from './shoe_document';
import { isSoft, odds, paid, sidePaid, total } from './hand';
import { Course, Forbidden, line } from './replay';
import type { BoxEntry, Deed } from './scenario';
import type { Sheet } from './sheet';

/** A round of the duel family: fold or choose a community card, then hit or stand; the dealer follows the house way. */
interface Hand {
  entry: BoxEntry;
  cards: number[];
  hidden: number;
  raise: number;
  status: 'choosing' | 'playing' | 'stood' | 'bust' | 'folded';
}

export function duelLines(course: Course, entries: readonly BoxEntry[]): Bet[] {
  const count = entries.length;
  const cards = course.draw(2 * count + 4);
  const community: [number, number] = [cards[count + 1]!, cards[count + 2]!];
  const hands: Hand[] = entries.map((entry, i) => ({
    entry,
    cards: [cards[i]!],
    hidden: cards[count + 3 + i]!,
    raise: 0,
    status: 'choosing',
  }));
  for (const hand of hands)
    while (hand.status === 'choosing' || hand.status === 'playing') decide(course, hand, community);
  const dealer = dealerCards(course.sheet, hands, community, cards[count]!, cards[2 * count + 3]!);
  return hands.flatMap((hand) => lines(course.sheet, hand, dealer, community));
}

function decide(course: Course, hand: Hand, community: readonly [number, number]): void {
  const { entry } = hand;
  if (hand.status === 'playing' && total(hand.cards) === 21) {
    hand.status = 'stood';
    return;
  }
  const choosing = hand.status === 'choosing';
  const lacks = course.against(entry.player, entry.main ?? 0) !== '';
  let deed: Deed = course.decision(entry.box, entry.player);
  if (deed === 'timeout') {
    deed = (choosing ? course.sheet.timeouts.choice : course.sheet.timeouts.second) as Deed;
    if (choosing && deed !== 'fold' && lacks) deed = 'fold';
  }
  if (!(choosing ? ['fold', 'left', 'right'] : ['hit', 'stand']).includes(deed)) throw new Forbidden('decisions');
  switch (deed) {
    case 'fold':
      hand.status = 'folded';
      return;
    case 'stand':
      hand.status = 'stood';
      return;
    case 'hit':
      hand.cards.push(hand.hidden);
      hand.status = total(hand.cards) > 21 ? 'bust' : 'stood';
      return;
    default:
      if (lacks) {
        if (
          course.sheet.stakes.missing_funds !== 'substitute' ||
          course.against(entry.player, entry.main ?? 0) === 'cap'
        )
          throw new Forbidden('decisions');
        hand.status = 'folded';
        return;
      }
      course.pay(entry.player, entry.main ?? 0);
      hand.raise = entry.main ?? 0;
      hand.cards.push(community[deed === 'left' ? 0 : 1]);
      hand.status = 'playing';
  }
}

/** He shows nothing unless some hand stands against him; the lowest row of the house way is taken (D-10). */
function dealerCards(
  sheet: Sheet,
  hands: readonly Hand[],
  community: readonly [number, number],
  first: number,
  second: number,
): number[] {
  if (!hands.some((hand) => hand.status === 'stood')) return [];
  const row = (card: number): number => {
    const sum = total([first, card]);
    return sheet.duel.house_way.indexOf(sum < 17 && isSoft([first, card]) ? `soft ${sum}` : String(sum));
  };
  const chosen = [first, row(community[1]) < row(community[0]) ? community[1] : community[0]];
  return total(chosen) <= sheet.duel.draw_to ? [...chosen, second] : chosen;
}

function lines(sheet: Sheet, hand: Hand, dealer: readonly number[], community: readonly [number, number]): Bet[] {
  const { rule, ante, raise } = result(sheet, hand, dealer);
  const { box, player, main, sides } = hand.entry;
  const found = [line(sheet, player, 'ante', main ?? 0, ante(main ?? 0), rule, box, 1)];
  if (hand.raise) found.push(line(sheet, player, 'raise', hand.raise, raise(hand.raise), rule, box, 1));
  for (const [bet, side] of Object.entries(sheet.sides)) {
    const stake = sides[bet];
    if (stake)
      found.push(line(sheet, player, bet, stake, sidePaid(side, [hand.cards[0]!, ...community], stake), bet, box));
  }
  return found;
}

type Back = (stake: number) => number;
const none: Back = () => 0;
const back: Back = (stake) => stake;
const even: Back = (stake) => paid(odds('1:1'), stake);

function result(sheet: Sheet, hand: Hand, dealer: readonly number[]): { rule: string; ante: Back; raise: Back } {
  if (hand.status === 'folded') return { rule: 'fold', ante: none, raise: none };
  if (hand.status === 'bust') return { rule: 'bust', ante: none, raise: none };
  const [mine, theirs] = [total(hand.cards), total(dealer)];
  if (theirs < sheet.duel.qualify) return { rule: 'not-qualified', ante: even, raise: back };
  if (theirs > 21 || mine > theirs) return { rule: 'win', ante: even, raise: even };
  return mine === theirs ? { rule: 'push', ante: back, raise: back } : { rule: 'lose', ante: none, raise: none };
}
