/**
 * The vocabulary of the wire by name. The shapes are the house's own (`schema.ts`, generated): amounts are integer
 * cents, times are milliseconds since 1970 in the house's clock, cards are two characters.
 */
import type { Ask, Asked as AnyAsked, Step as AnyStep } from './schema';

export type {
  Action,
  Answered,
  BehindStake,
  Bonus,
  Box,
  ChipChoice,
  Chips,
  Dealer,
  DecisionOption,
  Fault,
  Hand,
  Limit,
  Notice,
  Option,
  Options,
  OwnBehind,
  OwnBox,
  Person,
  Ping,
  Place,
  PrivateView,
  PublicView,
  Reason,
  Said,
  Seat,
  Settled,
  ShoeTold,
  Side,
  SpotOption,
  TableTold,
  Told,
  Trouble,
  Turn,
  Welcome,
} from './schema';
export type {
  AdviceTold,
  BetOdds,
  CashierTold,
  ChartPanel,
  ChartRow,
  EnteredTold,
  FairnessTold,
  GameLine,
  GamesTold,
  GameTold,
  HandAdvice,
  HistoryTold,
  Lever,
  LeversTold,
  LobbyLine,
  LobbyTold,
  Login,
  MeTold,
  Movement,
  OddsTold,
  OwnTable,
  PayTable,
  PlayTold,
  PracticeBody,
  ProtectionTold,
  ReceiptTold,
  Registration,
  Remarked,
  ReplayTold,
  RoundTold,
  SessionsTold,
  Settings,
  SettingsChange,
  StatisticsTold,
  SwitchTold,
  TableNamed,
  TicketTold,
  TransactionsTold,
} from './schema';

/** What is asked of a table. */
export type Doing = Ask['command'];
export type Asked = AnyAsked;
export type Step = AnyStep;
/** `[path, value]` sets what lies at a path, `[path]` takes it away. */
export type Change = Step['public'][number];
export type Path = Change[0];
