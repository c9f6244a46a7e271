import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { listen } from '../keys/listen';
import { keyName, keyboard, type Command, type KeySet } from '../keys/map';

let run: Command[] = [];
let set: KeySet = 'live';
let language: 'it' | 'en' = 'it';
let asked = false;
let stop = (): void => {};

beforeEach(() => {
  vi.useFakeTimers();
  [run, set, language, asked] = [[], 'live', 'it', false];
  document.body.innerHTML = '<input id="field"><button id="button"></button>';
  stop = listen(document, {
    set: () => set,
    language: () => language,
    asked: () => asked,
    run: (command) => {
      run.push(command);
      return true;
    },
  });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

function press(key: string, more: KeyboardEventInit = {}, on: EventTarget = document.body): KeyboardEvent {
  const event = new KeyboardEvent('keydown', { key, code: key, bubbles: true, cancelable: true, ...more });
  on.dispatchEvent(event);
  return event;
}
const release = (key: string): boolean =>
  document.body.dispatchEvent(new KeyboardEvent('keyup', { key, code: key, bubbles: true }));

describe('keys', () => {
  test('V-91: numbers select chips from the lowest up', () => {
    press('1');
    press('6');
    expect(run).toEqual([
      { do: 'chip', index: 0 },
      { do: 'chip', index: 5 },
    ]);
  });

  test('V-92: space repeats', () => {
    expect(press(' ').defaultPrevented).toBe(true);
    expect(run).toEqual([{ do: 'repeat' }]);
  });

  test.each([
    ['z', { ctrlKey: true }],
    ['z', { metaKey: true }],
    ['Delete', {}],
    ['Backspace', {}],
  ])('V-93: %s takes the last bet off, held for three seconds all', (key, more) => {
    press(key, more);
    expect(run).toEqual([{ do: 'undo' }]);
    press(key, { ...more, repeat: true });
    vi.advanceTimersByTime(2_999);
    expect(run).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(run).toEqual([{ do: 'undo' }, { do: 'clear' }]);
  });

  test('V-93: let go before, and the rest stays', () => {
    press('Delete');
    vi.advanceTimersByTime(2_000);
    release('Delete');
    vi.advanceTimersByTime(5_000);
    expect(run).toEqual([{ do: 'undo' }]);
  });

  test('S-06, F-09: i opens the help, but cashes out where a hand can be', () => {
    set = 'solo';
    press('i');
    set = 'cash';
    press('i');
    expect(run).toEqual([{ do: 'help' }, { do: 'decide', action: 'cash-out' }]);
  });

  test('V-94, D-23: Esc closes, in a duel it leaves', () => {
    press('Escape');
    set = 'duel';
    press('Escape');
    expect(run).toEqual([{ do: 'close' }, { do: 'leave' }]);
  });

  test('a plain z is no undo', () => {
    press('z');
    expect(run).toEqual([]);
  });

  test('letters decide in the language of the reader', () => {
    press('c');
    language = 'en';
    press('H');
    expect(run).toEqual([
      { do: 'decide', action: 'hit' },
      { do: 'decide', action: 'hit' },
    ]);
  });

  test('the letter that insures does nothing before it is asked, and the one that stands never insures', () => {
    press('a');
    asked = true;
    press('a');
    press('s');
    press('n');
    expect(run).toEqual([{ do: 'yes' }, { do: 'decide', action: 'stand' }, { do: 'no' }]);
  });

  test('what is typed is no command, but Esc still closes', () => {
    const field = document.getElementById('field')!;
    press('1', {}, field);
    press('Backspace', {}, field);
    expect(run).toEqual([]);
    press('Escape', {}, field);
    expect(run).toEqual([{ do: 'close' }]);
  });

  test('space and Enter stay with a button that has the focus', () => {
    const button = document.getElementById('button')!;
    expect(press(' ', {}, button).defaultPrevented).toBe(false);
    press('Enter', {}, button);
    expect(run).toEqual([]);
    press('3', {}, button);
    expect(run).toEqual([{ do: 'chip', index: 2 }]);
  });

  test.each(['live', 'solo', 'duel'] as const)('no key means two things at %s', (at) => {
    for (const tongue of ['it', 'en'] as const) {
      const rows = keyboard(at, tongue).filter((row) => !row.native && row.command !== 'yes' && row.command !== 'no');
      const keys = rows.flatMap((row) => row.keys.map((key) => `${row.control ? 'ctrl ' : ''}${key.toLowerCase()}`));
      expect(keys.filter((key, k) => keys.indexOf(key) !== k)).toEqual([]);
    }
  });
});

describe.each(['it', 'en'] as const)('the keys in %s', (language) => {
  test.each(['live', 'solo', 'cash', 'duel'] as const)('%s: none has two meanings, insurance included', (set) => {
    const meanings = new Map<string, Set<string>>();
    for (const row of keyboard(set, language).filter((one) => !one.native))
      for (const key of row.keys) {
        const name = `${row.control ? 'Ctrl ' : ''}${key.toLowerCase()}`;
        meanings.set(name, (meanings.get(name) ?? new Set()).add(row.command));
      }
    expect([...meanings].filter(([, commands]) => commands.size > 1)).toEqual([]);
  });

  test.each(['live', 'solo', 'cash', 'duel'] as const)(
    '%s: none is printed by the name a program has for it',
    (set) => {
      const printed = keyboard(set, language).flatMap((row) => row.keys.map(keyName));
      expect(printed.filter((name) => /^[A-Z]?[a-z]{4,}|Arrow/i.test(name) && name.length > 3)).toEqual([]);
    },
  );
});
