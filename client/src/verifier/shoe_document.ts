import { type Bytes, bytes, HASH, joinBytes, sha256, unhex } from './bytes';
import { decode, digest, type Json, Unreadable } from './canonical';
import { card, cards, hashes, listed, mapping, object, octets, text, whole, word } from './fields';
import { readScenario, type Scenario } from './scenario';

/** The document that a player downloads: one shoe, from its commitment to its opening (docs/fairness.md). */
const FORMATS = ['ventuno-shoe/1', 'ventuno-shoe/2'] as const;
const SALT = 16;
const KEY = 32;
const SIGNATURE = 64;
const SECTIONS = ['format', 'commitment', 'entropy', 'dealt', 'rounds', 'receipt', 'included'];

export interface Commitment {
  table: string;
  shoe: number;
  game: string;
  sheet: string;
  decks: number;
  root: Bytes;
  previous: Bytes;
  /** Of the construction: since 2 everybody promises first, and may sign with a key of his own. */
  version: number;
  /** The hash of the seed of the draws; empty where none was sealed. */
  draws: Bytes;
  /** The round of a public beacon that takes part in the cut, named before it is due. */
  beacon: { chain: Bytes; round: number } | null;
  plain: Json;
}
export interface Contribution {
  player: string;
  origin: 'player' | 'missing' | 'server';
  promise: Bytes;
  reveal: Bytes;
  key: Bytes;
  signature: Bytes;
}
export interface Entropy {
  contributions: readonly Contribution[];
  cutCard: number;
  /** The signature of the beacon's round; empty where none was named, or none came in time. */
  beacon: Bytes;
  plain: Json;
}
export interface Dealt {
  play: number;
  leaf: number;
  card: number;
  salt: Bytes;
  path: readonly Bytes[];
}
export interface Bet {
  player: string;
  bet: string;
  stake: number;
  returned: number;
  box?: number;
  hand?: number;
  criterion?: string;
}
export interface Round {
  code: string;
  first: number;
  cards: readonly number[];
  bets: readonly Bet[];
  scenario: Scenario | null;
  void: { by: string; reason: string } | null;
  plain: Json;
}
export interface Opening {
  cards: readonly number[];
  salts: readonly Bytes[];
  retired: 'cut-card' | 'closed' | 'fault';
  draws: Bytes;
  plain: Json;
}
export interface Checkpoint {
  house: string;
  table: string;
  height: number;
  head: Bytes;
  root: Bytes;
  at: number;
  plain: Json;
}
export interface Receipt {
  checkpoint: Checkpoint;
  key: Bytes;
  signature: Bytes;
}
export interface Inclusion {
  height: number;
  before: Bytes;
  path: readonly Bytes[];
}
export interface Dossier {
  commitment: Commitment;
  entropy: Entropy;
  dealt: readonly Dealt[];
  rounds: readonly Round[];
  opening: Opening | null;
  receipt: Receipt;
  included: readonly Inclusion[];
}

/** A document as text; Unreadable where its form is wrong, whatever it says. */
export function read(raw: string, games: readonly string[]): Dossier {
  const top = mapping(decode(raw), '', SECTIONS, ['opening']);
  const format = word(top.format, 'format', FORMATS);
  const commitment = readCommitment(top.commitment);
  const entropy = readEntropy(top.entropy);
  if (format !== FORMATS[commitment.version - 1]) throw new Unreadable('format', 'other');
  return {
    commitment,
    entropy,
    dealt: listed(top.dealt, 'dealt').map((one, i) => readDealt(one, `dealt[${i}]`)),
    rounds: listed(top.rounds, 'rounds').map((one, i) => readRound(one, `rounds[${i}]`, games)),
    opening: 'opening' in top ? readOpening(top.opening) : null,
    receipt: readReceipt(top.receipt, 'receipt'),
    included: listed(top.included, 'included').map((one, i) => readInclusion(one, `included[${i}]`)),
  };
}

