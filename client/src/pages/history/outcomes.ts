import type { PlaceWord } from '../../table/settlement';
import type { Box, GameResponse, PublicView, RoundResponse, Settled } from '../../wire/types';
import { spoken } from '../../words/why';
import { cash, named, phrase, t, winName } from '../../words/words.svelte';

const SUITS: Readonly<Record<string, string>> = { S: '♠', H: '♥', D: '♦', C: '♣' };
/** `Ad6s` or a code of the deck as a player writes it: `A♦ 6♠`. */
const signs = (codes: readonly string[]): string =>
  codes.map((code) => `${code[0] === 'T' ? '10' : code[0]}${SUITS[code[1]?.toUpperCase() ?? ''] ?? ''}`).join(' ');
const split = (cards: string): string[] => cards.match(/[2-9TJQKA][shdc]/gi)?.map((card) => card.toUpperCase()) ?? [];

/** The cards that a bet beside the main one looks at, by its kind in the sheet. */
function looked(kind: string, box: number, round: RoundResponse, last: PublicView): string[] {
  const dealt = split(round.steps.find((step) => step.what === 'dealt' && step.box === box)?.cards ?? '');
  const up = split(round.steps.find((step) => step.what === 'dealer-up')?.cards ?? '');
  switch (kind) {
    case 'pair':
      return dealt;
    case 'three-cards':
      return [...dealt, ...up];
    case 'dealer-pair':
      return last.dealer.cards.slice(0, 2);
    case 'two-up':
      return [...dealt, ...last.dealer.community];
    default:
      return [];
  }
}

/** How a bet of the round ended, in a few words: `21 contro 17`, `A♦ 6♠, niente`. Empty where nobody can tell. */
export function outcomeOf(
  line: Settled,
  round: RoundResponse,
  last: PublicView | undefined,
  game: GameResponse | undefined,
): string {
  if (!last) return '';
  const box = last.boxes.find((one) => one.box === line.box);
  if (line.bet.includes('insurance')) return t(line.returned ? 'past.dealer-blackjack' : 'past.no-blackjack');
  const kind = game?.pay_tables.find((one) => one.bet === line.bet)?.kind ?? 'main';
  const side = box?.sides.find((one) => one.bet === line.bet);
  if (side || (kind !== 'main' && kind !== 'insurance')) {
    const cards = signs(looked(kind, line.box, round, last));
    const won = side?.won ? winName(side.won, game?.looks.names) : line.returned ? '' : t('past.nothing');
    return [cards, won].filter(Boolean).join(', ');
  }
  return box ? handOutcome(box, line.hand, last) : '';
}

function handOutcome(box: Box, number: number, last: PublicView): string {
  const hand = box.hands[Math.max(number, 1) - 1];
  if (!hand) return '';
  const compared = ['win', 'lose', 'push'].includes(hand.outcome) && hand.status !== 'bust';
  if (compared && hand.status !== 'blackjack' && last.dealer.total)
    return t('past.against', { total: hand.total, dealer: last.dealer.total });
  const word = hand.status === 'bust' || hand.status === 'blackjack' ? hand.status : hand.outcome;
  return phrase(`end.${word}`) ? named('end', word, { total: hand.total }) : '';
}

/** What happened at a step of the replay, as one would tell it; null for what needs no words. */
export function stepText(step: RoundResponse['steps'][number], place: PlaceWord): string | null {
  const cards = split(step.cards).map(spoken).join(', ');
  const after = cards ? `, ${cards}` : '';
  const text = phrase(`did.${step.what}`);
  if (text !== undefined) return `${text}${after}`;
  if (phrase(`act.${step.what}`) === undefined) return null;
  const paid = step.amount ? ` (${cash(step.amount)})` : '';
  return t('past.did', { place: t(place, { box: step.box }), action: `${named('act', step.what)}${paid}${after}` });
}
