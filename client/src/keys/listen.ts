import { keyboard, type Command, type KeyRow, type KeySet } from './map';
import type { Language } from '../words/amounts';

export interface Listening {
  set: () => KeySet;
  language: () => Language;
  /** True where the key did something, so that the browser need not. */
  run: (command: Command) => boolean;
  /** An insurance question is open: its letters answer it. */
  asked?: () => boolean;
}

const TYPING = 'input, textarea, select, [contenteditable]';
/** Keys that press or move what has the focus: they stay with it. */
const OWN = 'button, a, [role=menuitem], [role=tab], [role=radio], [role=switch], dialog, [role=dialog]';
/** The arrows move in a list: a button that stands alone has no use for them. */
const LIST = '[role=menuitem], [role=tab], [role=radio], dialog';

function command(row: KeyRow, event: KeyboardEvent): Command {
  if (row.command === 'chip') return { do: 'chip', index: Number(event.key) - 1 };
  if (row.command.startsWith('decide ')) return { do: 'decide', action: row.command.slice('decide '.length) };
  return { do: row.command } as Command;
}

const matches = (row: KeyRow, event: KeyboardEvent): boolean =>
  !row.native &&
  Boolean(row.control) === (event.ctrlKey || event.metaKey) &&
  !event.altKey &&
  row.keys.some((key) => key === event.key || (key.length === 1 && key.toLowerCase() === event.key.toLowerCase()));

/** The rows a key means now: an answer to an insurance question goes before a decision with the same letter. */
function meant(listening: Listening, event: KeyboardEvent): KeyRow | undefined {
  const rows = keyboard(listening.set(), listening.language()).filter((row) => matches(row, event));
  const answer = (row: KeyRow): boolean => row.command === 'yes' || row.command === 'no';
  return listening.asked?.() ? (rows.find(answer) ?? rows[0]) : rows.find((row) => !answer(row));
}

/**
 * Listens on a target until the returned function is called. What is typed into a field is never a command (V-91…V-94).
 */
export function listen(target: EventTarget, listening: Listening): () => void {
  const holding = new Map<string, ReturnType<typeof setTimeout>>();

  function down(event: Event): void {
    if (!(event instanceof KeyboardEvent) || event.defaultPrevented) return;
    const on = event.target instanceof Element ? event.target : null;
    if (on?.closest(TYPING) && event.key !== 'Escape') return;
    if ((event.key === ' ' || event.key === 'Enter') && on?.closest(OWN)) return;
    if (event.key.startsWith('Arrow') && on?.closest(LIST)) return;
    const row = meant(listening, event);
    if (!row) return;
    if (event.repeat) {
      event.preventDefault();
      return;
    }
    if (!listening.run(command(row, event))) return;
    event.preventDefault();
    if (row.held) {
      const { after, command: then } = row.held;
      clearTimeout(holding.get(event.code));
      holding.set(
        event.code,
        setTimeout(() => listening.run({ do: then } as Command), after),
      );
    }
  }
  function up(event: Event): void {
    if (!(event instanceof KeyboardEvent)) return;
    clearTimeout(holding.get(event.code));
    holding.delete(event.code);
  }
  function release(): void {
    for (const timer of holding.values()) clearTimeout(timer);
    holding.clear();
  }

  target.addEventListener('keydown', down);
  target.addEventListener('keyup', up);
  addEventListener('blur', release);
  return () => {
    release();
    target.removeEventListener('keydown', down);
    target.removeEventListener('keyup', up);
    removeEventListener('blur', release);
  };
}
