import type { Json } from './canonical';
import { Unreadable } from './canonical';
import type { Sheet } from './sheet';
import sheets from './sheets.json';
import { cards, type Fields, flag, listed, mapping, number, object, text, word } from './fields';

/** One round as data: cards and decisions in, payouts out; its form is that of `ventuno settle`. */
export interface BehindEntry {
  player: string;
  stake: number;
  follow_double: boolean;
  follow_split: boolean;
}
export interface BoxEntry {
  box: number;
  player: string;
  main: number | null;
  sides: Readonly<Record<string, number>>;
  behind: readonly BehindEntry[];
}
export interface DecisionEntry {
  box: number;
  do: Deed;
  player: string;
}
export interface Scenario {
  game: string;
  shoe: readonly number[];
  boxes: readonly BoxEntry[];
  players: Readonly<Record<string, number>>;
  table: Readonly<Record<string, number>>;
  decisions: readonly DecisionEntry[];
  bonus: readonly Fields[];
}

/** The bets beside the main one that any sheet has; those of the whole table are never a box's. */
const SIDES = new Map((sheets as unknown as readonly Sheet[]).flatMap(({ sides }) => Object.entries(sides)));

const DEEDS = [
  'hit',
  'stand',
  'double',
  'split',
  'cash-out',
  'insure',
  'even-money',
  'decline',
  'fold',
  'left',
  'right',
  'timeout',
] as const;
export type Deed = (typeof DEEDS)[number];

export function readScenario(raw: Json | undefined, at: string, games: readonly string[]): Scenario {
  const top = mapping(raw, at, ['game', 'shoe', 'boxes'], ['players', 'table', 'decisions', 'bonus']);
  const boxes = listed(top.boxes, `${at}.boxes`).map((one, i) => readBox(one, `${at}.boxes[${i}]`));
  return {
    game: word(top.game, `${at}.game`, games),
    shoe: cards(top.shoe, `${at}.shoe`),
    boxes,
    players: amounts(top.players, `${at}.players`, 0),
    table: amounts(top.table, `${at}.table`, 1, true),
    decisions: listed(top.decisions ?? [], `${at}.decisions`).map((one, i) =>
      readDecision(one, `${at}.decisions[${i}]`, boxes),
    ),
    bonus: listed(top.bonus ?? [], `${at}.bonus`).map((one, i) => readBonus(one, `${at}.bonus[${i}]`)),
  };
}

function readBonus(raw: Json, at: string): Fields {
  const one = mapping(raw, at, ['wheel'], ['boxes', 'start', 'spins', 'diamonds']);
  checkCells(one.start ?? {}, `${at}.start`);
  for (const [i, locks] of listed(one.spins ?? [], `${at}.spins`).entries()) checkCells(locks, `${at}.spins[${i}]`);
  return one;
}

function checkCells(raw: Json, at: string): void {
  for (const [cell, prize] of Object.entries(object(raw, at))) {
    if (!/^(0|[1-9]\d{0,2})$/.test(cell)) throw new Unreadable(at, 'number');
    number(prize, `${at}.${cell}`);
  }
}

function readBox(raw: Json, at: string): BoxEntry {
  const one = mapping(raw, at, ['box', 'player'], ['main', 'sides', 'behind']);
  const found = {
    box: number(one.box, `${at}.box`),
    player: name(one.player, `${at}.player`),
    main: 'main' in one ? least(one.main, `${at}.main`, 0) : null,
    sides: amounts(one.sides, `${at}.sides`, 1, false),
    behind: listed(one.behind ?? [], `${at}.behind`).map((entry, i) => readBehind(entry, `${at}.behind[${i}]`)),
  };
  if ((found.main === 0 && !found.behind.length) || (found.main === null && !Object.keys(found.sides).length))
    throw new Unreadable(`${at}.main`, 'number');
  return found;
}

function readBehind(raw: Json, at: string): BehindEntry {
  const one = mapping(raw, at, ['player', 'stake'], ['follow_double', 'follow_split']);
  return {
    player: name(one.player, `${at}.player`),
    stake: least(one.stake, `${at}.stake`, 1),
    follow_double: flag(one.follow_double ?? false, `${at}.follow_double`),
    follow_split: flag(one.follow_split ?? false, `${at}.follow_split`),
  };
}

function readDecision(raw: Json, at: string, boxes: readonly BoxEntry[]): DecisionEntry {
  const one = mapping(raw, at, ['box', 'do'], ['player']);
  const box = number(one.box, `${at}.box`);
  const owner = boxes.find((entry) => entry.box === box)?.player ?? '';
  return {
    box,
    do: word(one.do, `${at}.do`, DEEDS),
    player: 'player' in one ? name(one.player, `${at}.player`) : owner,
  };
}

/** Amounts by player, or by bet: of a box, or of the whole table. */
function amounts(raw: Json | undefined, at: string, smallest: number, ofTable?: boolean): Record<string, number> {
  for (const bet of ofTable === undefined ? [] : Object.keys(object(raw ?? {}, at))) {
    const kind = SIDES.get(bet)?.kind;
    if (!kind || (kind === 'dealer-pair') !== ofTable) throw new Unreadable(at, 'word');
  }
  return Object.fromEntries(
    Object.entries(object(raw ?? {}, at)).map(([key, value]) => [key, least(value, `${at}.${key}`, smallest)]),
  );
}

function least(raw: Json | undefined, at: string, smallest: number): number {
  const found = number(raw, at);
  if (found < smallest) throw new Unreadable(at, 'number');
  return found;
}

function name(raw: Json | undefined, at: string): string {
  const found = text(raw, at);
  if (!found || found !== found.trim() || [...found].length > 64) throw new Unreadable(at, 'name');
  return found;
}
