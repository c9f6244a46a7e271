import { ascii, type Bytes, bytes, hex, joinBytes, same, sha256 } from './bytes';
import { decode, digest, encode, type Json } from './canonical';
import { type Fields, hashes, listed, mapping, object, octets, text, whole, word } from './fields';
import { consistent } from './merkle';
import { type PromiseList, readPromiseList } from './promise';
import { type Contribution, type Dossier, readReceipt, type Receipt, records } from './shoe_document';
import { signed } from './signature';
import { Unproven } from './unproven';

/** What a player kept of a shoe, and the document against it: then the verdict rests on nobody else's word. */
export const FORMAT = 'ventuno-kept/1';
const KINDS = ['promise', 'reveal'] as const;

export interface Taken {
  commitment: string;
  player: string;
  kind: (typeof KINDS)[number];
  promise: string;
  plain: Json;
}
export interface Acknowledgement {
  taken: Taken;
  key: Bytes;
  signature: Bytes;
}
export interface Consistency {
  old: number;
  size: number;
  proof: readonly Bytes[];
}
/** All of it may be missing but what is compared. */
export interface Kept {
  table: string;
  shoe: number;
  player: string;
  commitment: string;
  key: string;
  promise: string;
  entropy: string;
  /** All promises, as they were shown before the reveals. */
  promiseList: PromiseList | null;
  acknowledgements: readonly Acknowledgement[];
  receipts: readonly Receipt[];
  consistency: readonly Consistency[];
}
/** `isOwn`: one's bytes are in the cut, and a receipt from before one's first bet leads to this document. */
export interface Comparison {
  isOwn: boolean;
  matches: readonly string[];
  notes: readonly ('own-missing' | 'not-listed' | 'not-pinned' | 'not-compared')[];
  /** Heights of receipts that nothing given could compare: a proof to the document's own height is needed. */
  open: readonly number[];
}

const TEXTS = ['table', 'player'] as const;
const BYTES = { commitment: 32, key: 32, promise: 32, entropy: 16 } as const;
const LISTS = ['acknowledgements', 'receipts', 'consistency'] as const;
const NOTHING: Kept = {
  table: '',
  shoe: 0,
  player: '',
  commitment: '',
  key: '',
  promise: '',
  entropy: '',
  promiseList: null,
  acknowledgements: [],
  receipts: [],
  consistency: [],
};

/** A file of what was kept, or a receipt alone, as the house hands it out. */
export function readKept(raw: string): Kept {
  const top = object(decode(raw), 'kept');
  if ('checkpoint' in top) return { ...NOTHING, receipts: [readReceipt(top, 'receipt')] };
  mapping(top, 'kept', ['format'], [...TEXTS, 'shoe', ...Object.keys(BYTES), 'promise_list', ...LISTS]);
  word(top.format, 'format', [FORMAT]);
  const all = <T>(name: string, read: (raw: Json, at: string) => T): readonly T[] =>
    name in top ? listed(top[name], `kept.${name}`).map((one, i) => read(one, `kept.${name}[${i}]`)) : [];
  const octetsOf = (name: keyof typeof BYTES): string =>
    name in top ? hex(octets(top[name], `kept.${name}`, BYTES[name])) : '';
  return {
    table: textOf(top, 'table'),
    shoe: 'shoe' in top ? whole(top.shoe, 'kept.shoe') : 0,
    player: textOf(top, 'player'),
    commitment: octetsOf('commitment'),
    key: octetsOf('key'),
    promise: octetsOf('promise'),
    entropy: octetsOf('entropy'),
    promiseList: 'promise_list' in top ? readPromiseList(top.promise_list, 'kept.promise_list') : null,
    acknowledgements: all('acknowledgements', readAcknowledgement),
    receipts: all('receipts', readReceipt),
    consistency: all('consistency', readConsistency),
  };
}

const textOf = (top: Fields, name: (typeof TEXTS)[number]): string =>
  name in top ? text(top[name], `kept.${name}`) : '';

