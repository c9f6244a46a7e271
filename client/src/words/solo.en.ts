import type { solo as italian } from './solo.it';

/** The games for one, in English. */
export const solo: Record<keyof typeof italian, string> = {
  'solo.hand': 'Hand {box}', 'solo.seat': 'Seat {box}', 'solo.tap': 'Tap to play', 'solo.pair': 'Pair', 'solo.line': '{decks} decks · return {percent}', 'solo.line-practice': 'Practice · {decks} decks', 'solo.credits': 'Credits',
  'solo.natural': 'Blackjack returns {times} times', 'solo.asked': '{hand}, {total} against {dealer}',
  'solo.dealer-pair': 'Dealer pair', 'solo.deal': 'Deal', 'solo.start': 'Start', 'solo.again': 'Rebet & deal', 'solo.again-double': 'Double & deal', 'solo.again-start': 'Repeat', 'solo.new': 'New bet', 'solo.pick': 'Choose a chip, tap a circle.',
  'solo.bets': '{amount} in all', 'solo.shuffle': 'Shuffling, one moment', 'solo.shuffle.text': 'Your browser cuts the pack with random bytes of its own.', 'solo.limits': 'Limits of your level', 'solo.range': 'Minimum {least} · Maximum {most}', 'solo.cap': 'No more than {amount} in all', 'solo.max-win': 'Maximum win {amount} a round',
  'solo.pays': '{bet}, wins', 'solo.returns': '{bet}, total return', 'solo.erase': 'Clear', 'solo.erase.text': 'Clear: the circle you tap is emptied; the large one empties the seat', 'solo.add-money': 'Add money', 'solo.louder': 'Volume up', 'solo.softer': 'Volume down', 'solo.volume': 'Volume {value}%',
  'solo.bring': 'Bring {amount}', 'solo.bring-play': 'Bring {amount} and play {bet}', 'solo.bring-other': 'Another amount', 'solo.welcome': 'Welcome to the table', 'solo.welcome.text': 'Play money. What you bring stays yours and goes back to your account whenever you like.',
  'solo.fun': 'Play for practice', 'solo.forfeit': 'Asking for a card loses the pair ({amount}).', 'solo.funds': 'Playing on costs a raise equal to the ante: keep {amount} in hand.',
  'solo.insure': 'Insurance?', 'solo.insure.text': 'The dealer shows an ace. It costs half the bet and pays {odds}.', 'solo.even': 'Even money?', 'solo.even.text': 'You have Blackjack and the dealer shows an ace. Take 1 to 1, now and whatever comes?',
  'solo.accept': 'Accept', 'solo.accept-all': 'Accept all', 'solo.decline': 'Decline', 'solo.decline-all': 'Decline all', 'solo.this': 'hand {box}, {amount}', 'solo.this-free': 'hand {box}', 'solo.all': 'every hand', 'solo.answers': 'Answer on insurance',
  'solo.lines': '{count} lines', 'solo.cards': 'Community cards', 'solo.strip': 'Your hands',
  'solo.info': 'Help (i key)', 'solo.coins': '{count} cents',
  // the duel
  'duel.qualify': 'Dealer qualifies with {total} · All 21s are equal', 'duel.ante': 'Ante', 'duel.raise': 'Raise', 'duel.title-two': 'Hand {box}: {total}', 'duel.take': 'Take {card} for {amount}',
  'duel.fold': 'Fold, lose the ante of {amount}', 'duel.way': 'How the dealer chooses', 'duel.way.text': 'The dealer turns his first card and takes the community card that makes the first hand of this list. Then he draws his second with {draw} or less and stands on {stand} or more. Under {qualify} he does not qualify: the ante pays 1 to 1, the raise comes back.', 'duel.soft': 'soft {total}',
  'duel.hidden': 'one face down: HIT turns it, STAND discards it',
  // the bonus
  'bonus.title': 'Hand {box} · bonus', 'bonus.blackjack': 'Blackjack with {bet}', 'bonus.text': 'The wheel does not depend on the dealer’s hand. The prize is added to what the hand wins.', 'bonus.stake': '{bet} bet', 'bonus.spin': 'Spin', 'bonus.skip': 'Skip', 'bonus.skip.text': 'While it turns the button becomes SKIP.',
  'bonus.cash': 'Cash', 'bonus.board': '{board}, {cells} cells', 'bonus.wheel': 'Bonus wheel', 'bonus.go': 'Continue', 'bonus.won': 'You won {amount}', 'bonus.opens': 'The {board} board opens', 'bonus.opens.text': '{cells} cells, {spins} spins. Every new prize stays and brings the spins back to {spins}.',
  'bonus.prizes': 'Prizes', 'bonus.spins': 'Spins left', 'bonus.spins-of': '{left} of {all}', 'bonus.empty': 'Empty cells: {left} of {all}', 'bonus.so-far': 'Prizes so far', 'bonus.filled': '{filled} of {all}', 'bonus.multiplies': 'if full, × {times}', 'bonus.diamond': 'if full, a prize', 'bonus.diamond-name': 'Diamond', 'bonus.cell': '× {times}', 'bonus.cell-empty': 'empty cell',
  'bonus.total': 'Total {times} × {amount}', 'bonus.added': 'The prize is added to what hand {box} wins, then the table goes on.', 'bonus.chance': 'A slice is as likely as it is wide.', 'bonus.range': '× {least} – × {most}',
};
