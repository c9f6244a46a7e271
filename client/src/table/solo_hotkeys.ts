import { listen } from '../keys/listen';
import type { Command } from '../keys/map';
import { reading } from '../words/words.svelte';
import type { Solo } from './solo.svelte';

export interface Hands {
  solo: () => Solo | null;
  press: (tool: string) => void;
  busy: () => boolean;
}

/** The keyboard of the games for one: each key does what its button does, and no more (V-91…V-94, D-20…D-23). */
export function soloKeys(target: EventTarget, hands: Hands): () => void {
  return listen(target, {
    set: () => (hands.solo()?.rules?.duel ? 'duel' : hands.solo()?.rules?.cashes ? 'cash' : 'solo'),
    language: () => reading.language,
    asked: () => hands.solo()?.play.question?.kind === 'insurance',
    run: (command) => !hands.busy() && !document.querySelector('dialog[open]') && ran(command, hands),
  });
}

function ran(command: Command, hands: Hands): boolean {
  const solo = hands.solo();
  const mine = solo?.play.shown?.mine;
  if (!solo || !mine) return false;
  const tool = (name: string): boolean => {
    if (mine.options.betting[name]?.price == null) return false;
    solo.play.tool(name);
    return true;
  };
  switch (command.do) {
    case 'chip': {
      const chip = mine.chips[command.index];
      if (!chip?.enabled) return chip !== undefined;
      solo.play.chip = chip.value;
      solo.erasing = false;
      if (solo.rules?.duel && solo.play.shown?.open.phase !== 'round') solo.place(solo.at, 'main');
      return true;
    }
    case 'repeat':
      if (solo.rules?.duel && solo.play.shown?.open.phase === 'results') {
        solo.putAway();
        return true;
      }
      return tool('repeat') || tool('double');
    case 'undo':
    case 'clear':
    case 'deal':
      return tool(command.do);
    case 'yes':
    case 'no':
      return answered(solo, command.do === 'yes');
    case 'decide':
      return decided(solo, command.action);
    case 'help':
    case 'words':
    case 'louder':
    case 'softer':
    case 'close':
    case 'leave':
      hands.press(command.do);
      return true;
  }
}

function answered(solo: Solo, yes: boolean): boolean {
  const question = solo.play.question;
  if (question?.kind !== 'insurance') return false;
  const open = (action: string): boolean =>
    solo.play.shown?.mine.options.decisions.some(
      (one) => one.box === question.box && one.action === action && one.price !== null,
    ) ?? false;
  const action = yes ? ['even-money', 'insure'].find(open) : 'decline';
  if (action) solo.play.decide(action, question);
  return true;
}

function decided(solo: Solo, action: string): boolean {
  const question = solo.play.question;
  if (question?.kind !== 'decision') return false;
  if (
    solo.play.shown?.mine.options.decisions.find((one) => one.box === question.box && one.action === action)?.price ==
    null
  )
    return false;
  solo.play.decide(action, question);
  return true;
}
