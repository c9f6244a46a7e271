import { type BeaconChain, CHAINS, isSigned } from './beacon';
import { ascii, big, bytes, type Bytes, hex, joinBytes, same, sha256 } from './bytes';
import { encode } from './canonical';
import type { Bet, Commitment, Dealt, Dossier, Entropy, Inclusion, Round } from './shoe_document';
import { records, rulesOf } from './shoe_document';
import { DrawSeed, findDifference } from './draws';
import { Generator, shuffled, Stream } from './drbg';
import { compare, type Comparison, type Kept } from './kept';
import { climb, leaf, root } from './merkle';
import { Forbidden } from './replay';
import { settle } from './settle';
import { cutWindow, type Ruled, type Sheet } from './sheet';
import { promiseMessage } from './promise';
import { signed } from './signature';
import { Unproven } from './unproven';

/** Checks a downloaded shoe from the commitment to the payouts, in the order in which things happened (G-14, X-01). */
export const STEPS = ['rules', 'cut', 'cards', 'rounds', 'payouts', 'opening', 'receipt', 'chain', 'kept'] as const;
export type Step = (typeof STEPS)[number];

export interface Verdict {
  cards: number;
  rounds: number;
  contributors: number;
  isVerifiable: boolean;
  isOpen: boolean;
  isSigned: boolean;
  /** On whose word it rests that the order was not chosen. */
  restsOn: 'you' | 'beacon' | 'players' | 'house';
  /** Players who signed with a key of their own. */
  signers: number;
  compared: readonly Comparison[];
}

/** Goes through the document and says each step that holds; throws Unproven at the first thing that does not. */
export async function verify(
  dossier: Dossier,
  ruled: Ruled,
  key = '',
  passed: (step: Step) => void = () => undefined,
  chains: readonly BeaconChain[] = CHAINS,
  kept: readonly Kept[] = [],
): Promise<Verdict> {
  const { commitment, entropy, dealt, rounds, opening } = dossier;
  checkRules(commitment, ruled);
  passed('rules');
  await checkContributions(commitment, entropy, ruled.sheet);
  await checkBeacon(commitment, entropy, chains);
  const { order, cutCard } = await arrangement(commitment, cutParts(entropy), ruled.sheet);
  if (entropy.cutCard !== cutCard)
    throw new Unproven('entropy.cut_card', 'cut-card', { due: cutCard, there: entropy.cutCard });
  passed('cut');
  await checkDealt(commitment, dealt, order);
  passed('cards');
  checkRounds(dossier, ruled.sheet);
  passed('rounds');
  passed('payouts');
  await checkOpening(dossier);
  await checkDraws(dossier, ruled.sheet);
  if (opening) passed('opening');
  const hasSignature = await checkReceipt(dossier, key);
  if (hasSignature) passed('receipt');
  await checkChain(dossier);
  passed('chain');
  const compared: Comparison[] = [];
  for (const one of kept) compared.push(await compare(dossier, one));
  if (compared.length) passed('kept');
  const players = entropy.contributions.filter((one) => one.origin === 'player');
  return {
    cards: dealt.length,
    rounds: rounds.length,
    contributors: players.length,
    isVerifiable: isVerifiable(entropy),
    isOpen: opening !== null,
    isSigned: hasSignature,
    restsOn: compared.some((one) => one.isOwn)
      ? 'you'
      : entropy.beacon.length
        ? 'beacon'
        : isVerifiable(entropy)
          ? 'players'
          : 'house',
    signers: players.filter((one) => one.key.length).length,
    compared,
  };
}

/** Whether somebody other than the house had a part in the order. */
export const isVerifiable = (entropy: Entropy): boolean =>
  entropy.beacon.length > 0 || entropy.contributions.some((one) => one.origin === 'player');

/**
 * What decides the order beside the root: what was revealed; with a beacon that alone. Whatever else went in could be
 * written by a house after the beacon is known, in the name of players of its own.
 */
export const cutParts = ({ beacon, contributions }: Entropy): Bytes[] =>
  beacon.length ? [beacon] : contributions.map((one) => one.reveal);

