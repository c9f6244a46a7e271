import type { GameOffer } from '../parts/room/GameCard.svelte';
import type { TableOffer } from '../parts/room/LobbyCard.svelte';
import type { GameLine, GameResponse, LobbyLine, OwnTable } from '../wire/types';
import { many, t } from '../words/words.svelte';

/** The return of the main bet in hundredths of a per cent: computed where there is a certificate, else as printed. */
export function mainReturn(game: GameResponse | undefined): number | null {
  const computed = game?.certified?.bets.find((one) => one.bet === 'main')?.rtp;
  const printed = game?.published.returns.main;
  if (computed !== undefined) return Math.round(computed * 100);
  return printed === undefined ? null : Math.round(Number(printed) * 100);
}

/** What is particular about a game, in a few words made from its sheet. */
export function particulars(game: GameResponse | undefined): string {
  if (!game) return '';
  const switches = new Map(game.switches.map((one) => [one.path, one.value]));
  const seats = Number(switches.get('seats.count') ?? 1);
  const first = switches.has('duel.qualify') ? t('lobby.line.duel') : many('lobby.line.hands', seats);
  const rest = [
    switches.get('cash_out.offered') === true ? t('lobby.line.cash-out') : '',
    game.draws.length ? t('lobby.line.bonus') : '',
    !game.draws.length && game.pay_tables.some((one) => one.kind === 'dealer-pair') ? t('lobby.line.dealer-pair') : '',
  ].filter(Boolean);
  return [first, ...rest].join(', ');
}

/** A game as its card shows it. */
export function gameOffer(line: GameLine, game: GameResponse | undefined): GameOffer {
  return {
    game: line.game,
    name: line.name,
    line: particulars(game),
    hundredths: mainReturn(game),
    least: line.least,
    most: line.most,
    cards: line.looks.cards,
    tone: line.looks.tone,
  };
}

/** A line of the lobby as its card shows it: each box as it is, one's own marked. */
export function tableOffer(line: LobbyLine, own: readonly OwnTable[]): TableOffer {
  const mine = own.find((one) => one.table === line.table)?.boxes ?? [];
  const seats = Array.from({ length: line.seats }, (_, at) => {
    if (mine.includes(at + 1)) return 'own';
    return line.taken.includes(at + 1) ? 'taken' : 'free';
  });
  const limit = line.limits.main ?? line.limits.ante;
  return {
    table: line.table,
    name: line.table,
    seats,
    people: line.people,
    least: limit?.least ?? 0,
    most: limit?.most ?? 0,
    seconds: line.betting_seconds,
    hot: line.streaks.length ? Math.max(...line.streaks) : null,
    practice: false,
    closing: false,
    multi: line.multi_table,
    phase: line.phase,
    paused: line.paused,
    dealer: line.language,
  };
}
