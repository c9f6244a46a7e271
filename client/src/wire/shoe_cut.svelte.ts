import { hex, sha256, unhex } from '../verifier/bytes';
import { digest as digestOf, type Json, Unreadable } from '../verifier/canonical';
import { promiseMessage, readPromiseList } from '../verifier/promise';
import { t } from '../words/words.svelte';
import { addReceipt, getKept, keep, type KeptShoe } from './kept_shoes';
import { findOwnKey, type OwnKey } from './own_key';
import { toasts } from './toasts.svelte';
import type { Acknowledged, Asked, ReceiptResponse, ShoeMessage } from './types';

/**
 * What a player sends to cut a shoe: 16 bytes of this browser's own generator, unless the player wrote others.
 */
export interface Contribution {
  shoe: string;
  entropy: string;
  promised: boolean;
  revealed: boolean;
}

const BYTES = 16;
export const ENTROPY = /^([0-9a-f]{2}){16,64}$/;
export const fresh = (): string => hex(crypto.getRandomValues(new Uint8Array(BYTES)));
export const digest = async (entropy: string): Promise<string> => hex(await sha256(unhex(entropy)));

/** Whether the house signed a list of the promises for this very commitment, and one's own is in it. */
async function isListed(shoe: ShoeMessage, player: string, promise: string): Promise<boolean> {
  try {
    const list = readPromiseList(shoe.promises as Json, 'promises');
    const own = list.promises.filter((one) => one.player === player);
    return (
      own.length === 1 &&
      own[0]!.promise === promise &&
      list.commitment === hex(await digestOf(shoe.commitment as Json)) &&
      (await list.checkSignature()) !== false
    );
  } catch (fault) {
    if (fault instanceof Unreadable) return false;
    throw fault;
  }
}

export interface CutWiring {
  findKey?: () => Promise<OwnKey | null>;
  readReceipt?: (table: string) => Promise<ReceiptResponse>;
}

/**
 * Answers for the player whenever a shoe is made: a promise, signed with this browser's key, then, when the house has
 * signed the list of all promises, the bytes themselves. Each once. What proves it later is kept on this device.
 */
export class Cut {
  /** By table, what was sent for its newest shoe. */
  sent = $state.raw<ReadonlyMap<string, Contribution>>(new Map());
  /** By table, what the player wrote for the next one. */
  written = $state.raw<ReadonlyMap<string, string>>(new Map());
  readonly #send: (message: Asked) => boolean;
  readonly #wiring: CutWiring;
  #key: Promise<OwnKey | null> | null = null;
  #next = 1;

  constructor(send: (message: Asked) => boolean, wiring: CutWiring = {}) {
    this.#send = send;
    this.#wiring = wiring;
  }

  /** Bytes for the next shoe of a table, in hexadecimal; false where they are not fit. */
  write(table: string, entropy: string): boolean {
    if (!ENTROPY.test(entropy)) return false;
    this.written = new Map(this.written).set(table, entropy);
    return true;
  }

  async asked(shoe: ShoeMessage, player: string | undefined): Promise<void> {
    if (player === undefined || !shoe.players.includes(player)) return;
    const mine = this.#contribution(shoe.table, String(shoe.commitment.root));
    if (shoe.phase === 'promises' && !shoe.promised.includes(player) && !mine.promised) {
      this.#keep(shoe.table, { ...mine, promised: true });
      await this.#promise(shoe, player, mine.entropy);
    } else if (shoe.phase === 'reveals' && mine.promised && !shoe.revealed.includes(player) && !mine.revealed) {
      this.#keep(shoe.table, { ...mine, revealed: true });
      await this.#reveal(shoe, player, mine.entropy);
    } else if (shoe.phase === 'cut' && shoe.receipt) {
      const receipt = shoe.receipt as unknown as ReceiptResponse;
      this.#change(shoe.table, Number(shoe.commitment.shoe), player, (kept) =>
        kept.receipts ? kept : addReceipt(kept, receipt),
      );
    }
  }

  async #promise(shoe: ShoeMessage, player: string, entropy: string): Promise<void> {
    const [promise, own] = await Promise.all([digest(entropy), this.#ownKey()]);
    const commitment = shoe.commitment as Json;
    const signed = own && {
      key: own.public,
      signature: await own.sign(await promiseMessage(commitment, player, unhex(promise))),
    };
    keep({
      format: 'ventuno-kept/1',
      table: shoe.table,
      shoe: Number(shoe.commitment.shoe),
      player,
      commitment: hex(await digestOf(commitment)),
      ...(own ? { key: own.public } : {}),
      promise,
      entropy,
    });
    this.#send({ type: 'promise', id: this.#mark(), table: shoe.table, digest: promise, ...signed });
  }

  /** The bytes are told to nobody before all promises are fixed: who could still write one would choose by them. */
  async #reveal(shoe: ShoeMessage, player: string, entropy: string): Promise<void> {
    const list = shoe.promises;
    if (list)
      this.#change(shoe.table, Number(shoe.commitment.shoe), player, (kept) => ({ ...kept, promise_list: list }));
    if (await isListed(shoe, player, await digest(entropy)))
      this.#send({ type: 'reveal', id: this.#mark(), table: shoe.table, entropy });
    else toasts.add(t('seal.unlisted'), 'bad', true);
  }

  /** The house signed that it took a promise or a reveal: kept, whatever it says later. */
  acknowledged({ table, taken, key, signature }: Acknowledged): void {
    this.#change(table, Number(taken.shoe), String(taken.player), (kept) => ({
      ...kept,
      acknowledgements: [...(kept.acknowledgements ?? []), { taken, key, signature }],
    }));
  }

  /** A round is over: a receipt from after the bet, where this browser cut the shoe. */
  async settled(table: string, shoe: number, player: string | undefined): Promise<void> {
    if (player === undefined || !this.#wiring.readReceipt || !getKept(table, shoe, player)) return;
    try {
      const receipt = await this.#wiring.readReceipt(table);
      this.#change(table, shoe, player, (kept) => addReceipt(kept, receipt));
    } catch {
      // the next round brings another
    }
  }

  #change(table: string, shoe: number, player: string, change: (kept: KeptShoe) => KeptShoe): void {
    const kept = getKept(table, shoe, player);
    if (kept) keep(change(kept));
  }

  #ownKey(): Promise<OwnKey | null> {
    this.#key ??= (this.#wiring.findKey ?? findOwnKey)();
    return this.#key;
  }

  /** The same bytes from promise to reveal; others for every shoe. */
  #contribution(table: string, shoe: string): Contribution {
    const held = this.sent.get(table);
    if (held?.shoe === shoe) return held;
    const entropy = this.written.get(table) ?? fresh();
    this.written = new Map([...this.written].filter(([name]) => name !== table));
    return { shoe, entropy, promised: false, revealed: false };
  }

  #keep(table: string, contribution: Contribution): void {
    this.sent = new Map(this.sent).set(table, contribution);
  }

  #mark(): string {
    return `cut${this.#next++}`;
  }
}
