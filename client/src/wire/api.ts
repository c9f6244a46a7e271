import type {
  AccessTokensResponse,
  AdviceResponse,
  CashierResponse,
  ConsistencyResponse,
  LoginResponse,
  FairnessResponse,
  GamesResponse,
  GameResponse,
  HistoryResponse,
  SwitchesResponse,
  LobbyResponse,
  Login,
  MeResponse,
  Movement,
  OddsResponse,
  PasswordReset,
  PlayReviewResponse,
  PracticeBody,
  PracticeResponse,
  ProtectionResponse,
  ReceiptResponse,
  Registration,
  RecordingResponse,
  ReplayResponse,
  RoundResponse,
  SessionsResponse,
  Settings,
  SettingsChange,
  StatisticsResponse,
  TableResponse,
  TicketResponse,
  TransactionsResponse,
  ErrorDetail,
} from './types';

/** A door that said no: the code of the refusal, a sentence, the id that the log knows, the numbers that explain. */
export class Refused extends Error {
  readonly trouble: ErrorDetail;
  readonly status: number;

  constructor(trouble: ErrorDetail, status: number) {
    super(trouble.detail);
    this.trouble = trouble;
    this.status = status;
  }
}

/** The house did not answer at all. */
export class Unreachable extends Error {}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Query = Readonly<Record<string, string | number | undefined>>;
export interface Wish {
  body?: object;
  query?: Query;
  key?: string;
}

function isTrouble(body: unknown): body is { error: ErrorDetail } {
  return (
    typeof body === 'object' &&
    body !== null &&
    'error' in body &&
    typeof (body as { error?: { code?: unknown } }).error?.code === 'string'
  );
}

/** How often a page that only reads is asked for again, and milliseconds that it waits for that at most. */
const AGAIN = 3;
const LONGEST = 4_000;

/**
 * One call of the house's REST doors; who reads faster than the house lets him waits as long as it says, and has what
 * he asked for.
 */
export async function call<T>(method: Method, path: string, wish: Wish = {}): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await called<T>(method, path, wish);
    } catch (fault) {
      const wait =
        fault instanceof Refused && fault.status === 429 ? 1_000 * Number(fault.trouble.numbers['seconds']) : NaN;
      if (method !== 'GET' || turn > AGAIN || !(wait <= LONGEST)) throw fault;
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}

async function called<T>(method: Method, path: string, wish: Wish): Promise<T> {
  const answer = await ask(method, path, wish);
  const read = await readJson(answer);
  if (answer.ok) return read as T;
  throw refusalOf(answer, read);
}

/** A file of the house, whole. */
export async function download(path: string, query: Readonly<Record<string, number>> = {}): Promise<Blob> {
  const answer = await ask('GET', path, { query });
  if (answer.ok) return answer.blob();
  throw refusalOf(answer, await readJson(answer));
}

async function readJson(answer: Response): Promise<unknown> {
  const text = await answer.text();
  return text && answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : null;
}

const refusalOf = (answer: Response, read: unknown): Refused =>
  new Refused(
    isTrouble(read) ? read.error : { code: `Http${answer.status}`, detail: answer.statusText, id: '', numbers: {} },
    answer.status,
  );

