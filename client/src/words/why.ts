import type { Reason } from '../wire/types';
import { count, moment } from './amounts';
import { PHASES, REASONS } from './reasons';
import { cash, fill, named, phrase, reading, t, type Key } from './words.svelte';

type Kind = 'money' | 'signed' | 'time' | 'day' | 'bet' | 'action' | 'reason' | 'phase' | 'milliseconds' | 'card';

/** What the numbers of a refusal are. A field that is not named here is a plain number or word. */
const KINDS: Record<string, Record<string, Kind>> = {
  LimitReached: { bet: 'bet', maximum: 'money', asked: 'money' },
  BelowMinimum: { bet: 'bet', minimum: 'money', asked: 'money' },
  NotAMultiple: { unit: 'money', asked: 'money' },
  FundsMissing: { needed: 'money', available: 'money' },
  RoundCapReached: { cap: 'money', asked: 'money' },
  SessionCapReached: { cap: 'money', asked: 'money' },
  BetNotOffered: { bet: 'bet' },
  MainBetMissing: { bet: 'bet' },
  ActionNotAllowed: { action: 'action', reason: 'reason' },
  TooEarly: { deadline: 'time' },
  TooLate: { deadline: 'time' },
  TablePaused: { reason: 'reason' },
  WrongPhase: { phase: 'phase' },
  TooManyCopies: { card: 'card' },
  NotBefore: { ready: 'day' },
  PauseUnfit: { least: 'day', most: 'day' },
  PlayExcluded: { until: 'day' },
  CoolingOff: { until: 'day' },
  RealityCheckDue: { net: 'signed' },
  TooFast: { wait: 'milliseconds' },
  Muted: { until: 'time' },
  SessionBusy: { left: 'money' },
  Overdrawn: { needed: 'money', held: 'money' },
  TableClosing: { reason: 'reason' },
  SessionOver: { reason: 'reason' },
};

function shown(kind: Kind | undefined, value: unknown): string {
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
      case 'milliseconds':
        return t('decide.seconds', { seconds: Math.ceil(value / 1000) });
      default:
        return count(value, reading.language);
    }
  }
  const word = String(value);
  switch (kind) {
    case 'bet':
      return named('bet', word);
    case 'action':
      return named('act', word);
    case 'card':
      return spoken(word);
    case 'reason':
      return translated(REASONS, word);
    case 'phase':
      return translated(PHASES, word);
    default:
      return word;
  }
}

function translated(words: Readonly<Record<string, Key>>, word: string): string {
  const key = words[word];
  return (key && phrase(key)) ?? word;
}

/** A limit of one's own counts minutes or money; its name says which (X-13). */
const protective = (numbers: Readonly<Record<string, unknown>>): Record<string, Kind> =>
  String(numbers.name).endsWith('minutes') ? {} : { limit: 'money', used: 'money', asked: 'money' };

/**
 * Why not, in the reader's language and with its numbers; the house's own sentence where a refusal is unknown (X-19).
 */
export function why(reason: Reason): string {
  const endless = reason.numbers.until === 0 ? phrase(`refusal.${reason.code}.endless`) : undefined;
  const text = endless ?? phrase(`refusal.${reason.code}`);
  if (text === undefined) return reason.detail;
  const sentence = numbered(text, reason);
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** `stake:day` as it is named where limits are set. */
function limitName(name: string): string {
  const [kind = '', period = ''] = name.split(':');
  return period === 'minutes'
    ? t('guard.session')
    : `${phrase(`guard.${kind}`) ?? kind} ${phrase(`guard.${period}`) ?? period}`;
}

function numbered(text: string, reason: Reason): string {
  const kinds = reason.code === 'ProtectionLimit' ? protective(reason.numbers) : (KINDS[reason.code] ?? {});
  const fields = Object.fromEntries(
    Object.entries(reason.numbers).map(([name, value]) => [name, shown(kinds[name], value)]),
  );
  return fill(
    text,
    reason.code === 'ProtectionLimit' ? { ...fields, name: limitName(String(reason.numbers.name)) } : fields,
  );
}

/** The reason of a closed action as it fits on its button: without the name of the action. */
export function briefly(reason: Reason): string {
  if (reason.code === 'ActionNotAllowed') return shown('reason', reason.numbers.reason);
  const short = phrase(`refusal.${reason.code}.brief`);
  return short === undefined ? why(reason).replace(/\.$/, '') : numbered(short, reason);
}

/** A card in words: `Asso di picche`. */
export function spoken(code: string): string {
  const [rank = '', suit = ''] = code;
  const name = phrase(`rank.${rank}`) ?? rank;
  return t('card.name', { rank: name, suit: phrase(`suit.${suit}`) ?? suit });
}

/** Many cards in words. */
export const spokenAll = (codes: readonly string[]): string => codes.map(spoken).join(', ');