function readCommitment(raw: Json | undefined): Commitment {
  const needed = ['table', 'shoe', 'game', 'sheet', 'decks', 'root', 'previous'];
  const one = mapping(raw, 'commitment', needed, ['version', 'draws', 'beacon']);
  const decks = whole(one.decks, 'commitment.decks');
  if (decks < 1 || decks > 8) throw new Unreadable('commitment.decks', 'number');
  octets(one.sheet, 'commitment.sheet', HASH);
  const version = 'version' in one ? whole(one.version, 'commitment.version') : 1;
  if ('version' in one && version !== 2) throw new Unreadable('commitment.version', 'number');
  return {
    table: text(one.table, 'commitment.table'),
    shoe: whole(one.shoe, 'commitment.shoe'),
    game: text(one.game, 'commitment.game'),
    sheet: text(one.sheet, 'commitment.sheet'),
    decks,
    root: octets(one.root, 'commitment.root', HASH),
    previous: octets(one.previous, 'commitment.previous', HASH),
    version,
    draws: 'draws' in one ? octets(one.draws, 'commitment.draws', HASH) : bytes(),
    beacon: 'beacon' in one ? readBeacon(one.beacon, 'commitment.beacon') : null,
    plain: one,
  };
}

function readBeacon(raw: Json | undefined, at: string): Commitment['beacon'] {
  const one = mapping(raw, at, ['chain', 'round']);
  return { chain: octets(one.chain, `${at}.chain`, HASH), round: whole(one.round, `${at}.round`) };
}

function readEntropy(raw: Json | undefined): Entropy {
  const one = mapping(raw, 'entropy', ['contributions', 'cut_card'], ['beacon']);
  const contributions = listed(one.contributions, 'entropy.contributions').map((part, i) =>
    readContribution(part, `entropy.contributions[${i}]`),
  );
  const beacon = 'beacon' in one ? octets(one.beacon, 'entropy.beacon', 48) : bytes();
  return { contributions, cutCard: whole(one.cut_card, 'entropy.cut_card'), beacon, plain: one };
}

function readContribution(raw: Json, at: string): Contribution {
  const one = mapping(raw, at, ['player', 'origin', 'promise', 'reveal'], ['key', 'signature']);
  const found = {
    player: text(one.player, `${at}.player`),
    origin: word(one.origin, `${at}.origin`, ['player', 'missing', 'server'] as const),
    promise: octets(one.promise, `${at}.promise`, HASH, true),
    reveal: octets(one.reveal, `${at}.reveal`, SALT, true),
    key: 'key' in one ? octets(one.key, `${at}.key`, KEY) : unhex(''),
    signature: 'signature' in one ? octets(one.signature, `${at}.signature`, SIGNATURE) : unhex(''),
  };
  if ((found.reveal.length === 0) !== (found.origin === 'missing')) throw new Unreadable(`${at}.reveal`, 'reveal');
  if (found.key.length > 0 !== found.signature.length > 0) throw new Unreadable(`${at}.signature`, 'other');
  return found;
}

function readDealt(raw: Json, at: string): Dealt {
  const one = mapping(raw, at, ['play', 'leaf', 'card', 'salt', 'path']);
  return {
    leaf: whole(one.leaf, `${at}.leaf`),
    card: card(one.card, `${at}.card`),
    salt: octets(one.salt, `${at}.salt`, SALT),
    path: hashes(one.path, `${at}.path`),
    play: whole(one.play, `${at}.play`),
  };
}

