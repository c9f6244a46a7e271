import { listen } from '../keys/listen';
import type { Command, KeySet } from '../keys/map';
import { why } from '../words/why';
import { reading } from '../words/words.svelte';
import type { TableSession } from './session.svelte';

interface Hands {
  session: () => TableSession | undefined;
  /** What the tools of the head do, by name. */
  press: (tool: string) => void;
  /** Something lies over the tables: keys are its own. */
  busy: () => boolean;
}

/** The keyboard of a table: each key does what its button does, and no more (V-91…V-94, D-20…D-23). */
export function tableKeys(target: EventTarget, hands: Hands): () => void {
  return listen(target, {
    set: () => keySet(hands.session()),
    language: () => reading.language,
    asked: () => hands.session()?.question?.kind === 'insurance',
    run: (command) => !hands.busy() && !document.querySelector('dialog[open]') && run(command, hands),
  });
}

function keySet(session: TableSession | undefined): KeySet {
  const rules = session?.rules;
  if (!rules?.solo) return 'live';
  return rules.duel ? 'duel' : rules.cashes ? 'cash' : 'solo';
}

function run(command: Command, hands: Hands): boolean {
  const session = hands.session();
  const views = session?.shown;
  if (!session || !views) return false;
  const tool = (name: string): boolean => {
    if (views.mine.options.betting[name]?.price == null) return false;
    session.press(name);
    return true;
  };
  /** Alone nobody else's turn explains a key that does nothing: the house's reason is said. */
  const tell = (name: string): boolean => {
    const reasons = views.mine.options.betting[name]?.reasons ?? [];
    if (!session.rules?.solo || views.open.phase === 'round' || !reasons.length) return false;
    session.explain(reasons.map(why));
    return true;
  };
  switch (command.do) {
    case 'chip': {
      const chip = views.mine.chips[command.index];
      if (!chip?.enabled) return chip !== undefined;
      session.chip = chip.value;
      session.erasing = false;
      if (session.rules?.duel && views.open.phase !== 'round') session.place(session.at, 'main');
      return true;
    }
    case 'repeat':
      if (session.rules?.duel && views.open.phase === 'results') {
        session.putAway();
        return true;
      }
      return tool('repeat') || tool('double') || tell('repeat');
    case 'undo':
    case 'clear':
      return tool(command.do);
    case 'deal':
      return tool('deal') || tell('deal');
    case 'yes':
    case 'no':
      return answer(session, command.do === 'yes');
    case 'decide':
      return decide(session, command.action);
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

function answer(session: TableSession, yes: boolean): boolean {
  const question = session.question;
  if (question?.kind !== 'insurance') return false;
  const even = session.option(question.box, 'even-money')?.price != null;
  session.decide(yes ? (even ? 'even-money' : 'insure') : 'decline', question);
  return true;
}

function decide(session: TableSession, action: string): boolean {
  const question = session.question;
  const options = session.shown?.mine.options;
  if (!question || question.kind === 'insurance') return false;
  const among = question.kind === 'early' ? options?.early : options?.decisions;
  if (among?.find((one) => one.box === question.box && one.action === action)?.price == null) return false;
  session.decide(action, question);
  return true;
}
