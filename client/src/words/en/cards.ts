import type { cards as italian } from '../it/cards';

/** Cards and chips, in English. */
export const cards: Record<keyof typeof italian, string> = {
  // cards
  'card.down': 'Card face down',
  'card.name': '{rank} of {suit}',
  'rank.A': 'Ace',
  'rank.T': '10',
  'rank.J': 'Jack',
  'rank.Q': 'Queen',
  'rank.K': 'King',
  'suit.S': 'spades',
  'suit.H': 'hearts',
  'suit.D': 'diamonds',
  'suit.C': 'clubs',
  'chip.value': '{amount} chip',
  'chip.short': '{amount} chip: the balance is too low',
};
