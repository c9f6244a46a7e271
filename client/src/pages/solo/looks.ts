/** How a game for one speaks: the word for a hand and for its main key. Looks only; what can be done comes from the house. */
export interface Look { hand: 'solo.hand' | 'solo.seat'; deal: 'solo.deal' | 'solo.start'; again: 'solo.again' | 'solo.again-start'; balance: 'bets.balance' | 'solo.credits' }

const PLAIN: Look = { hand: 'solo.hand', deal: 'solo.deal', again: 'solo.again', balance: 'bets.balance' };
const LOOKS: Readonly<Record<string, Partial<Look>>> = {
  sisal: { hand: 'solo.seat', deal: 'solo.start', again: 'solo.again-start', balance: 'solo.credits' },
};

export const lookOf = (game: string): Look => ({ ...PLAIN, ...LOOKS[game] });
