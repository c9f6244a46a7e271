import type { Reason } from '../wire/types';
import { count, moment } from './amounts';
import { FIELD, agreeing, cash, named, phrase, reading, t } from './words.svelte';

type Numbers = Reason['numbers'];

/** A field of a phrase, written as what the phrase says that it is: `{maximum:money}`. */
function written(kind: string | undefined, value: unknown, numbers: Numbers): string {
  if (typeof value === 'number') {
    switch (kind) {
      case 'money':
        return cash(value);
      case 'signed':
        return cash(value, { sign: 'always' });
      case 'time':
        return moment(value, reading.language, false);
      case 'day':
        return moment(value, reading.language, true);
      case 'seconds':
        return t('decide.seconds', { seconds: Math.ceil(value / 1000) });
      default:
        return count(value, reading.language);
    }
  }
  const word = String(value);
  switch (kind) {
    case 'bet':
    case 'act':
      return named(kind, word);
    case 'card':
      return spoken(word);
    case 'reason':
      return reasonText(word, numbers);
    case 'phase':
      return phrase(`phase.${word}`) ?? word;
    case 'cut':
      return phrase(`cut-phase.${word}`) ?? word;
    case 'limit':
      return limitName(word);
    default:
      return word;
  }
}

/** `stake:day` as it is named where limits are set. */
function limitName(name: string): string {
  const [kind = '', period = ''] = name.split(':');
  return period === 'minutes'
    ? t('guard.session')
    : `${phrase(`guard.${kind}`) ?? kind} ${phrase(`guard.${period}`) ?? period}`;
}

const numbered = (text: string, numbers: Numbers): string =>
  text.replace(FIELD, (whole, name: string, kind?: string, single = '', plural?: string) => {
    if (!(name in numbers)) return whole;
    return plural === undefined ? written(kind, numbers[name], numbers) : agreeing(numbers[name], single, plural);
  });

/** The phrase of a reason's code; what a person wrote is shown as it came. */
export function reasonText(code: string, numbers: Numbers = {}): string {
  const text = phrase(`reason.${code}`);
  return text === undefined ? code : numbered(text, numbers);
}

/** An exclusion may have no end; funds may be missing for a raise (D-03); a limit may count minutes (X-13). */
function variant(numbers: Numbers): string {
  if (numbers.until === 0) return 'endless';
  if (numbers.raised) return numbers.raised === numbers.needed ? 'raise' : 'with-raise';
  return String(numbers.name).endsWith(':minutes') ? 'minutes' : '';
}

/** Why not, in the reader's language and with its numbers; a refusal that is unknown is shown as it came (X-19). */
export function why(reason: Reason & { detail?: string }): string {
  const text = phrase(`refusal.${reason.code}.${variant(reason.numbers)}`) ?? phrase(`refusal.${reason.code}`);
  if (text === undefined) return reason.detail ?? reason.code;
  const sentence = numbered(text, reason.numbers);
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** The reason of a closed action as it fits on its button: without the name of the action. */
export function briefly(reason: Reason): string {
  if (reason.code === 'ActionNotAllowed') return reasonText(String(reason.numbers.reason), reason.numbers);
  const short =
    phrase(`refusal.${reason.code}.${variant(reason.numbers)}.brief`) ?? phrase(`refusal.${reason.code}.brief`);
  return short === undefined ? why(reason).replace(/\.$/, '') : numbered(short, reason.numbers);
}

/** The first reason of a closed action in two short lines, for a button that keeps its height; `briefly` says all. */
export function labelled(reason: Reason): string {
  const key = reason.code === 'ActionNotAllowed' ? `reason.${reason.numbers.reason}` : `refusal.${reason.code}`;
  const label = phrase(`${key}.label`);
  return label === undefined ? briefly(reason) : numbered(label, reason.numbers);
}

/** A card in words: `Asso di picche`. */
export function spoken(code: string): string {
  const [rank = '', suit = ''] = code;
  const name = phrase(`rank.${rank}`) ?? rank;
  return t('card.name', { rank: name, suit: phrase(`suit.${suit}`) ?? suit });
}

/** Many cards in words. */
export const spokenAll = (codes: readonly string[]): string => codes.map(spoken).join(', ');
