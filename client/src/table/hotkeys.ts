import { listen } from '../keys/listen';
import type { Command } from '../keys/map';
import { reading } from '../words/words.svelte';
import type { Play } from './session.svelte';

export interface Hands {
  play: () => Play | undefined;
  /** What the tools of the head do, by name. */
  press: (tool: string) => void;
  /** Something lies over the tables: keys are its own. */
  busy: () => boolean;
}

/** The keyboard of the live table: each key does what its button does, and no more (V-91…V-94). */
export function tableKeys(target: EventTarget, hands: Hands): () => void {
  return listen(target, {
    set: () => 'live',
    language: () => reading.language,
    asked: () => hands.play()?.question?.kind === 'insurance',
    run: (command) => !hands.busy() && !document.querySelector('dialog[open]') && ran(command, hands),
  });
}

function ran(command: Command, hands: Hands): boolean {
  const play = hands.play();
  const mine = play?.shown?.mine;
  if (!play || !mine) return false;
  const open = (tool: string): boolean => mine.options.betting[tool]?.price != null;
  const tool = (name: string): boolean => {
    if (!open(name)) return false;
    play.press(name);
    return true;
  };
  switch (command.do) {
    case 'chip': {
      const chip = mine.chips[command.index];
      if (chip?.enabled) play.chip = chip.value;
      return chip !== undefined;
    }
    case 'repeat':
      return tool('repeat') || tool('double');
    case 'undo':
    case 'clear':
    case 'deal':
      return tool(command.do);
    case 'yes':
      return answered(play, 'insure');
    case 'no':
      return answered(play, 'decline');
    case 'decide':
      return decided(play, command.action);
    case 'help':
    case 'words':
    case 'louder':
    case 'softer':
    case 'close':
      hands.press(command.do);
      return true;
    default:
      return false;
  }
}

function answered(play: Play, action: string): boolean {
  if (play.question?.kind !== 'insurance') return false;
  play.decide(action);
  return true;
}

function decided(play: Play, action: string): boolean {
  const question = play.question;
  const options = play.shown?.mine.options;
  if (!question || question.kind === 'insurance') return false;
  const among = question.kind === 'early' ? options?.early : options?.decisions;
  if (among?.find((one) => one.box === question.box && one.action === action)?.price == null) return false;
  play.decide(action, question);
  return true;
}