function readAcknowledgement(raw: Json, at: string): Acknowledgement {
  const one = mapping(raw, at, ['taken', 'key', 'signature']);
  const taken = mapping(one.taken, `${at}.taken`, [
    ...['house', 'table', 'shoe', 'commitment', 'player', 'kind', 'promise', 'at'],
  ]);
  return {
    taken: {
      commitment: hex(octets(taken.commitment, `${at}.taken.commitment`, 32)),
      player: text(taken.player, `${at}.taken.player`),
      kind: word(taken.kind, `${at}.taken.kind`, KINDS),
      promise: hex(octets(taken.promise, `${at}.taken.promise`, 32)),
      plain: taken,
    },
    key: octets(one.key, `${at}.key`, 32),
    signature: octets(one.signature, `${at}.signature`, 64),
  };
}

function readConsistency(raw: Json, at: string): Consistency {
  const one = mapping(raw, at, ['old', 'size', 'proof']);
  return {
    old: whole(one.old, `${at}.old`),
    size: whole(one.size, `${at}.size`),
    proof: hashes(one.proof, `${at}.proof`),
  };
}

/** The document against what was kept; throws Unproven at the first thing that the house told otherwise. */
export async function compare(dossier: Dossier, kept: Kept): Promise<Comparison> {
  const made = dossier.commitment;
  const matches: string[] = [];
  const notes: Comparison['notes'][number][] = [];
  must(!kept.table || kept.table === made.table, 'kept.table', 'kept-table', { there: kept.table });
  must(!kept.shoe || kept.shoe === made.shoe, 'kept.shoe', 'kept-shoe', { there: kept.shoe });
  if (kept.commitment) {
    must(kept.commitment === hex(await digest(made.plain)), 'kept.commitment', 'kept-commitment');
    matches.push('commitment');
  }
  const part = partOf(dossier, kept);
  const isMine = part !== null && (await isOwnPart(part, kept));
  if (isMine) matches.push('entropy', ...(kept.key ? ['key'] : []));
  else if (part?.origin === 'missing') notes.push('own-missing');
  if (kept.promiseList) {
    await comparePromises(dossier, kept, kept.promiseList);
    matches.push('promises');
  } else if (isMine && promisesOf(dossier).size > 1 && !dossier.entropy.beacon.length) notes.push('not-listed');
  const [compared, open]: [number[], number[]] = [[], []];
  for (const [i, receipt] of kept.receipts.entries()) {
    if (await leadsTo(dossier, receipt, kept.consistency, `kept.receipts[${i}]`)) {
      compared.push(receipt.checkpoint.height);
      matches.push(`receipts[${i}]`);
    } else open.push(receipt.checkpoint.height);
  }
  if (open.length) notes.push('not-compared');
  const first = firstBet(dossier, part?.player ?? kept.player);
  const cut = dossier.included[1]!.height;
  const isPinned = compared.some((height) => height >= cut && height < first);
  if (isMine && !isPinned) notes.push('not-pinned');
  return { isOwn: isMine && isPinned && !open.length, matches, notes, open };
}

function must(holds: boolean, at: string, fault: string, told: Readonly<Record<string, string | number>> = {}): void {
  if (!holds) throw new Unproven(at, fault, told);
}

/** One's own part of the cut: by one's number, or by one's bytes where that is all one has. */
function partOf({ entropy: { contributions } }: Dossier, kept: Kept): Contribution | null {
  if (kept.player) {
    const own = contributions.find((one) => one.player === kept.player);
    must(own !== undefined || !(kept.promise || kept.entropy), 'kept.player', 'kept-player');
    return own ?? null;
  }
  if (!kept.entropy) return null;
  const own = contributions.find((one) => one.origin === 'player' && hex(one.reveal) === kept.entropy);
  must(own !== undefined, 'kept.entropy', 'kept-entropy');
  return own!;
}

