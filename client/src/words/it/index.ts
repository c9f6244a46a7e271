import { account } from './account';
import { bets } from './bets';
import { cards } from './cards';
import { cashier } from './cashier';
import { chat } from './chat';
import { console } from './console';
import { decisions } from './decisions';
import { entry } from './entry';
import { frame } from './frame';
import { history } from './history';
import { lobby } from './lobby';
import { odds } from './odds';
import { protection } from './protection';
import { reasons } from './reasons';
import { refusals } from './refusals';
import { rules } from './rules';
import { settings } from './settings';
import { solo } from './solo';
import { spoken } from './spoken';
import { statistics } from './statistics';
import { table } from './table';
import { trainer } from './trainer';
import { verifier } from './verifier';

/** The house in Italian, the first language: short, polite, exact. Keys are shared by all languages. */
export const it = {
  ...account,
  ...bets,
  ...cards,
  ...cashier,
  ...chat,
  ...console,
  ...decisions,
  ...entry,
  ...frame,
  ...history,
  ...lobby,
  ...odds,
  ...protection,
  ...reasons,
  ...refusals,
  ...rules,
  ...settings,
  ...solo,
  ...spoken,
  ...statistics,
  ...table,
  ...trainer,
  ...verifier,
} as const;
