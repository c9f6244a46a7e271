import type { OddsSwitch, CertificateNote } from '../../wire/types';
import { share, whole } from '../../words/figures';
import { odds } from '../../table/rules';
import { betName, cash, fill, phrase, t, winName, type BetNames, type Key } from '../../words/words.svelte';

/** Groups of switches in the order in which they are shown; the first ones are open. */
export const OPEN = ['house', 'player', 'insurance', 'duel', 'other'] as const;
export const CLOSED = ['sides', 'cash_out', 'bonus'] as const;
export type Group = (typeof OPEN)[number] | (typeof CLOSED)[number];

const GROUPS: Readonly<Record<string, Group>> = {
  shoe: 'house',
  dealer: 'house',
  dealer_blackjack_takes: 'house',
  blackjack: 'player',
  double: 'player',
  split: 'player',
  charlie: 'player',
  surrender: 'player',
  insurance: 'insurance',
  duel: 'duel',
  sides: 'sides',
  pair_requires_stand: 'sides',
  cash_out: 'cash_out',
  bonus: 'bonus',
};
export const groupOf = (lever: OddsSwitch): Group => GROUPS[lever.path.split('.')[0]!] ?? 'other';

/** What a switch is called, from its address; an address that no catalogue knows is shown as it is. */
export function leverName(path: string, names: BetNames = {}): string {
  const known = phrase(`lever.${path}`);
  if (known) return known;
  const [first, second = '', third = '', ...rest] = path.split('.');
  if (first === 'sides' && third === 'pays')
    return t('lever.pays', { bet: betName(second, names), category: winName(rest.join('.'), names) });
  if (first === 'cash_out')
    return t('lever.cash-row', { kind: t(second === 'soft' ? 'lever.cash-soft' : 'lever.cash-hard'), total: third });
  if (first === 'bonus' && second === 'prizes') return t('lever.prize', { name: third });
  if (first === 'bonus' && second === 'boards')
    return t(rest[0] === 'start' ? 'lever.board-start' : 'lever.board-cells', { name: third.toUpperCase() });
  if (first === 'bonus')
    return t('lever.weight', { draw: phrase(`draw.${second}`) ?? second, name: phrase(`draw.${third}`) ?? third });
  return phrase(`switch.${path}`) ?? path;
}

/** A value of a switch in words. */
export function valueName(lever: OddsSwitch, value: string): string {
  const text = valueText(lever, value);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
function valueText(lever: OddsSwitch, value: string): string {
  if (lever.kind === 'odds') return odds(value);
  if (lever.kind === 'flag') return t(value === 'true' ? 'lever.yes' : 'lever.no');
  if (lever.kind === 'some')
    return (
      readList(value)
        .map((one) => phrase(`value.${one}`) ?? one)
        .join(', ') || t('lever.nobody')
    );
  return phrase(`value.short.${value}`) ?? phrase(`value.${value}`) ?? value;
}

/** The next number up or down, within its bounds; where not every one is allowed, the next of those that are. */
export function stepValue(lever: OddsSwitch, value: string, by: 1 | -1): string {
  const next = Number(value) + by;
  const legal = lever.values.map(Number).filter((one) => (by > 0 ? one >= next : one <= next));
  if (lever.values.length) return legal.length ? String(by > 0 ? Math.min(...legal) : Math.max(...legal)) : value;
  return clampValue(lever, next);
}
export const clampValue = (lever: OddsSwitch, wish: number): string =>
  String(Math.min(lever.high ?? wish, Math.max(lever.low ?? wish, Math.round(wish))));

/** The words of a list as it is sent: `["A", "ten"]`. */
export const readList = (value: string): string[] =>
  value
    .replace(/[[\]"\s]/g, '')
    .split(',')
    .filter(Boolean);
export const writeList = (values: readonly string[], all: readonly string[]): string =>
  JSON.stringify(all.filter((one) => values.includes(one))).replaceAll(',', ', ');

/** What a switch may be, in words of the reader. */
export function allowedValues(lever: OddsSwitch): string {
  if (lever.kind === 'whole' && !lever.values.length)
    return t('odds.allowed-whole', { low: whole(lever.low ?? 0), high: whole(lever.high ?? 0) });
  if (lever.kind === 'odds') return t('odds.allowed-odds');
  return lever.values.length ? lever.values.map((one) => valueName(lever, one)).join(', ') : lever.legal;
}

export const REMARKS: Readonly<Record<Exclude<CertificateNote['code'], 'other'>, Key>> = {
  'method-exact': 'method.exact',
  'method-fixed': 'method.fixed',
  'method-duel': 'method.duel',
  'method-counted': 'method.counted',
  'method-chain': 'method.chain',
  'one-hand': 'note.one-hand',
  unspread: 'note.unspread',
  fixed: 'note.fixed',
  pair: 'note.pair',
  'pair-unknown': 'note.pair-unknown',
  'cash-out': 'note.cash-out',
  weights: 'note.weights',
  'max-win': 'note.max-win',
};
/** A note of a certificate in the reader's language; null where it is one that no catalogue has. */
export function remarkText({ code, numbers }: CertificateNote): string | null {
  const text = code === 'other' ? undefined : phrase(REMARKS[code]);
  const { hands = 0, percent = 0, amount = 0 } = numbers;
  return text === undefined
    ? null
    : fill(text, { hands: whole(hands), percent: share(percent, 2), amount: cash(amount) });
}

/** A card of a chart: `10` for the ten. */
export const cardName = (card: string): string => (card === 'T' ? '10' : card);