async function isOwnPart(part: Contribution, kept: Kept): Promise<boolean> {
  if (part.origin === 'player') {
    must(!kept.entropy || kept.entropy === hex(part.reveal), 'kept.entropy', 'kept-entropy');
    must(!kept.promise || kept.promise === hex(part.promise), 'kept.promise', 'kept-promise');
    must(!kept.key || kept.key === hex(part.key), 'kept.key', 'kept-key');
  }
  for (const [i, one] of kept.acknowledgements.entries())
    await checkAcknowledged(part, one, kept, `kept.acknowledgements[${i}]`);
  return part.origin === 'player' && kept.entropy !== '';
}

async function checkAcknowledged(part: Contribution, one: Acknowledgement, kept: Kept, at: string): Promise<void> {
  const { taken } = one;
  const message = ascii(`ventuno/acknowledgement/1\n${encode(taken.plain)}`);
  must((await signed(one.key, one.signature, message)) !== false, at, 'signature');
  if (taken.commitment !== kept.commitment || taken.player !== part.player) return;
  must(!part.promise.length || taken.promise === hex(part.promise), at, 'kept-promise');
  const isMissing = part.origin === 'missing' && (taken.kind === 'reveal' || !part.promise.length);
  must(!isMissing, at, `kept-missing-${taken.kind}`);
}

const promisesOf = ({ entropy: { contributions } }: Dossier): Map<string, string> =>
  new Map(contributions.filter((one) => one.promise.length).map((one) => [one.player, hex(one.promise)]));

/** Every promise of the cut is one that was shown before the reveals, and none of those was left out. */
async function comparePromises(dossier: Dossier, kept: Kept, list: PromiseList): Promise<void> {
  const [at, made] = ['kept.promise_list', dossier.commitment];
  must((await list.checkSignature()) !== false, at, 'signature');
  must(same(list.key, dossier.receipt.key), at, 'key');
  const isOfShoe =
    list.house === dossier.receipt.checkpoint.house &&
    list.table === made.table &&
    list.shoe === made.shoe &&
    list.commitment === hex(await digest(made.plain));
  must(isOfShoe, at, 'kept-list');
  const [shown, told] = [new Map(list.promises.map((one) => [one.player, one.promise])), promisesOf(dossier)];
  must(shown.size === list.promises.length, at, 'player-twice');
  if (kept.player && kept.promise) must(shown.get(kept.player) === kept.promise, at, 'kept-promise');
  for (const player of new Set([...shown.keys(), ...told.keys()]))
    must(shown.get(player) === told.get(player), at, 'kept-promises', { player });
}

/** Whether the chain of a receipt is that of the document; false where nothing given could tell. */
async function leadsTo(
  dossier: Dossier,
  receipt: Receipt,
  proofs: readonly Consistency[],
  at: string,
): Promise<boolean> {
  const [kept, told] = [receipt.checkpoint, dossier.receipt.checkpoint];
  const message = ascii(`ventuno/checkpoint/1\n${encode(kept.plain)}`);
  must((await signed(receipt.key, receipt.signature, message)) !== false, at, 'signature');
  must(same(receipt.key, dossier.receipt.key), at, 'key');
  must(kept.house === told.house && kept.table === told.table, at, 'table', { there: kept.table });
  const heads = new Map([[told.height, told.head]]);
  for (const [i, { hashed }] of (await records(dossier)).entries()) {
    const { height, before } = dossier.included[i]!;
    heads.set(height - 1, before).set(height, await sha256(joinBytes(bytes(2), before, hashed)));
  }
  const head = heads.get(kept.height);
  if (head) {
    must(same(head, kept.head), at, 'kept-histories', { there: kept.height });
    return true;
  }
  const [older, newer] = kept.height < told.height ? [kept, told] : [told, kept];
  const proof = proofs.find((one) => one.old === older.height && one.size === newer.height);
  if (!proof) return false;
  const holds = await consistent(older.height, older.root, newer.height, newer.root, proof.proof);
  must(holds, at, 'kept-histories', { there: older.height });
  return true;
}

/** The height of the first round in which this player has a line; of what would follow where he has none. */
function firstBet({ rounds, included, receipt }: Dossier, player: string): number {
  const first = rounds.findIndex((one) => one.bets.some((bet) => bet.player === player));
  return first < 0 ? receipt.checkpoint.height + 1 : included[2 + first]!.height;
}