function checkRules(made: Commitment, { sheet, hash }: Ruled): void {
  if (made.game !== sheet.game.id) throw new Unproven('commitment.game', 'game', { there: made.game });
  if (made.sheet !== hash) throw new Unproven('commitment.sheet', 'sheet', { there: made.sheet.slice(0, 16) });
  if (made.decks !== sheet.shoe.decks)
    throw new Unproven('commitment.decks', 'decks', { due: sheet.shoe.decks, there: made.decks });
  if (made.draws.length > 0 !== (hasWheel(sheet) && made.version > 1))
    throw new Unproven('commitment.draws', 'sealed-draws');
}

async function checkContributions(made: Commitment, entropy: Entropy, { game: { solo } }: Sheet): Promise<void> {
  const parts = entropy.contributions;
  const players = parts.filter((one) => one.origin !== 'server').map((one) => one.player);
  const promises = parts.filter((one) => one.promise.length).map((one) => hex(one.promise));
  const no = (fault: string): never => {
    throw new Unproven('entropy.contributions', fault);
  };
  if (new Set(players).size < players.length) no('player-twice');
  if (solo && (players.length > 1 || (players.length < 1 && made.version === 1))) no('one-player');
  if (isVerifiable(entropy) && players.length < parts.length) no('house-added');
  if (new Set(promises).size < promises.length) no('promise-copied');
  const atOnce = solo && made.version === 1;
  for (const [i, one] of parts.entries()) {
    const [at, { player, promise }] = [`entropy.contributions[${i}]`, one];
    const bound = !atOnce && one.origin === 'player' && (promise.length > 0 || !solo);
    if (bound && !same(await sha256(one.reveal), promise)) throw new Unproven(at, 'reveal', { player });
    if (promise.length && (atOnce || one.origin === 'server')) throw new Unproven(at, 'promise');
    if (!one.key.length) continue;
    if (!promise.length || made.version === 1) throw new Unproven(at, 'nothing-signed', { player });
    const message = await promiseMessage(made.plain, player, promise);
    if ((await signed(one.key, one.signature, message)) === false)
      throw new Unproven(`${at}.signature`, 'promise-signature', { player });
  }
}

/** The signature of the round that was named before it was due, by a chain that is trusted. */
async function checkBeacon(made: Commitment, { beacon }: Entropy, chains: readonly BeaconChain[]): Promise<void> {
  const named = made.beacon;
  if (!named) {
    if (beacon.length) throw new Unproven('entropy.beacon', 'beacon-unnamed');
    return;
  }
  if (made.version === 1) throw new Unproven('commitment.beacon', 'beacon-version');
  const chain = chains.find(({ hash }) => same(hash, named.chain));
  if (!chain) throw new Unproven('commitment.beacon.chain', 'beacon-chain', { there: hex(named.chain).slice(0, 16) });
  if (beacon.length && !(await isSigned(chain, named.round, beacon)))
    throw new Unproven('entropy.beacon', 'beacon', { round: String(named.round) });
}

/** The order of play and the place of the cut card, from the commitment and what the players sent. */
export async function arrangement(
  made: Commitment,
  parts: readonly Bytes[],
  sheet: Sheet,
): Promise<{ order: number[]; cutCard: number }> {
  const stream = new Stream(
    await Generator.made(joinBytes(made.root, ...parts), big(made.shoe, 16), ascii('ventuno/cut/1')),
  );
  const order = await shuffled(52 * made.decks, stream);
  const [least, most] = cutWindow(sheet);
  return { order, cutCard: least + (await stream.below(most - least + 1)) };
}

async function checkDealt(made: Commitment, dealt: readonly Dealt[], order: readonly number[]): Promise<void> {
  let last = -1;
  for (const [i, one] of dealt.entries()) {
    const at = `dealt[${i}]`;
    if (one.play <= last || one.play >= order.length) throw new Unproven(at, 'play', { there: one.play });
    if (order[one.play] !== one.leaf)
      throw new Unproven(at, 'leaf', { play: one.play, due: order[one.play] ?? 0, there: one.leaf });
    const found = await climb(await cardLeaf(one.salt, one.card), one.leaf, order.length + 1, one.path);
    if (!found || !same(found, made.root)) throw new Unproven(at, 'root', { play: one.play });
    last = one.play;
  }
}

