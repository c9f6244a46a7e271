import type { it } from './it';
import { supervision } from './console.en';
import { desk } from './desk.en';
import { hall } from './hall.en';
import { odds } from './odds.en';
import { rules } from './rules.en';
import { refusals } from './refusals.en';
import { room } from './room.en';
import { solo } from './solo.en';
import { table } from './table.en';
import { verifier } from './verifier.en';

/** The house in English; a key that is missing does not compile. */
export const en: Record<keyof typeof it, string> = {
  'card.down': 'Card face down',
  'card.name': '{rank} of {suit}',
  'rank.A': 'Ace', 'rank.T': '10', 'rank.J': 'Jack', 'rank.Q': 'Queen', 'rank.K': 'King',
  'suit.S': 'spades', 'suit.H': 'hearts', 'suit.D': 'diamonds', 'suit.C': 'clubs',
  'chip.value': '{amount} chip',
  'chip.short': '{amount} chip: the balance is too low',
  'bet.main': 'Main bet', 'bet.behind': 'Bet behind', 'bet.perfect-pairs': 'Perfect Pairs', 'bet.21+3': '21+3',
  'bet.dealer-pair': 'Dealer pair', 'bet.2-up': '2 UP', 'bet.link': 'LINK', 'bet.split': 'Split', 'bet.double': 'Double',
  'bet.insurance': 'Insurance', 'bet.behind-split': 'Behind, split', 'bet.behind-double': 'Behind, double',
  'bet.behind-insurance': 'Behind, insurance', 'bet.ante': 'Ante', 'bet.raise': 'Raise', 'bet.max-win': 'Maximum win',
  'spot.main': '', 'spot.behind': 'behind', 'spot.perfect-pairs': 'PP', 'spot.21+3': '21+3', 'spot.dealer-pair': 'Dealer pair',
  'spot.2-up': '2 UP', 'spot.link': 'LINK',
  'won.perfect': 'Perfect pair', 'won.coloured': 'Coloured pair', 'won.mixed': 'Mixed pair', 'won.suited-trips': 'Suited trips',
  'won.straight-flush': 'Straight flush', 'won.trips': 'Three of a kind', 'won.straight': 'Straight', 'won.flush': 'Flush', 'won.pair': 'Pair',
  'act.hit': 'Hit', 'act.stand': 'Stand', 'act.double': 'Double', 'act.split': 'Split', 'act.surrender': 'Surrender',
  'act.cash-out': 'Cash out', 'act.insure': 'Insure', 'act.decline': 'No, thanks', 'act.even-money': 'Even money', 'act.fold': 'Fold',
  'act.left': 'Left card', 'act.right': 'Right card',
  'act.undo': 'Undo', 'act.clear': 'Clear', 'act.repeat': 'Repeat', 'act.repeat-double': 'Repeat 2×', 'act.deal': 'Deal now',
  'booked.hit': 'Hit booked', 'booked.stand': 'Stand booked', 'booked.double': 'Double booked', 'booked.split': 'Split booked',
  'booked.surrender': 'Surrender booked', 'booked.cash-out': 'Cash out booked',
  'hint.hit': 'one more', 'hint.stand': 'on {total}', 'hint.free': 'at no cost', 'hint.now': '{amount} now', 'hint.decline': 'leave it so',
  'end.bust': 'Bust {total}', 'end.blackjack': 'Blackjack', 'end.blackjack-short': 'BJ', 'end.charlie': 'Charlie', 'end.cashed-out': 'Cashed out', 'end.surrendered': 'Surrendered',
  'end.folded': 'Folded', 'end.win': 'Wins', 'end.lose': 'Loses', 'end.push': 'Push', 'end.even-money': 'Even money', 'end.not-qualified': 'Dealer not qualified',
  'table.dealer': 'Dealer', 'table.you': 'You', 'table.box': 'Box {box}', 'table.free': 'free', 'table.sit': 'Sit here',
  'table.leave': 'Leave box {box}', 'table.leaving': 'leaves after the round', 'table.bot': 'bot', 'table.streak': '{count} rounds won in a row',
  'table.behind': '{count} behind · {amount}', 'table.seal': 'Seal {seal}', 'table.shoe': 'Shoe: {left} cards', 'table.tray': 'Cards out: {used}',
  'table.of': 'of {total}', 'table.hand': 'Hand {hand}', 'table.doubled': 'doubled', 'table.total': 'Total {total}', 'table.waits': 'waits',
  'table.limit': 'Limit reached', 'table.community': 'Community cards', 'table.empty-hand': 'no cards', 'table.boxes': 'The boxes', 'table.others': 'Other boxes', 'table.insured': 'Insured {amount}',
  'spot.name': '{bet}, box {box}', 'spot.add': '{name}: add {amount}', 'spot.holds': '{name}: {amount}', 'spot.empty': '{name}: empty',
  'spot.won': 'wins {amount}', 'spot.lost': 'lost', 'spot.pushed': '{amount} back', 'spot.pending': 'on its way to the dealer',
  'felt.blackjack': 'Blackjack pays {odds}', 'felt.stands': 'Dealer stands on all 17s', 'felt.hits': 'Dealer hits soft 17', 'felt.insurance': 'Insurance pays {odds}',
  'decide.title': 'Box {box}, your turn', 'decide.hand': 'Box {box}, hand {hand}', 'decide.solo': 'Hand {box}, {total} against {dealer}', 'decide.label': 'Your decision',
  'decide.insurance': 'Box {box}, insurance?', 'decide.timeout': 'At time-out: {action}', 'decide.seconds': '{seconds} s', 'decide.left': '{seconds} seconds left',
  'decide.no-clock': 'Take your time: there is no clock here', 'decide.pending': 'Sent', 'decide.key': 'Key {key}', 'decide.early': 'Choose before your turn', 'decide.closed': 'not available',
  'decide.all': 'For all boxes',
  'bets.balance': 'Balance', 'bets.total': 'Total bet', 'bets.net': 'Result', 'bets.tray': 'Chips', 'bets.tools': 'Bets', 'bets.closed': 'Bets are closed until the next round',
  'bets.open': 'Bets are open', 'bets.hold': 'Hold to take everything off', 'bets.last-call': 'Last bets',
  'limits.title': 'Table limits', 'limits.main': 'Main', 'limits.behind': 'Bet behind', 'limits.range': '{least} – {most}',
  'settle.title': 'The sums of the round', 'settle.bet': 'Bet', 'settle.stake': 'Stake', 'settle.sum': 'Sum', 'settle.returned': 'Returned', 'settle.criterion': 'Rule', 'settle.total': 'Total',
  'settle.box': 'Box {box}, {bet}', 'settle.hand': 'Box {box}, hand {hand}, {bet}', 'settle.net': '{returned} − {staked} = {net}', 'settle.empty': 'No bets in this round.',
  'chat.title': 'Chat', 'chat.people.one': '{count} at the table', 'chat.people.other': '{count} at the table', 'chat.write': 'Write a message', 'chat.send': 'Send', 'chat.close': 'Close the chat', 'chat.open': 'Open the chat',
  'chat.move': 'Move the chat', 'chat.resize': 'Resize the chat', 'chat.hide': 'Hide other players’ messages', 'chat.show': 'Show other players’ messages', 'chat.hidden': 'Other players’ messages are hidden.',
  'chat.empty': 'No messages yet. Good evening.', 'chat.arrows': 'Arrows to move, Shift and arrows to resize', 'chat.muted': 'The chat is closed for you.', 'chat.host': 'host',
  'reason.choose': 'first choose a card or fold', 'reason.hit-or-stand': 'hit or stand', 'reason.not-asked': 'not asked now', 'reason.two-cards': 'only on the first two cards',
  'reason.after-split': 'not after a split', 'reason.not-offered': 'not in this game', 'reason.no-double-after-split': 'no double after a split', 'reason.nine-eleven': 'only on 9, 10 or 11',
  'reason.ten-eleven': 'only on 10 or 11', 'reason.equal-value': 'needs two of one value', 'reason.equal-rank': 'needs two equal cards', 'reason.two-hands': 'two hands at most',
  'reason.three-hands': 'three hands at most', 'reason.four-hands': 'four hands at most', 'reason.split-aces': 'split aces take one card', 'reason.no-early': 'in this game you wait for your turn',
  'reason.turn-came': 'the turn of this box has come', 'reason.hand-over': 'this hand is over', 'reason.only-blackjack': 'only with a Blackjack', 'reason.insurance-asked': 'insurance is being asked',
  'reason.even-money-instead': 'a Blackjack is offered even money instead', 'reason.only-insurance': 'only insurance is answered for all boxes', 'reason.not-so-often': 'not so many times',
  'reason.not-before-deal': 'not before the deal', 'reason.not-here': 'not offered at this table', 'reason.restart': 'the house restarts', 'reason.generator': 'the generator of cards has stopped',
  'reason.twelve-hours': '12 hours are over', 'reason.half-an-hour': '30 minutes without activity', 'reason.logged-out': 'it was logged out, or is not there any more',
  'phase.shuffling': 'the cards are shuffled', 'phase.betting': 'bets are being placed', 'phase.round': 'the round is being played', 'phase.results': 'the round is being paid',
  ...room,
  ...hall,
  ...desk,
  ...supervision,
  ...odds,
  ...rules,
  ...solo,
  ...table,
  ...verifier,
  ...refusals,
};
