import type { Choice } from '../parts/table/DecisionPanel.svelte';
import type { DecisionOption, PrivateView, PublicView } from '../wire/types';
import { cash, t } from '../words/words.svelte';

/** What can be decided at a box now, in the order of the house; `pending` is the action on its way. */
export function choices(
  open: PublicView,
  mine: PrivateView,
  box: number,
  keys: Readonly<Record<string, string>> = {},
  pending: string | null = null,
): Choice[] {
  return mine.options.decisions
    .filter((option) => option.box === box && offered(option))
    .map((option) => choice(open, mine, option, keys, pending));
}

/** The same for a decision before the turn (V-54). */
export function earlyChoices(
  open: PublicView,
  mine: PrivateView,
  box: number,
  keys: Readonly<Record<string, string>> = {},
): Choice[] {
  return mine.options.early
    .filter((option) => option.box === box && offered(option))
    .map((option) => choice(open, mine, option, keys, null));
}

/** An action the game does not have at all takes no room; one that is closed now stays and says why. */
const NEVER = new Set(['not-offered', 'not-asked', 'only-blackjack']);
export const offered = (option: DecisionOption): boolean =>
  option.price !== null ||
  !option.reasons.some((reason) => reason.code === 'ActionNotAllowed' && NEVER.has(String(reason.numbers.reason)));

function choice(
  open: PublicView,
  mine: PrivateView,
  option: DecisionOption,
  keys: Readonly<Record<string, string>>,
  pending: string | null,
): Choice {
  return {
    action: option.action,
    hint: hint(open, mine, option),
    total: option.total,
    reasons: option.reasons,
    key: keys[option.action],
    pending: pending === option.action,
  };
}

function hint(open: PublicView, mine: PrivateView, option: DecisionOption): string {
  const offer = mine.boxes.find((one) => one.box === option.box)?.offer;
  if (option.action === 'cash-out' && offer != null) return t('hint.now', { amount: cash(offer) });
  if (option.price) return cash(option.price, { sign: 'always' });
  if (option.action === 'hit') return t('hint.hit');
  if (option.action === 'fold') return t('hint.fold', { amount: cash(stakeAt(open, option.box)) });
  if (option.action === 'decline') return t('hint.decline');
  if (option.action === 'stand') return t('hint.stand', { total: best(totalAt(open, option.box)) });
  return t('hint.free');
}

/** What lies on a box, and is lost by folding: of a duel the ante (D-07). */
const stakeAt = (open: PublicView, box: number): number =>
  open.boxes.find((one) => one.box === box)?.hands.reduce((sum, hand) => sum + hand.stake, 0) ?? 0;

function totalAt(open: PublicView, box: number): string {
  const played = open.boxes.find((one) => one.box === box);
  const hand = open.turn?.box === box ? open.turn.hand : 1;
  return played?.hands[Math.max(0, hand - 1)]?.total ?? '';
}

/** Of `7/17` the total one would stand on. */
const best = (total: string): string => total.split('/').at(-1) ?? total;
