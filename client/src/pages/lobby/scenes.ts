import type { GameResponse } from '../../wire/types';
import { t, type Key } from '../../words/words.svelte';

/** A situation worth practising, as the cards that bring it at a single hand. */
export interface Scene {
  name: string;
  cards: readonly string[];
}
interface Known {
  label: Key;
  /** Up to ten cards stay under 21 in this order, and no sum on the way is 21. */
  cards: (has: Sheet) => string;
  when: (has: Sheet) => boolean;
}
interface Sheet {
  yes: (path: string) => boolean;
  number: (path: string) => number;
  kind: (kind: string) => boolean;
  duel: boolean;
  cashes: boolean;
  bonus: boolean;
}

/** First card, dealer, second card, the hidden one, then what is asked for; a duel deals in an order of its own. */
const SCENES: readonly Known[] = [
  { label: 'scene.split-aces', cards: () => 'AS 6D AH TC 9S 8H TD', when: (has) => has.number('split.hands') > 1 },
  { label: 'scene.ten-blackjack', cards: () => '6S KD 5H AC TS', when: (has) => !has.duel },
  { label: 'scene.insurance', cards: () => 'TS AD 9H KC', when: (has) => has.yes('insurance.offered') },
  { label: 'scene.even-money', cards: () => 'AS AD KH 5C', when: (has) => has.yes('insurance.even_money') },
  { label: 'scene.cash-out', cards: () => '9H TD 7S 8C', when: (has) => has.cashes },
  { label: 'scene.charlie', cards: charlie, when: (has) => has.number('charlie') > 2 && has.number('charlie') <= 10 },
  { label: 'scene.bonus', cards: () => 'AS 9D KH 7C', when: (has) => has.bonus },
  { label: 'scene.pair', cards: () => 'KH 6D KH 9C', when: (has) => has.kind('pair') && has.number('shoe.decks') > 1 },
  {
    label: 'scene.trips',
    cards: () => '7S 7S 7S TC',
    when: (has) => has.kind('three-cards') && has.number('shoe.decks') > 2,
  },
  { label: 'scene.two-up', cards: () => '8S 9D 8C 8D 6H QC', when: (has) => has.kind('two-up') },
  { label: 'scene.unqualified', cards: () => '9S 2D TD 4C 5H 6S', when: (has) => has.duel },
];

function charlie(has: Sheet): string {
  const [first = '', second = '', ...more] = 'AS AH AD AC 2S 2H 2D 2C 3S 3H'.split(' ').slice(0, has.number('charlie'));
  return [first, '9D', second, '7C', ...more].join(' ');
}

/** The scenes that this game has, by its sheet. */
export function scenesOf(game: GameResponse): Scene[] {
  const values = new Map(game.switches.map((one) => [one.path, one.value]));
  const sheet: Sheet = {
    yes: (path) => values.get(path) === true,
    number: (path) => Number(values.get(path) ?? 0),
    kind: (kind) => game.pay_tables.some((one) => one.kind === kind),
    duel: values.has('duel.qualify') && game.family === 'duel',
    cashes: Object.keys(game.cash_out).length > 0,
    bonus: game.draws.length > 0,
  };
  return SCENES.filter((one) => (!sheet.duel || /two-up|unqualified/.test(one.label)) && one.when(sheet)).map(
    (one) => ({
      name: t(one.label as 'scene.pair'),
      cards: one.cards(sheet).split(' '),
    }),
  );
}
