import { odds } from '../../table/rules';
import type { GameResponse, RuleSwitch } from '../../wire/types';
import { count, percent } from '../../words/amounts';
import { brief, named, phrase, reading, t } from '../../words/words.svelte';

/** Switches that the page shows as tables of their own. */
const ELSEWHERE = [
  /^(published|sides)\b/,
  /^stakes\.(limits|shares|chips)\b/,
  /^cash_out\.(hard|soft)\b/,
  /^bonus\.(wheel|start|cell|boxes|diamonds|prizes)\b/,
];
const MONEY = new Set(['stakes.unit', 'stakes.round_cap', 'stakes.session_cap', 'stakes.max_win']);

export interface Line {
  path: string;
  label: string;
  value: string;
  criteria: string;
}
export interface Chapter {
  name: string;
  title: string;
  lines: Line[];
}

/** A value of the sheet in words; what no catalogue knows is shown as it is written. */
export function valueText(one: RuleSwitch): string {
  const { path, value } = one;
  if (typeof value === 'boolean') return value ? t('help.yes') : t('help.no');
  if (typeof value === 'number') {
    if (MONEY.has(path)) return value ? brief(value) : t('help.nothing');
    if (path.startsWith('clocks.'))
      return value ? t('help.seconds', { count: count(value, reading.language) }) : t('help.nothing');
    return count(value, reading.language);
  }
  if (Array.isArray(value))
    return value.length
      ? value.map((each) => word(String(each))).join(path === 'shoe.cut' ? ' – ' : ', ')
      : t('help.nothing');
  if (typeof value === 'object' && value !== null)
    return (
      Object.entries(value)
        .map(([name, each]) => `${name} ${String(each)}`)
        .join(', ') || t('help.nothing')
    );
  return path.endsWith('.pays') ? odds(String(value)) : word(String(value));
}
const word = (text: string): string => phrase(`value.${text}`) ?? text;

/** The switches by their chapters, in the order of the sheet (V-95). */
export function chapters(game: GameResponse): Chapter[] {
  const found = new Map<string, Chapter>();
  for (const one of game.switches) {
    if (ELSEWHERE.some((path) => path.test(one.path)) || (one.path.startsWith('bonus.') && !game.draws.length))
      continue;
    const name = one.path.includes('.') ? one.path.split('.')[0]! : 'other';
    const chapter = found.get(name) ?? { name, title: phrase(`section.${name}`) ?? name, lines: [] };
    chapter.lines.push({
      path: one.path,
      label: phrase(`switch.${one.path}`) ?? one.path,
      value: valueText(one),
      criteria: one.criteria.join(', '),
    });
    found.set(name, chapter);
  }
  return [...found.values()];
}

export interface ReturnLine {
  bet: string;
  printed: string;
  computed: string;
  base: string;
}

/** Returns as printed and as computed; a bet that only one of the two knows is shown all the same. */
export function returns(game: GameResponse): ReturnLine[] {
  const { published, certified } = game;
  const bets = [...new Set([...Object.keys(published.returns), ...(certified?.bets.map((one) => one.bet) ?? [])])];
  return bets.map((bet) => {
    const computed = certified?.bets.find((one) => one.bet === bet);
    const base = computed?.base ?? published.base;
    return {
      bet: named('bet', bet),
      printed: printed(published.returns[bet] ?? computed?.published ?? ''),
      computed: computed ? percent(Math.round(computed.rtp * 100), reading.language) : '–',
      base: phrase(`help.base.${base}`) ?? base,
    };
  });
}
const printed = (text: string): string =>
  text
    .split('-')
    .map((one) => (one ? percent(Math.round(Number(one) * 100), reading.language) : '–'))
    .join(' – ');
