import { odds } from '../../table/rules';
import type { GameResponse, RuleSwitch } from '../../wire/types';
import { count, percent } from '../../words/amounts';
import { betName, brief, phrase, reading, t } from '../../words/words.svelte';
import { duration } from '../../words/teach';

/** Switches that the page shows as tables of their own. */
const ELSEWHERE = [
  /^(published|sides)\b/,
  /^stakes\.(limits|shares|chips)\b/,
  /^cash_out\.(hard|soft)\b/,
  /^bonus\.(wheel|start|cell|boxes|diamonds|prizes)\b/,
];
/** What a game has not need not be read: these say so by being off. */
const OFF = /^(options|seats|clocks|stakes|charlie|surrender|pair_requires_stand|shoe\.(burn|sets)|game)\b/;
/** Rules that mean something only beside another: the path of each, and what must be on. */
const BESIDE: readonly (readonly [RegExp, (values: ReadonlyMap<string, unknown>, game: GameResponse) => boolean])[] = [
  [/^game\.family$/, () => false],
  [/^shoe\.cut$/, (values) => values.get('shoe.reshuffle') === 'cut-card'],
  [/^cash_out\b/, (_, game) => Object.keys(game.cash_out).length > 0],
  [/^bonus\b/, (_, game) => game.draws.length > 0],
  [/^timeouts\.(choice|second)$/, (values) => values.has('duel.qualify')],
  [/^(timeouts\.insurance|insurance\.)/, (values) => values.get('insurance.offered') === true],
  [/^stakes\.max_win_counts$/, (values) => Number(values.get('stakes.max_win') ?? 0) > 0],
  [/^stakes\.vip$/, (_, game) => game.vip.length > 1],
  [/^stakes\.reserve$/, (values) => values.has('duel.qualify')],
  [/^options\.unfollowed_split$/, (values) => values.get('options.behind') === true],
];
/** Whether this game has what a switch speaks of. */
function isTold(game: GameResponse, { path, value }: RuleSwitch, values: ReadonlyMap<string, unknown>): boolean {
  if (ELSEWHERE.some((each) => each.test(path)) || (path === 'shoe.sets' && value === 1)) return false;
  if (OFF.test(path) && (value === false || value === 0 || value === 'none')) return false;
  return BESIDE.every(([pattern, applies]) => !pattern.test(path) || applies(values, game));
}
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
    if (path.startsWith('clocks.')) return value ? duration(value) : t('help.nothing');
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
  const values = new Map(game.switches.map((one) => [one.path, one.value]));
  const found = new Map<string, Chapter>();
  for (const one of game.switches) {
    if (!isTold(game, one, values)) continue;
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
      // The return of the main game is that of all its stakes, not of the first circle alone (D-18).
      bet: betName(bet, bet === 'main' ? {} : game.looks.names),
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
