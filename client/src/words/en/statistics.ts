import type { statistics as italian } from '../it/statistics';

/** The statistics and the review of decisions, in English. */
export const statistics: Record<keyof typeof italian, string> = {
  // statistics
  'stat.title': 'Statistics',
  'stat.text': 'Your figures, from finished rounds. Void ones are apart.',
  'stat.rounds': 'Rounds',
  'stat.staked': 'Staked',
  'stat.returned': 'Returned',
  'stat.net': 'Result',
  'stat.won': 'Won',
  'stat.lost': 'Lost',
  'stat.even': 'Even',
  'stat.best': 'Best',
  'stat.worst': 'Worst',
  'stat.share': 'Return',
  'stat.streak': 'In a row now',
  'stat.longest-won': 'Most won in a row',
  'stat.longest-lost': 'Most lost in a row',
  'stat.by-game': 'By game',
  'stat.plot': 'Result over time',
  'stat.plot-text': 'Sum of the last {count} rounds, from {first} to {last}.',
  'stat.none': 'No finished round yet: play, and the figures come.',
  'stat.streak-won': 'won: {count}',
  'stat.streak-lost': 'lost: {count}',
  'stat.streak-none': 'none',
  'stat.round': 'Round',
  'stat.expected': 'expected {percent}',
  'stat.voided': 'Void',
  // decisions looked back on
  'best.title': 'Against best play',
  'best.text':
    'In the last {rounds} rounds you decided best {right} times out of {all}. The others cost {amount} expected in ' +
    'all, whatever card came.',
  'best.chosen': 'You chose',
  'best.best': 'Best',
  'best.cost': 'Expected cost',
};
