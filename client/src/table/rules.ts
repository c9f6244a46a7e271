import type { GameResponse } from '../wire/types';
import { t } from '../words/words.svelte';

/** What a table shows of its sheet. Every value is read from the sheet in force; nothing is known here by itself. */
export interface Rules {
  boxes: number;
  decks: number;
  chips: readonly number[];
  /** The lettering on the felt. */
  title: string;
  text: string;
  /** Up to this total a time-out hits (V-57); null where the sheet has none. */
  hitsUpTo: number | null;
  insuranceOut: string;
  betting: number;
  deals: boolean;
  behind: boolean;
  multi: boolean;
  chat: boolean;
  lostAfter: number;
}

/** `3:2` or `3/2` as it is said at a table: `3 a 2`; a total return stays as it is printed. */
export function odds(pays: string): string {
  const [one, other] = pays.split(/[:/]/);
  return one !== undefined && other !== undefined ? t('felt.odds', { one, other }) : pays;
}

export function rulesOf(game: GameResponse): Rules {
  const switches = new Map(game.switches.map((one) => [one.path, one.value]));
  const number = (path: string): number => Number(switches.get(path) ?? 0);
  const yes = (path: string): boolean => switches.get(path) === true;
  const natural = game.pay_tables
    .find((one) => one.bet === 'main')
    ?.lines.find((line) => line.category === 'blackjack');
  const insurance = game.pay_tables.find((one) => one.kind === 'insurance')?.lines[0];
  const texts = [
    switches.has('dealer.soft_17') ? t(switches.get('dealer.soft_17') === 'hit' ? 'felt.hits' : 'felt.stands') : '',
    insurance ? t('felt.insurance', { odds: odds(insurance.pays) }) : '',
  ];
  const limit = switches.get('timeouts.hit_up_to');
  return {
    boxes: number('seats.count') || 1,
    decks: number('shoe.decks'),
    chips: game.chips,
    title: natural ? t('felt.blackjack', { odds: odds(natural.pays) }) : game.name,
    text: texts.filter(Boolean).join(' · '),
    hitsUpTo: typeof limit === 'number' ? limit : null,
    insuranceOut: String(switches.get('timeouts.insurance') ?? 'decline'),
    betting: number('clocks.betting'),
    deals: yes('options.deal_now'),
    behind: yes('options.behind'),
    multi: yes('options.multi_table'),
    chat: yes('options.chat'),
    lostAfter: number('seats.lost_after'),
  };
}

/** What a time-out would do with a total as it is shown: `7/17` counts at its best (V-57). */
export function timesOut(rules: Rules, total: string): 'hit' | 'stand' | null {
  const best = Number(total.split('/').at(-1));
  if (rules.hitsUpTo === null || Number.isNaN(best)) return null;
  return best <= rules.hitsUpTo ? 'hit' : 'stand';
}