const cardLeaf = (salt: Bytes, card: number): Promise<Bytes> => leaf(joinBytes(salt, bytes(card)));

function checkRounds({ commitment, dealt, rounds, entropy, opening }: Dossier, sheet: Sheet): void {
  const shown = new Map(dealt.map((one) => [one.play, one.card]));
  const codes = new Set<string>();
  let position = sheet.shoe.burn;
  for (const [i, one] of rounds.entries()) {
    const at = `rounds[${i}]`;
    if (codes.has(one.code)) throw new Unproven(`${at}.code`, 'code-twice', { code: one.code });
    if (one.first !== position) throw new Unproven(`${at}.first`, 'gap', { due: position, there: one.first });
    if (position >= entropy.cutCard) throw new Unproven(at, 'late-round', { due: entropy.cutCard, there: position });
    const wrong = one.cards.findIndex((card, k) => shown.get(one.first + k) !== card);
    if (wrong >= 0) throw new Unproven(at, 'not-shown', { play: one.first + wrong });
    checkPayouts(one, sheet, at);
    if (commitment.version > 1 && one.scenario && !sheet.game.solo) checkBalances(one.bets, one.scenario.players, at);
    codes.add(one.code);
    position += one.cards.length;
  }
  if (dealt.some((one) => one.play < sheet.shoe.burn)) throw new Unproven('dealt', 'burnt');
  if (opening && dealt.some((one) => one.play >= position))
    throw new Unproven('dealt', 'no-round', { there: position });
}

/** At a table for several nobody's balance is told: each player has exactly what he staked. */
function checkBalances(bets: readonly Bet[], told: Readonly<Record<string, number>>, at: string): void {
  const staked = new Map<string, number>();
  for (const { player, stake } of bets) staked.set(player, (staked.get(player) ?? 0) + stake);
  const players = Object.entries(told);
  if (players.length !== staked.size || players.some(([player, amount]) => staked.get(player) !== amount))
    throw new Unproven(`${at}.scenario.players`, 'balances');
}

/** The round played again; a void one gives every stake back. */
function checkPayouts(one: Round, sheet: Sheet, at: string): void {
  if (!one.scenario) {
    for (const [i, bet] of one.bets.entries())
      if (bet.returned !== bet.stake || bet.stake < 0)
        throw new Unproven(`${at}.bets[${i}]`, 'void', { due: bet.stake, there: bet.returned });
    return;
  }
  if (one.scenario.game !== sheet.game.id)
    throw new Unproven(`${at}.scenario.game`, 'game', { there: one.scenario.game });
  const { bets, unused } = settled(one, sheet, at);
  if (unused) throw new Unproven(`${at}.scenario.shoe`, 'unused', { there: unused });
  if (bets.length !== one.bets.length)
    throw new Unproven(`${at}.bets`, 'lines', { due: bets.length, there: one.bets.length });
  for (const [i, due] of bets.entries()) {
    const paid = one.bets[i]!;
    const key = (Object.keys({ ...due, ...paid }) as (keyof Bet)[]).find((name) => due[name] !== paid[name]);
    if (key) throw new Unproven(`${at}.bets[${i}].${key}`, 'payout', { due: due[key] ?? '–', there: paid[key] ?? '–' });
  }
}

function settled(one: Round, sheet: Sheet, at: string): ReturnType<typeof settle> {
  try {
    return settle(sheet, one.scenario!);
  } catch (no) {
    if (no instanceof Forbidden) throw new Unproven(`${at}.scenario`, 'refused', { there: no.message });
    throw no;
  }
}

