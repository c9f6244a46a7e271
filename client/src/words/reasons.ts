/**
 * The reasons the rules give in their own words, each as a key of the catalogues; what is not here is shown as it came.
 */
export const REASONS = {
  'first fold or choose a card': 'reason.choose',
  'hit or stand': 'reason.hit-or-stand',
  'nobody is asked this now': 'reason.not-asked',
  'only on the first two cards': 'reason.two-cards',
  'not after a split': 'reason.after-split',
  'not offered in this game': 'reason.not-offered',
  'no double after a split': 'reason.no-double-after-split',
  'only on 9-11': 'reason.nine-eleven',
  'only on 10-11': 'reason.ten-eleven',
  'two cards of equal value are needed': 'reason.equal-value',
  'two cards of equal rank are needed': 'reason.equal-rank',
  '2 hands at most': 'reason.two-hands',
  '3 hands at most': 'reason.three-hands',
  '4 hands at most': 'reason.four-hands',
  'split aces take one card': 'reason.split-aces',
  'no early decisions in this game': 'reason.no-early',
  'the turn of this box has come': 'reason.turn-came',
  'this hand is over': 'reason.hand-over',
  'only a Blackjack, and only where the sheet has it': 'reason.only-blackjack',
  'insurance is being asked': 'reason.insurance-asked',
  'a Blackjack is offered even money instead': 'reason.even-money-instead',
  'only insurance is answered for all boxes at once': 'reason.only-insurance',
  'not so many times': 'reason.not-so-often',
  'not offered before the deal': 'reason.not-before-deal',
  'not offered here': 'reason.not-here',
  restart: 'reason.restart',
  'the generator of cards has failed': 'reason.generator',
  '12 hours are over': 'reason.twelve-hours',
  '30 minutes without activity': 'reason.half-an-hour',
  'it was logged out, or is not there any more': 'reason.logged-out',
} as const;

/** The phases of a table, for `WrongPhase`. */
export const PHASES = {
  shuffling: 'phase.shuffling',
  betting: 'phase.betting',
  round: 'phase.round',
  results: 'phase.results',
} as const;
