import { NEWS_STAY, type Tone } from '../wire/toasts.svelte';
import type { Notice } from '../wire/types';
import { moment } from '../words/amounts';
import { betName, cash, named, reading, t, type BetNames } from '../words/words.svelte';
import { voidReason } from './status';

interface ToastText {
  text: string;
  tone: Tone;
  /** Until it is closed, or for so many milliseconds. */
  stays: boolean | number;
}

/** What a notice of the house says at a table; null where it is shown in another way (V-27, V-34, V-42, V-59). */
export function describeNotice(notice: Notice, names: BetNames = {}): ToastText | null {
  const numbers = notice.numbers ?? {};
  const word = (name: string): string => String(numbers[name] ?? '');
  const money = (name: string): string => cash(Number(numbers[name] ?? 0));
  const box = word('box');
  const said = (text: string, tone: Tone = 'plain', stays: boolean | number = false): ToastText => ({
    text,
    tone,
    stays,
  });
  switch (notice.kind) {
    case 'refunded': {
      const fields = { bet: betName(word('bet'), names), box, amount: money('amount') };
      return said(word('reason') === 'below-minimum' ? t('told.refunded.below', fields) : t('told.refunded', fields));
    }
    case 'replaced':
      return said(
        t('told.replaced', {
          box,
          asked: named('act', word('asked')),
          done: named('act', word('done')),
          missing: money('missing'),
        }),
        'bad',
        NEWS_STAY,
      );
    case 'not-followed':
      return said(
        t('told.not-followed', { box, action: named('act', word('action')), missing: money('missing') }),
        'bad',
        NEWS_STAY,
      );
    case 'seat-lost':
      return said(t('told.seat-lost', { box }), 'bad', NEWS_STAY);
    case 'closing':
      return said(t('told.closing'));
    case 'table-closed':
      return said(t('told.table-closed'), 'plain', NEWS_STAY);
    default:
      return null;
  }
}

export const mutedUntil = (notice: Notice): string =>
  t('told.muted', {
    until: moment(Number(notice.numbers?.until ?? 0), reading.language, true),
    reason: String(notice.numbers?.reason ?? ''),
  });

/** A round that was voided: at a table for one bets are open again at once, and no status has time to say it (V-77). */
export function describeVoid(notice: Notice): ToastText | null {
  if (notice.kind !== 'voided') return null;
  const back = Number(notice.numbers?.amount ?? 0);
  const texts = [t('face.voided'), voidReason(notice), back ? t('void.back', { amount: cash(back) }) : ''];
  return { text: texts.filter(Boolean).join('. '), tone: 'bad', stays: true };
}