async function checkOpening({ opening, commitment, dealt, rounds, entropy }: Dossier): Promise<void> {
  if (!opening) return;
  const { cards, salts } = opening;
  const no = (fault: string): never => {
    throw new Unproven('opening', fault);
  };
  if (cards.length !== salts.length) no('salts');
  const pack = Array.from({ length: 52 * commitment.decks }, (_, i) => Math.floor(i / commitment.decks));
  if (cards.toSorted((a, b) => a - b).join() !== pack.join()) no('pack');
  const leaves = await Promise.all([
    ...cards.map((card, i) => cardLeaf(salts[i]!, card)),
    rulesOf(commitment).then(leaf),
  ]);
  if (!same(await root(leaves), commitment.root)) no('root-open');
  for (const [i, one] of dealt.entries()) {
    if (cards[one.leaf] !== one.card || !same(salts[one.leaf] ?? bytes(), one.salt))
      throw new Unproven(`dealt[${i}]`, 'other-card', { play: one.play });
  }
  const end = endOf(rounds);
  if (opening.retired === 'cut-card' && end < entropy.cutCard)
    throw new Unproven('opening.retired', 'retired', { due: entropy.cutCard, there: end });
}

export const hasWheel = ({ bonus }: Sheet): boolean => Object.keys(bonus.wheel).length > 0;

/** Wheel and boards drawn again from the seed that the opening shows (L-22…L-28). */
async function checkDraws({ opening, commitment, entropy, rounds }: Dossier, sheet: Sheet): Promise<void> {
  if (!opening) return;
  const hashed = opening.draws.length ? await sha256(opening.draws) : bytes();
  if (!same(hashed, commitment.draws)) throw new Unproven('opening.draws', 'draw-seed');
  if (!hashed.length) return;
  const seed = new DrawSeed(opening.draws, commitment, cutParts(entropy));
  for (const [i, one] of rounds.entries()) {
    for (const [k, told] of (one.scenario?.bonus ?? []).entries()) {
      const wrong = findDifference(told, await seed.draw(sheet.bonus, one.first, k));
      if (wrong) throw new Unproven(`rounds[${i}].scenario.bonus[${k}].${wrong}`, 'draw', { code: one.code });
    }
  }
}

/** The place in the shoe after the last card of a finished round. */
export function endOf(rounds: readonly Round[]): number {
  const last = rounds.at(-1);
  return last ? last.first + last.cards.length : 0;
}

/** Whether the signature was checked: a browser without Ed25519 says nothing about it. */
async function checkReceipt({ receipt, commitment }: Dossier, key: string): Promise<boolean> {
  if (key && key !== hex(receipt.key)) throw new Unproven('receipt.key', 'key');
  const message = ascii(`ventuno/checkpoint/1\n${encode(receipt.checkpoint.plain)}`);
  const holds = await signed(receipt.key, receipt.signature, message);
  if (holds === false) throw new Unproven('receipt.signature', 'signature');
  if (receipt.checkpoint.table !== commitment.table)
    throw new Unproven('receipt.checkpoint.table', 'table', { there: receipt.checkpoint.table });
  return holds === true;
}

async function checkChain(dossier: Dossier): Promise<void> {
  const {
    included,
    receipt: { checkpoint },
  } = dossier;
  const chained = await records(dossier);
  if (chained.length !== included.length)
    throw new Unproven('included', 'proofs', { due: chained.length, there: included.length });
  let last = 0;
  for (const [i, { at, hashed }] of chained.entries()) {
    const proof = included[i]!;
    if (proof.height <= last) throw new Unproven(at, 'height', { there: proof.height });
    if (!(await isIncluded(proof, hashed, checkpoint))) throw new Unproven(at, 'record');
    last = proof.height;
  }
}

async function isIncluded(
  proof: Inclusion,
  hashed: Bytes,
  { height, head, root: signedRoot }: Dossier['receipt']['checkpoint'],
): Promise<boolean> {
  const here = await sha256(joinBytes(bytes(2), proof.before, hashed));
  if (proof.height === height && !same(here, head)) return false;
  const found = await climb(await leaf(here), proof.height - 1, height, proof.path);
  return found !== null && same(found, signedRoot);
}
