import type { trainer as italian } from '../it/trainer';

/** The trainer, in English. */
export const trainer: Record<keyof typeof italian, string> = {
  // the trainer
  'train.title': 'Trainer',
  'train.best': 'Best: {action}',
  'train.values': 'What each choice is worth, in stakes',
  'train.unknown': 'not valued',
  'train.right': '{action}: the best choice.',
  'train.wrong': '{action} instead of {best}: costs {cost} stakes, {amount} expected.',
  'train.session': '{right} of {all} decisions, expected cost {amount}',
  'train.none': 'No decision yet',
  'train.reset': 'Reset',
  'train.wait': 'Computing…',
  'train.silent': 'The trainer is silent: {reason}',
  'train.base': 'Exact values by the cards seen since the shuffle',
};
