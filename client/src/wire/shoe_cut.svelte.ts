import type { Asked, ShoeMessage } from './types';

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
const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const read = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
export const fresh = (): string => hex(crypto.getRandomValues(new Uint8Array(BYTES)));
export const digest = async (entropy: string): Promise<string> =>
  hex(new Uint8Array(await crypto.subtle.digest('SHA-256', read(entropy))));

/**
 * Answers for the player whenever a shoe is made: a promise where one is asked, then the bytes themselves. Each once.
 */
export class Cut {
  /** By table, what was sent for its newest shoe. */
  sent = $state.raw<ReadonlyMap<string, Contribution>>(new Map());
  /** By table, what the player wrote for the next one. */
  written = $state.raw<ReadonlyMap<string, string>>(new Map());
  readonly #send: (message: Asked) => boolean;
  #next = 1;

  constructor(send: (message: Asked) => boolean) {
    this.#send = send;
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
      const promise = await digest(mine.entropy);
      this.#send({ type: 'promise', id: this.#mark(), table: shoe.table, digest: promise });
    } else if (shoe.phase === 'reveals' && !shoe.revealed.includes(player) && !mine.revealed) {
      this.#keep(shoe.table, { ...mine, revealed: true });
      this.#send({ type: 'reveal', id: this.#mark(), table: shoe.table, entropy: mine.entropy });
    }
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