function readRound(raw: Json, at: string, games: readonly string[]): Round {
  const isVoid = 'void' in object(raw, at);
  const one = mapping(raw, at, ['code', 'first', 'bets', ...(isVoid ? ['cards', 'void'] : ['scenario'])]);
  const [code, first] = [text(one.code, `${at}.code`), whole(one.first, `${at}.first`)];
  const bets = listed(one.bets, `${at}.bets`).map((bet, i) => readBet(bet, `${at}.bets[${i}]`));
  if (isVoid) {
    const why = mapping(one.void, `${at}.void`, ['by', 'reason']);
    const who = { by: text(why.by, `${at}.void.by`), reason: text(why.reason, `${at}.void.reason`) };
    return { code, first, cards: cards(one.cards, `${at}.cards`), bets, scenario: null, void: who, plain: one };
  }
  const scenario = readScenario(one.scenario, `${at}.scenario`, games);
  return { code, first, cards: scenario.shoe, bets, scenario, void: null, plain: one };
}

function readBet(raw: Json, at: string): Bet {
  const one = mapping(raw, at, ['player', 'bet', 'stake', 'returned'], ['box', 'hand', 'criterion']);
  for (const [key, value] of Object.entries(one)) {
    if (typeof value !== (['player', 'bet', 'criterion'].includes(key) ? 'string' : 'number'))
      throw new Unreadable(`${at}.${key}`, 'type');
  }
  return { ...one } as unknown as Bet;
}

function readOpening(raw: Json | undefined): Opening {
  const one = mapping(raw, 'opening', ['cards', 'salts', 'retired'], ['draws']);
  return {
    cards: cards(one.cards, 'opening.cards'),
    salts: listed(one.salts, 'opening.salts').map((salt, i) => octets(salt, `opening.salts[${i}]`, SALT)),
    retired: word(one.retired, 'opening.retired', ['cut-card', 'closed', 'fault'] as const),
    draws: 'draws' in one ? octets(one.draws, 'opening.draws', HASH) : bytes(),
    plain: one,
  };
}

export function readReceipt(raw: Json | undefined, place: string): Receipt {
  const one = mapping(raw, place, ['checkpoint', 'key', 'signature']);
  const at = `${place}.checkpoint`;
  const here = mapping(one.checkpoint, at, ['house', 'table', 'height', 'head', 'root', 'at']);
  return {
    checkpoint: {
      house: text(here.house, `${at}.house`),
      table: text(here.table, `${at}.table`),
      height: whole(here.height, `${at}.height`),
      head: octets(here.head, `${at}.head`, HASH),
      root: octets(here.root, `${at}.root`, HASH),
      at: whole(here.at, `${at}.at`),
      plain: here,
    },
    key: octets(one.key, `${place}.key`, KEY),
    signature: octets(one.signature, `${place}.signature`, SIGNATURE),
  };
}

function readInclusion(raw: Json, at: string): Inclusion {
  const one = mapping(raw, at, ['height', 'before', 'path']);
  return {
    before: octets(one.before, `${at}.before`, HASH),
    height: whole(one.height, `${at}.height`),
    path: hashes(one.path, `${at}.path`),
  };
}

/** What binds the rules: the hash of the sheet, the number of decks, and the hash of the seed of the draws. */
export const rulesOf = (made: Commitment): Promise<Bytes> =>
  sha256(joinBytes(unhex(made.sheet), bytes(made.decks), made.draws));

/** The records of a shoe in the order in which they were chained, each with its place in the document. */
export async function records(of: Dossier): Promise<{ at: string; hashed: Bytes }[]> {
  const commitment = Array.from(await digest(of.commitment.plain), (one) => one.toString(16).padStart(2, '0')).join('');
  const parts: { at: string; kind: string; body: Json }[] = [
    { at: 'commitment', kind: 'commitment', body: of.commitment.plain },
    { at: 'entropy', kind: 'entropy', body: of.entropy.plain },
    ...of.rounds.map((one, i) => ({ at: `rounds[${i}]`, kind: 'round', body: one.plain })),
    ...(of.opening ? [{ at: 'opening', kind: 'opening', body: of.opening.plain }] : []),
  ];
  return Promise.all(
    parts.map(async ({ at, kind, body }) => ({ at, hashed: await digest({ kind, commitment, body }) })),
  );
}
