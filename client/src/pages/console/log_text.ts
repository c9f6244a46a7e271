import type { LogLine } from '../../wire/types';
import { stamp } from '../../words/amounts';
import { cash, phrase, reading, t } from '../../words/words.svelte';

export type Names = Readonly<Record<string, string>>;
export interface Detail {
  key: string;
  label: string;
  text: string;
  /** The number of the account that it names; empty where it names none. */
  player: string;
}

/** An account by its name; who has none, or is the house itself, as it is written. */
export const nameOf = (names: Names, player: string): string => names[player] ?? phrase(`log.by.${player}`) ?? player;

/** The name of a limit: `loss:day`. */
export function limitName(name: string): string {
  const [kind = '', period = ''] = name.split(':');
  return period === 'minutes'
    ? t('guard.session')
    : `${phrase(`guard.${kind}`) ?? kind} ${phrase(`guard.${period}`) ?? period}`;
}
export const limitValue = (name: string, amount: number): string =>
  name.endsWith(':minutes') ? t('guard.minutes-value', { count: amount }) : cash(amount);

const ACCOUNTS = ['player', 'by', 'first', 'second'];
const CODES = ['act', 'kind', 'marker', 'pattern', 'reason', 'what', 'why'];
const TIMES = ['until'];
const slug = (value: string): string => value.replaceAll(' ', '-');
const coded = (value: string): string | undefined =>
  phrase(`log.value.${slug(value)}`) ?? phrase(`sig.${value}`) ?? phrase(`reason.${value}`);

/** What a change of a player's protection says in the log: `loss:day 2000`, `until 1790000000000`. */
function protection(detail: string): string {
  const limit = /^([a-z]+:[a-z]+)(?: (none|\d+))?(?: from (\d+))?$/.exec(detail);
  if (limit?.[1])
    return [
      limitName(limit[1]),
      limit[2] === 'none' ? t('guard.none') : limit[2] ? limitValue(limit[1], Number(limit[2])) : '',
      limit[3] ? t('log.from', { at: stamp(Number(limit[3]), reading.language) }) : '',
    ]
      .filter(Boolean)
      .join(' ');
  const moment = /^(until|from) (\d+)$/.exec(detail);
  if (moment?.[1])
    return t(moment[1] === 'until' ? 'log.until' : 'log.from', { at: stamp(Number(moment[2]), reading.language) });
  const every = /^every (\d+) minutes$/.exec(detail);
  return every ? t('guard.every', { count: Number(every[1]) }) : (coded(detail) ?? detail);
}

function written(line: LogLine, key: string, value: unknown, names: Names): string {
  if (typeof value === 'boolean') return t(value ? 'log.yes' : 'log.no');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([name, one]) => `${phrase(`log.number.${name}`) ?? name} ${String(one)}`)
      .join(', ');
  const text = String(value);
  if (ACCOUNTS.includes(key)) return nameOf(names, text);
  if (TIMES.includes(key) && Number(value)) return stamp(Number(value), reading.language);
  if (key === 'day') return new Intl.DateTimeFormat(reading.language, { timeZone: 'UTC' }).format(Number(value) * DAY);
  if (line.kind === 'VoidJudged' && key === 'house') return cash(Number(value), { sign: 'always' });
  if (line.kind === 'ProtectionChanged' && key === 'detail') return protection(text);
  if (line.kind === 'SupervisorViewed' && key === 'subject') return names[text] ?? text;
  if (!CODES.includes(key)) return text;
  const [head = '', ...rest] = text.split(': ');
  return [coded(head) ?? head, ...rest].join(': ');
}

export const DAY = 86_400_000;

/** A line of the log, field by field, in words of the reader: names for numbers, phrases for codes. */
export const describeLine = (line: LogLine, names: Names): Detail[] =>
  Object.entries(line.fields)
    .filter(([, value]) => value !== '' && value !== null)
    .map(([key, value]) => ({
      key,
      label: phrase(`log.field.${key}`) ?? key,
      text: written(line, key, value, names),
      player:
        ACCOUNTS.includes(key) || (key === 'subject' && line.fields['what'] === 'player')
          ? String(value) in names
            ? String(value)
            : ''
          : '',
    }));
