import { call, download } from '../../wire/api';
import type {
  CorrectionsResponse,
  ResetCodeResponse,
  RoundsResponse,
  LogResponse,
  ManifestResponse,
  PlayerResponse,
  PlayersResponse,
  ProposalResponse,
  TurnoverResponse,
  VoidPreparation,
  ConsoleResponse,
  TableViewResponse,
} from '../../wire/types';

/** The supervisors' doors by name; who may what is asked of the house with every call (X-10, H-8). */
const at = (...parts: (string | number)[]): string =>
  `/api/supervisor/${parts.map((one) => encodeURIComponent(one)).join('/')}`;
const once = (): string => crypto.randomUUID();

export type Span = Readonly<{ least: number; most: number }>;

export const supervisorApi = {
  tables: () => call<ConsoleResponse>('GET', at('tables')),
  watch: (table: string) => call<TableViewResponse>('GET', at('tables', table)),
  pause: (table: string, reason: string, key = once()) =>
    call<unknown>('POST', at('tables', table, 'pause'), { body: { reason }, key }),
  resume: (table: string, key = once()) => call<unknown>('POST', at('tables', table, 'resumption'), { key }),
  prepareVoid: (table: string, reason: string) =>
    call<VoidPreparation>('POST', at('tables', table, 'void', 'preparation'), { body: { reason } }),
  void: (table: string, reason: string, confirm: string, key = once()) =>
    call<unknown>('POST', at('tables', table, 'void'), { body: { reason, confirm }, key }),
  limits: (table: string, limits: Readonly<Record<string, Span>>, reason: string, key = once()) =>
    call<unknown>('PUT', at('tables', table, 'limits'), { body: { limits, reason }, key }),
  close: (table: string, reason: string, key = once()) =>
    call<unknown>('POST', at('tables', table, 'closing'), { body: { reason }, key }),
  mute: (table: string, player: string, reason: string, minutes: number) =>
    call<null>('POST', at('tables', table, 'mutes'), { body: { player, reason, minutes } }),
  unmute: (table: string, player: string) => call<null>('DELETE', at('tables', table, 'mutes', player)),
  log: (before?: number) => call<LogResponse>('GET', at('audit'), { query: { before, limit: 50 } }),
  signals: (before?: number) => call<LogResponse>('GET', at('signals'), { query: { before, limit: 50 } }),
  link: (first: string, second: string, reason: string) =>
    call<null>('POST', at('links'), { body: { first, second, reason } }),
  unlink: (first: string, second: string, reason: string) =>
    call<null>('POST', at('links', 'removal'), { body: { first, second, reason } }),
  logout: (player: string, reason: string) =>
    call<{ ended: number }>('POST', at('players', player, 'logout'), { body: { reason } }),
  disable: (player: string, reason: string) =>
    call<null>('POST', at('players', player, 'closing'), { body: { reason } }),
  enable: (player: string, reason: string) =>
    call<null>('POST', at('players', player, 'opening'), { body: { reason } }),
  resetCode: (player: string, reason: string) =>
    call<ResetCodeResponse>('POST', at('players', player, 'reset-code'), { body: { reason } }),
  erase: (player: string, reason: string) =>
    call<{ erased: boolean }>('POST', at('players', player, 'erasure'), { body: { reason } }),
  players: (name: string) => call<PlayersResponse>('GET', at('players'), { query: { name } }),
  player: (player: string, before?: Readonly<{ ended: number; code: string }>) =>
    call<PlayerResponse>('GET', at('players', player), {
      query: { before: before?.ended, before_code: before?.code },
    }),
  turnover: (first: number, last: number) => call<TurnoverResponse>('GET', at('turnover'), { query: { first, last } }),
  /** All of it, or from one day to another. */
  export: (days?: { first: number; last: number }) => download(at('export'), days),
  open: (table: string, game: string, reason: string) =>
    call<unknown>('POST', at('tables'), { body: { table, game, reason } }),
  announce: (text: string) => call<null>('POST', at('announcements'), { body: { text } }),
  rounds: (day: number, time: string) => call<RoundsResponse>('GET', at('rounds'), { query: { day, time } }),
  corrections: () => call<CorrectionsResponse>('GET', at('corrections')),
  propose: (code: string, amounts: Readonly<Record<string, number>>, reason: string) =>
    call<ProposalResponse>('POST', at('corrections'), { body: { code, amounts, reason } }),
  confirm: (number: number) => call<null>('POST', at('corrections', number, 'confirmation')),
  withdraw: (number: number, reason: string) =>
    call<null>('POST', at('corrections', number, 'withdrawal'), { body: { reason } }),
  manifest: () => call<ManifestResponse>('GET', at('manifest')),
  inspect: () => call<ManifestResponse>('POST', at('manifest', 'inspection')),
} as const;
