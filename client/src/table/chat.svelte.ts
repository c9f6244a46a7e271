import type { Frame, Message } from '../parts/room/ChatBox.svelte';
import type { ChatMessage } from '../wire/types';
import { t } from '../words/words.svelte';

const PLACE = 'ventuno.chat';
const FIRST: Frame = { x: 16, y: 10_000, width: 268, height: 170 };

/** The chat window of a table: what was said, by the house's host too, and where the window lies (V-62…V-65). */
export class TableChat {
  open = $state(true);
  quiet = $state(false);
  /** Whether a person deals: what the house says by itself is not her word then. */
  studio = $state(false);
  /** Why this player may not write; null where he may. */
  closed = $state<string | null>(null);
  #frame = $state.raw<Frame>(kept());
  #said = $state.raw<readonly ChatMessage[]>([]);
  #host = $state.raw<readonly { after: number; text: string }[]>([]);
  #read = $state(0);
  #own = $state('');

  readonly messages: Message[] = $derived.by(() => {
    const host = this.#host.map((one, k) => ({
      at: one.after,
      message: {
        id: -1 - k,
        name: t(this.studio ? 'house.name' : 'table.host'),
        text: one.text,
        host: true,
        own: false,
      },
    }));
    const said = this.#said.map((one, k) => ({
      at: one.at,
      message: { id: k + 1, name: one.name, text: one.text, host: false, own: one.player === this.#own },
    }));
    return [...host, ...said].sort((a, b) => a.at - b.at).map((one) => one.message);
  });
  /** Whether something came while the window was closed. */
  readonly news: boolean = $derived.by(() => !this.open && this.#said.length > this.#read);

  get frame(): Frame {
    return this.#frame;
  }
  set frame(frame: Frame) {
    this.#frame = frame;
    try {
      localStorage.setItem(PLACE, JSON.stringify(frame));
    } catch {
      /* a browser that keeps nothing */
    }
  }

  heard(said: readonly ChatMessage[], own: string): void {
    this.#said = said;
    this.#own = own;
    if (this.open) this.#read = said.length;
  }

  host(text: string, now: number): void {
    this.#host = [...this.#host, { after: now, text }].slice(-20);
  }

  toggle(): void {
    this.open = !this.open;
    if (this.open) this.#read = this.#said.length;
  }
}

function kept(): Frame {
  try {
    const held: unknown = JSON.parse(localStorage.getItem(PLACE) ?? 'null');
    if (
      held &&
      typeof held === 'object' &&
      ['x', 'y', 'width', 'height'].every((side) => Number.isFinite((held as Record<string, unknown>)[side]))
    )
      return held as Frame;
  } catch {
    /* nothing that can be read */
  }
  return FIRST;
}
