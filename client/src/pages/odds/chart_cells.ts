import type { ChartPanel } from '../../wire/types';
import { phrase, t } from '../../words/words.svelte';
import { cardName } from './names';

/** One answer as it is drawn: the action decides the colour, the text is printed, the words are read out. */
export interface Shown {
  action: string;
  text: string;
  spoken: string;
  changed: boolean;
}
export interface ShownRow {
  label: string;
  cells: (Shown | null)[];
}

/** An answer of a duel is a card with what follows: `8H`; any other is an action alone. */
function read(cell: string): { action: string; card: string } {
  return cell.length === 2 ? { action: cell[1]!, card: cardName(cell[0]!) } : { action: cell, card: '' };
}

function words({ action, card }: { action: string; card: string }): string {
  if (card) return t(action === 'H' ? 'play.take-hit' : 'play.take-stand', { card });
  return phrase(`play.${action}.text`) ?? action;
}

function shown(cell: string, own: string): Shown | null {
  if (!cell) return null;
  const one = read(cell);
  const text = one.card ? `${one.card}${one.action === 'H' ? '+' : ''}` : (phrase(`play.${one.action}`) ?? one.action);
  const changed = own !== cell;
  return {
    action: one.action,
    text,
    changed,
    spoken: changed ? t('odds.cell-changed', { does: words(one), was: words(read(own)) }) : words(one),
  };
}

const LABELS: Readonly<Record<string, (label: string) => string>> = {
  soft: (label) => [...label].map(cardName).join('\u00a0'),
  pair: (label) => [...label].map(cardName).join('\u00a0'),
  duel: cardName,
};

/** The rows of a panel; totals that are played alike, and were, stand on one line: `17–20`. */
export function rowsOf(panel: ChartPanel): ShownRow[] {
  const found: (ShownRow & { key: string; last: string })[] = [];
  for (const row of panel.rows) {
    const label = (LABELS[panel.kind] ?? ((one: string) => one))(row.label);
    const key = `${row.cells.join()}|${row.own.join()}`;
    const before = found.at(-1);
    if (panel.kind === 'hard' && before?.key === key) before.last = label;
    else found.push({ key, label, last: label, cells: row.cells.map((cell, at) => shown(cell, row.own[at] ?? cell)) });
  }
  return found.map(({ label, last, cells }) => ({ label: label === last ? label : `${last}–${label}`, cells }));
}

/** The actions that occur, in a fixed order, each with its sign and its meaning. */
export function legend(chart: readonly ChartPanel[]): { action: string; text: string; meaning: string }[] {
  const seen = new Set(
    chart.flatMap((panel) => panel.rows.flatMap((row) => row.cells.filter(Boolean).map((cell) => read(cell).action))),
  );
  const duel = chart.some((panel) => panel.kind === 'duel');
  return ['H', 'S', 'D', 'd', 'P', 'R', 'r', 'F']
    .filter((action) => seen.has(action))
    .map((action) => ({
      action,
      text: duel && action !== 'F' ? (action === 'H' ? '9+' : '9') : (phrase(`play.${action}`) ?? action),
      meaning:
        duel && action !== 'F'
          ? t(action === 'H' ? 'play.key-hit' : 'play.key-stand')
          : (phrase(`play.${action}.text`) ?? action),
    }));
}

/** Answers of a panel that differ from the game's own. */
export const differing = (panel: ChartPanel): number =>
  panel.rows.reduce((sum, row) => sum + row.cells.filter((cell, at) => (row.own[at] ?? cell) !== cell).length, 0);
