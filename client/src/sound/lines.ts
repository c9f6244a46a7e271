import type { PlaceWord } from '../table/settlement';
import type { PrivateView, PublicView } from '../wire/types';
import type { Language } from '../words/amounts';
import { reading, tIn, type Given, type Key } from '../words/words.svelte';
import type { Sound } from './sounds';

/** What is heard when a table goes from one state to the next: sounds at once, and what the dealer says. */
export interface Heard {
  sounds: Sound[];
  lines: string[];
}

/** `7/17` is said as two numbers. */
export function totalSaid(total: string, language = reading.language): string {
  const [low, high] = total.split('/');
  return low !== undefined && high !== undefined ? tIn(language, 'voice.or', { low, high }) : total;
}

const cards = ({ dealer, boxes }: PublicView): number =>
  dealer.cards.length +
  dealer.face_down +
  dealer.community.length +
  boxes.reduce((sum, box) => sum + box.face_down + box.hands.reduce((held, hand) => held + hand.cards.length, 0), 0);
const chips = (open: PublicView, mine: PrivateView): number =>
  [...open.bets, ...mine.bets].reduce((sum, chip) => sum + chip.amount, 0);

export function heard(
  before: { open: PublicView; mine: PrivateView } | null,
  open: PublicView,
  mine: PrivateView,
  place: PlaceWord = 'table.box',
  language: Language = reading.language,
): Heard {
  const t = <K extends Key>(key: K, ...fields: Given<K>): string => tIn(language, key, ...fields);
  const sounds: Sound[] = [];
  const lines: string[] = [];
  if (!before) return { sounds, lines };
  const was = before.open;
  if (cards(open) > cards(was)) sounds.push('slide');
  if (open.code === was.code && open.dealer.face_down < was.dealer.face_down) sounds.push('turn');
  if (open.phase === 'betting' && chips(open, mine) > chips(was, before.mine)) sounds.push('chip');
  if (open.phase !== was.phase) {
    if (open.phase === 'betting') lines.push(t('voice.bets'));
    if (open.phase === 'round') lines.push(t('voice.no-more'));
    if (open.phase === 'shuffling') lines.push(t('voice.shuffle'));
  }
  if (open.stage === 'insurance' && was.stage !== 'insurance') lines.push(t('voice.insurance'));
  const turn = open.turn;
  const hand = turn ? open.boxes.find((box) => box.box === turn.box)?.hands[Math.max(0, turn.hand - 1)] : undefined;
  if (turn && hand && (turn.box !== was.turn?.box || turn.hand !== was.turn.hand)) {
    const total = totalSaid(hand.total, language);
    lines.push(t('voice.your-turn', { place: t(place, { box: turn.box }), total }));
    if (open.boxes.find((box) => box.box === turn.box)?.player === mine.player) sounds.push('your-turn');
  }
  if (open.phase === 'results' && was.phase !== 'results') {
    const total = Number(open.dealer.total);
    if (open.dealer.cards.length)
      lines.push(
        open.dealer.cards.length === 2 && total === 21 && !open.dealer.community.length
          ? t('voice.dealer-blackjack')
          : total > 21
            ? t('voice.dealer-bust')
            : t('voice.dealer', { total: open.dealer.total }),
      );
    const own = open.lines.filter((line) => line.player === mine.player);
    const net = own.reduce((sum, line) => sum + line.returned - line.stake, 0);
    if (net > 0) sounds.push('win');
    else if (own.length && net === 0) sounds.push('push');
  }
  return { sounds, lines };
}
