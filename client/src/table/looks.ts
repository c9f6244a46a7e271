import type { Looks } from '../wire/types';

/** The words of a game for one, as its sheet chooses them. Looks only; what can be done comes from the house. */
export interface Look {
  hand: 'solo.hand' | 'solo.seat';
  deal: 'solo.deal' | 'solo.start';
  again: 'solo.again' | 'solo.again-start';
  balance: 'bets.balance' | 'solo.credits';
  /** The key that starts also repeats, and the balance lies at the right (S-05, S-15). */
  oneKey: boolean;
}

export const lookOf = (looks: Looks | null | undefined): Look => ({
  hand: looks?.hand === 'seat' ? 'solo.seat' : 'solo.hand',
  deal: looks?.start === 'start' ? 'solo.start' : 'solo.deal',
  again: looks?.start === 'start' ? 'solo.again-start' : 'solo.again',
  balance: looks?.balance === 'credits' ? 'solo.credits' : 'bets.balance',
  oneKey: looks?.start === 'start',
});
