/**
 * The catalogues of the house: `src/ventuno/words/`, a file for each room, read by terminal and client. What only the
 * command line, the guide and mails say (`scenario`, `terminal`, `docs`, `mail`) is not brought to a browser.
 */
import enAccount from '../../../src/ventuno/words/en/account.json';
import enBets from '../../../src/ventuno/words/en/bets.json';
import enCards from '../../../src/ventuno/words/en/cards.json';
import enCashier from '../../../src/ventuno/words/en/cashier.json';
import enChat from '../../../src/ventuno/words/en/chat.json';
import enConsole from '../../../src/ventuno/words/en/console.json';
import enDecisions from '../../../src/ventuno/words/en/decisions.json';
import enEntry from '../../../src/ventuno/words/en/entry.json';
import enFrame from '../../../src/ventuno/words/en/frame.json';
import enHistory from '../../../src/ventuno/words/en/history.json';
import enLobby from '../../../src/ventuno/words/en/lobby.json';
import enOdds from '../../../src/ventuno/words/en/odds.json';
import enProtection from '../../../src/ventuno/words/en/protection.json';
import enReasons from '../../../src/ventuno/words/en/reasons.json';
import enRefusals from '../../../src/ventuno/words/en/refusals.json';
import enRules from '../../../src/ventuno/words/en/rules.json';
import enSettings from '../../../src/ventuno/words/en/settings.json';
import enSolo from '../../../src/ventuno/words/en/solo.json';
import enSpoken from '../../../src/ventuno/words/en/spoken.json';
import enStatistics from '../../../src/ventuno/words/en/statistics.json';
import enTable from '../../../src/ventuno/words/en/table.json';
import enTrainer from '../../../src/ventuno/words/en/trainer.json';
import enVerifier from '../../../src/ventuno/words/en/verifier.json';
import itAccount from '../../../src/ventuno/words/it/account.json';
import itBets from '../../../src/ventuno/words/it/bets.json';
import itCards from '../../../src/ventuno/words/it/cards.json';
import itCashier from '../../../src/ventuno/words/it/cashier.json';
import itChat from '../../../src/ventuno/words/it/chat.json';
import itConsole from '../../../src/ventuno/words/it/console.json';
import itDecisions from '../../../src/ventuno/words/it/decisions.json';
import itEntry from '../../../src/ventuno/words/it/entry.json';
import itFrame from '../../../src/ventuno/words/it/frame.json';
import itHistory from '../../../src/ventuno/words/it/history.json';
import itLobby from '../../../src/ventuno/words/it/lobby.json';
import itOdds from '../../../src/ventuno/words/it/odds.json';
import itProtection from '../../../src/ventuno/words/it/protection.json';
import itReasons from '../../../src/ventuno/words/it/reasons.json';
import itRefusals from '../../../src/ventuno/words/it/refusals.json';
import itRules from '../../../src/ventuno/words/it/rules.json';
import itSettings from '../../../src/ventuno/words/it/settings.json';
import itSolo from '../../../src/ventuno/words/it/solo.json';
import itSpoken from '../../../src/ventuno/words/it/spoken.json';
import itStatistics from '../../../src/ventuno/words/it/statistics.json';
import itTable from '../../../src/ventuno/words/it/table.json';
import itTrainer from '../../../src/ventuno/words/it/trainer.json';
import itVerifier from '../../../src/ventuno/words/it/verifier.json';

export const it = {
  ...itAccount,
  ...itBets,
  ...itCards,
  ...itCashier,
  ...itChat,
  ...itConsole,
  ...itDecisions,
  ...itEntry,
  ...itFrame,
  ...itHistory,
  ...itLobby,
  ...itOdds,
  ...itProtection,
  ...itReasons,
  ...itRefusals,
  ...itRules,
  ...itSettings,
  ...itSolo,
  ...itSpoken,
  ...itStatistics,
  ...itTable,
  ...itTrainer,
  ...itVerifier,
};
export type Key = keyof typeof it;
/** A key that is missing in English does not compile. */
export const en: Record<Key, string> = {
  ...enAccount,
  ...enBets,
  ...enCards,
  ...enCashier,
  ...enChat,
  ...enConsole,
  ...enDecisions,
  ...enEntry,
  ...enFrame,
  ...enHistory,
  ...enLobby,
  ...enOdds,
  ...enProtection,
  ...enReasons,
  ...enRefusals,
  ...enRules,
  ...enSettings,
  ...enSolo,
  ...enSpoken,
  ...enStatistics,
  ...enTable,
  ...enTrainer,
  ...enVerifier,
};
