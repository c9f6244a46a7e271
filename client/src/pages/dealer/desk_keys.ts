import { parseCode, type Code } from '../../scan/codes';
import { listenToScanner } from '../../scan/wedge';

/** What a key of the desk asks for; letters and figures are the scanner's. */
export type DeskKeyCommand = 'unscan' | 'pause' | 'call-help' | 'misdeal' | 'new-shoe';
const KEYS: Readonly<Record<string, DeskKeyCommand>> = {
  F2: 'unscan',
  F4: 'pause',
  F8: 'call-help',
  F9: 'misdeal',
  F10: 'new-shoe',
};

/** Milliseconds after which what was typed and not ended is forgotten. */
export const FORGET = 4_000;

export interface DeskListening {
  read: (code: Code) => void;
  refuse: (text: string) => void;
  typed: (text: string) => void;
  run: (command: DeskKeyCommand) => void;
}

/**
 * The keyboard of a desk: a scanner that types, cards typed by hand, and the keys of the commands. Where the focus is
 * does not matter, but for a text field: what is typed there stays there.
 */
export function listenToDesk(target: EventTarget, { read, refuse, typed, run }: DeskListening): () => void {
  const end = listenToScanner(target, { read, refuse, typed, parse: parseCode, pause: FORGET, shortest: 1 });
  function down(event: Event): void {
    if (!(event instanceof KeyboardEvent) || event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    const command = KEYS[event.key];
    if (!command) return;
    event.preventDefault();
    if (!event.repeat) run(command);
  }
  target.addEventListener('keydown', down);
  return () => {
    end();
    target.removeEventListener('keydown', down);
  };
}