/** The header is what a page of another origin cannot send. */
async function ask(method: Method, path: string, { body, query = {}, key }: Wish): Promise<Response> {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  const headers: Record<string, string> = {
    Accept: 'application/json',
    'Accept-Language': document.documentElement.lang,
    'X-Ventuno': '1',
  };
  if (body) headers['Content-Type'] = 'application/json';
  if (key) headers['Idempotency-Key'] = key;
  try {
    return await fetch(search.size ? `${path}?${search}` : path, {
      method,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  } catch {
    throw new Unreachable(path);
  }
}

const at = (...parts: string[]): string => `/api/${parts.map(encodeURIComponent).join('/')}`;
const once = (): string => crypto.randomUUID();

/** The doors by name; what goes in and comes out is the published schema's. */
export const api = {
  guest: () => call<LoginResponse>('POST', at('guest')),
  register: (body: Registration) => call<LoginResponse>('POST', at('register'), { body }),
  upgrade: (body: Registration) => call<LoginResponse>('POST', at('guest', 'upgrade'), { body }),
  login: (body: Login) => call<LoginResponse>('POST', at('login'), { body }),
  mailResetCode: (name: string) => call<void>('POST', at('password', 'mail'), { body: { name } }),
  resetPassword: (body: PasswordReset) => call<LoginResponse>('POST', at('password', 'reset'), { body }),
  logout: () => call<null>('POST', at('logout')),
  ticket: async () => (await call<TicketResponse>('POST', at('ticket'))).ticket,
  sessions: () => call<SessionsResponse>('GET', at('sessions')),
  tokens: () => call<AccessTokensResponse>('GET', at('tokens')),
  me: () => call<MeResponse>('GET', at('me')),
  settings: () => call<Settings>('GET', at('settings')),
  change: (body: SettingsChange) => call<Settings>('PATCH', at('settings'), { body }),
  protection: () => call<ProtectionResponse>('GET', at('protection')),
  limit: (name: string, amount: number | null) =>
    call<ProtectionResponse>('PUT', at('protection', 'limits', name), { body: { amount } }),
  confirmLimit: (name: string) => call<ProtectionResponse>('POST', at('protection', 'limits', name, 'confirmation')),
  remind: (minutes: number) =>
    call<ProtectionResponse>('PUT', at('protection', 'reality-check'), { body: { minutes } }),
  acknowledge: () => call<null>('POST', at('protection', 'reality-check', 'acknowledgement')),
  coolOff: (until: number) => call<ProtectionResponse>('POST', at('protection', 'cool-off'), { body: { until } }),
  exclude: (days: number) => call<ProtectionResponse>('POST', at('protection', 'exclusion'), { body: { days } }),
  cashier: () => call<CashierResponse>('GET', at('cashier')),
  deposit: (amount: number, key = once()) =>
    call<Movement>('POST', at('cashier', 'deposits'), { body: { amount }, key }),
  withdraw: (amount: number, key = once()) =>
    call<Movement>('POST', at('cashier', 'withdrawals'), { body: { amount }, key }),
  transactions: (query: Query = {}) => call<TransactionsResponse>('GET', at('cashier', 'transactions'), { query }),
  lobby: () => call<LobbyResponse>('GET', at('lobby')),
  games: () => call<GamesResponse>('GET', at('games')),
  game: (game: string) => call<GameResponse>('GET', at('games', game)),
  solo: (game: string) => call<TableResponse>('POST', at('solo', game)),
  practices: () => call<PracticeResponse>('GET', at('practice')),
  closePractice: (table: string) => call<null>('DELETE', at('practice', table)),
  practice: (body: PracticeBody) => call<TableResponse>('POST', at('practice'), { body }),
  history: (query: Query = {}) => call<HistoryResponse>('GET', at('history'), { query }),
  round: (code: string) => call<RoundResponse>('GET', at('history', code)),
  recording: (code: string) => call<RecordingResponse>('GET', at('supervisor', 'rounds', code, 'video')),
  replay: (code: string) => call<ReplayResponse>('GET', at('rounds', code, 'steps')),
  statistics: (query: Query = {}) => call<StatisticsResponse>('GET', at('statistics'), { query }),
  play: () => call<PlayReviewResponse>('GET', at('statistics', 'play')),
  verify: (code: string) => call<unknown>('GET', at('verify', code)),
  shoe: (table: string, shoe: number) => call<unknown>('GET', at('tables', table, 'shoes', String(shoe))),
  receipt: (table: string) => call<ReceiptResponse>('GET', at('tables', table, 'receipt')),
  consistency: (table: string, query: Query) =>
    call<ConsistencyResponse>('GET', at('tables', table, 'consistency'), { query }),
  proofs: (table: string) => call<unknown>('GET', at('tables', table, 'proofs')),
  levers: (game: string) => call<SwitchesResponse>('GET', at('odds', game)),
  odds: (game: string, switches: Record<string, string>) =>
    call<OddsResponse>('POST', at('odds', game), { body: { switches } }),
  advice: (table: string) => call<AdviceResponse>('GET', at('tables', table, 'advice')),
  fairness: () => call<FairnessResponse>('GET', at('fairness')),
} as const;
