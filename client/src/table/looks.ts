/**
 * How a game for one speaks: the word for a hand and for its main key. `oneKey`: the key that starts also repeats, and
 * the balance lies at the right (S-05, S-15). `coins`: its past is written in cents (S-33). Looks only; what can be
 * done comes from the house.
 */
export interface Look {
  hand: 'solo.hand' | 'solo.seat';
  deal: 'solo.deal' | 'solo.start';
  again: 'solo.again' | 'solo.again-start';
  balance: 'bets.balance' | 'solo.credits';
  oneKey: boolean;
  coins: boolean;
}

const PLAIN: Look = {
  hand: 'solo.hand',
  deal: 'solo.deal',
  again: 'solo.again',
  balance: 'bets.balance',
  oneKey: false,
  coins: false,
};
const LOOKS: Readonly<Record<string, Partial<Look>>> = {
  sisal: {
    hand: 'solo.seat',
    deal: 'solo.start',
    again: 'solo.again-start',
    balance: 'solo.credits',
    oneKey: true,
    coins: true,
  },
};

export const lookOf = (game: string): Look => ({ ...PLAIN, ...LOOKS[game] });
