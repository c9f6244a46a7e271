import type { Key } from '../words/words.svelte';
import type { Language } from '../words/amounts';

/** What a key can ask for. A screen does with it what its buttons do, and no more. */
export type Command =
  | { do: 'chip'; index: number }
  | {
      do:
        | 'repeat'
        | 'undo'
        | 'clear'
        | 'deal'
        | 'close'
        | 'leave'
        | 'help'
        | 'words'
        | 'louder'
        | 'softer'
        | 'yes'
        | 'no';
    }
  | { do: 'decide'; action: string };

/**
 * `live`: the table with other players. `solo`: one player. `cash`: one player whose hand can be cashed out. `duel`:
 * the family with the two community cards.
 */
export type KeySet = 'live' | 'solo' | 'cash' | 'duel';

export interface KeyRow {
  keys: readonly string[];
  command: Command['do'] | `decide ${string}`;
  label: Key;
  criterion: string;
  sets: readonly KeySet[];
  /** Held so long, the key asks for this instead. */
  held?: { after: number; command: Command['do'] };
  /** With Ctrl or Cmd. */
  control?: boolean;
  /** The browser itself does it; the row is there to be read. */
  native?: boolean;
}

const BLACKJACK: readonly KeySet[] = ['live', 'solo', 'cash'];
const ALL: readonly KeySet[] = [...BLACKJACK, 'duel'];
const HELD = { after: 3_000, command: 'clear' } as const;

/** Decisions have letters of their own in each language, those of the terminal table. */
const SAME = { stand: 'S', 'cash-out': 'I', left: 'ArrowLeft', right: 'ArrowRight', fold: 'F', no: 'N', words: 'T' };
const LETTERS: Record<Language, Record<string, string>> = {
  it: { ...SAME, hit: 'C', double: 'R', split: 'V', yes: 'A' },
  en: { ...SAME, hit: 'H', double: 'D', split: 'P', yes: 'Y' },
};
export const letters = (language: Language): Readonly<Record<string, string>> => LETTERS[language];

/** A key as it is printed: its sign, never the name a program has for it. */
const NAMES: Readonly<Record<string, string>> = {
  ' ': '␣',
  Escape: 'Esc',
  Delete: 'Del',
  Backspace: '⌫',
  Enter: '↵',
  Tab: '⇥',
  ArrowLeft: '←',
  ArrowRight: '→',
};
export const keyName = (key: string): string => NAMES[key] ?? key.toUpperCase();

/** The keyboard of the house, one row for each use of a key. */
export function keyboard(set: KeySet, language: Language): KeyRow[] {
  const own = LETTERS[language];
  const key = (name: string): string[] => [own[name] ?? ''];
  const rows: KeyRow[] = [
    {
      keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'],
      command: 'chip',
      label: set === 'duel' ? 'key.chip-add' : 'key.chip',
      criterion: set === 'duel' ? 'D-22' : 'V-91',
      sets: ALL,
    },
    {
      keys: [' '],
      command: 'repeat',
      label: set === 'duel' ? 'key.new' : 'key.repeat',
      criterion: set === 'duel' ? 'D-21' : 'V-92',
      sets: ALL,
    },
    { keys: ['z'], control: true, command: 'undo', held: HELD, label: 'key.undo', criterion: 'V-93', sets: ALL },
    { keys: ['Delete', 'Backspace'], command: 'undo', held: HELD, label: 'key.undo', criterion: 'V-93', sets: ALL },
    { keys: ['Escape'], command: 'close', label: 'key.close', criterion: 'V-94', sets: BLACKJACK },
    { keys: ['Escape'], command: 'leave', label: 'key.leave', criterion: 'D-23', sets: ['duel'] },
    { keys: ['Tab'], command: 'words', native: true, label: 'key.next', criterion: 'D-20', sets: ALL },
    { keys: ['Enter'], command: 'words', native: true, label: 'key.press', criterion: 'D-20', sets: ALL },
    { keys: ['Enter'], command: 'deal', label: 'key.deal', criterion: 'V-36', sets: ALL },
    { keys: key('hit'), command: 'decide hit', label: 'key.hit', criterion: 'X-07', sets: ALL },
    { keys: key('stand'), command: 'decide stand', label: 'key.stand', criterion: 'X-07', sets: ALL },
    { keys: key('double'), command: 'decide double', label: 'key.double', criterion: 'X-07', sets: BLACKJACK },
    { keys: key('split'), command: 'decide split', label: 'key.split', criterion: 'X-07', sets: BLACKJACK },
    { keys: key('cash-out'), command: 'decide cash-out', label: 'key.cash-out', criterion: 'X-07', sets: ['cash'] },
    { keys: key('left'), command: 'decide left', label: 'key.left', criterion: 'X-07', sets: ['duel'] },
    { keys: key('right'), command: 'decide right', label: 'key.right', criterion: 'X-07', sets: ['duel'] },
    { keys: key('fold'), command: 'decide fold', label: 'key.fold', criterion: 'X-07', sets: ['duel'] },
    { keys: key('yes'), command: 'yes', label: 'key.yes', criterion: 'X-07', sets: BLACKJACK },
    { keys: key('no'), command: 'no', label: 'key.no', criterion: 'X-07', sets: BLACKJACK },
    { keys: ['?'], command: 'help', label: 'key.help', criterion: 'V-95', sets: ALL },
    { keys: ['i'], command: 'help', label: 'key.help', criterion: 'S-06', sets: ['solo'] },
    { keys: key('words'), command: 'words', label: 'key.words', criterion: 'X-07', sets: ALL },
    { keys: ['+'], command: 'louder', label: 'key.louder', criterion: 'S-06', sets: ALL },
    { keys: ['-'], command: 'softer', label: 'key.softer', criterion: 'S-06', sets: ALL },
  ];
  return rows.filter((row) => row.sets.includes(set));
}
