import { MovingCards } from '../parts/cards/moving';
import type { Limited } from '../parts/table/shown';
import { holdFor, InStep } from './in_step';
import { rememberRound, type PastRound } from './past';
import { reveal, type Beat } from './reveal';
import type { Views } from './views';

/** A queue that is this far behind, in milliseconds, does not wait: what it still holds is shown at once. */
const LATE = 4_000;
/** So late, in milliseconds, may be what waited for a card without that all after it is late too: some frames. */
const SLACK = 100;

interface Waiting extends Beat {
  /** Whether this is a state of the house's own, not one in between. */
  whole: boolean;
  /** Milliseconds after the one before. */
  after: number;
  version: number;
}
/** How states come: `jumps` is a state that does not follow from the last (first, after a break, out of sight). */
export interface Arrival {
  version: number;
  jumps: boolean;
  /** 1 as it is meant, 0.5 for who wants it fast, 0 for who wants no motion. */
  tempo: number;
  /** Milliseconds since the house told it. */
  age?: number;
}

/**
 * Plays what `reveal` has written down. Whatever is shown of a table hangs on `shown`; what is told of it in words on
 * `told`, the last state that the house itself has told. Nothing waits for it that the house has asked already: a new
 * state that opens bets, and one that finds the queue late, ends the waiting. What tells of a card is shown when its
 * time has come and the card lies open; a card that takes longer than `LATE` is laid without motion.
 */
export class RevealQueue {
  shown = $state.raw<Views | null>(null);
  told = $state.raw<Views | null>(null);
  /** The last round as it was paid, for as long as it is worth showing. */
  paid = $state.raw<Views | null>(null);
  /** What the dealer came to in the rounds that were shown here, the last at the end. */
  past = $state.raw<readonly PastRound[]>([]);
  /** The deadline that is shown, and how long it is in all. */
  time = $state.raw<Limited | null>(null);
  /** What moves on the table: whoever draws cards tells it here. */
  readonly cards = new MovingCards();
  /** Whether more is known than shown. */
  running = $state.raw(false);
  /** The version of the table of which all is shown. */
  version = 0;
  /** Whether the live picture of the table is seen: the drawn dealer makes way. */
  filmed = $state(false);
  /** How late the live picture of the table is, in milliseconds: a card waits for it. 0 without a picture. */
  late = 0;
  #heard: Views | null = null;
  readonly #steps = new InStep<[Views, Arrival]>(([next, arrival]) => this.#take(next, arrival));
  #waiting: Waiting[] = [];
  #last: Views | null = null;
  /** How many cards there will be when all that is known is shown. */
  #known = 0;
  /** When what is shown was due. */
  #due = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #held = false;

  push(next: Views, arrival: Arrival): void {
    const wait = arrival.jumps ? 0 : holdFor(this.#heard?.open ?? null, next.open, this.late, arrival.age ?? 0);
    this.#heard = next;
    if (arrival.jumps) this.#steps.flush();
    this.#steps.push([next, arrival], wait);
  }

  #take(next: Views, { version, jumps, tempo }: Arrival): void {
    const last = this.#last;
    this.#last = next;
    if (!last || jumps || !tempo) {
      this.cards.cut();
      this.#waiting = [{ at: 0, after: 0, views: next, laid: this.#known, open: 0, whole: true, version }];
      if (!this.#held || !last) this.finish();
      return;
    }
    const beats = reveal(last, next);
    if (!this.#waiting.length) this.cards.cuts = false;
    const opens = next.open.phase !== 'round' && next.open.phase !== 'results';
    if (!this.#held && this.#waiting.length && (opens || (beats.length > 1 && this.#remaining > LATE * tempo)))
      this.finish();
    const more = beats.map((beat, k) => ({
      ...beat,
      laid: this.#known + beat.laid,
      open: this.#known + beat.open,
      after: (beat.at - (beats[k - 1]?.at ?? 0)) * tempo,
      whole: k === beats.length - 1,
      version,
    }));
    const idle = !this.#waiting.length;
    this.#waiting.push(...more);
    this.#known = more.at(-1)!.laid;
    if (idle) this.#resume();
  }

  /** While a scene over the table keeps back what the house has told, nothing more of it is shown. */
  hold(): void {
    this.#held = true;
    this.#stop();
  }

  release(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#resume();
  }

  /** All that is known, now. */
  finish(): void {
    this.#steps.flush();
    this.#stop();
    const last = this.#waiting.at(-1);
    this.#waiting = [];
    this.cards.cut();
    if (last) this.#show(last);
  }

  end(): void {
    this.#steps.end();
    this.#stop();
    this.#waiting = [];
  }

  get #remaining(): number {
    return this.#waiting.reduce((sum, one) => sum + one.after, 0);
  }

  /** From rest: the first that waits is due now. */
  #resume(): void {
    this.#due = performance.now();
    this.#next();
  }

  #next(): void {
    this.#stop();
    while (!this.#held && this.#waiting[0]?.after === 0 && this.cards.areStill(this.#waiting[0].open))
      this.#show(this.#waiting.shift()!);
    this.running = this.#waiting.length > 0;
    const first = this.#waiting[0];
    if (!first || this.#held) return;
    this.#timer = setTimeout(() => this.#await(first), Math.max(0, this.#due + first.after - performance.now()));
  }

  /** It is due: it is shown as soon as the cards it tells of lie open. */
  #await(first: Waiting): void {
    const show = (): void => {
      this.#due = Math.max(this.#due + first.after, performance.now() - SLACK);
      this.#waiting.shift();
      this.#show(first);
      this.#next();
    };
    this.cards.cuts = false;
    if (this.cards.areStill(first.open)) return show();
    this.cards.whenStill(first.open, show);
    this.#timer = setTimeout(() => {
      this.cards.cut();
      show();
    }, LATE);
  }

  #show(one: Waiting): void {
    this.cards.laid = one.laid;
    this.running = this.#waiting.length > 0;
    const { deadline, span } = one.views.open;
    if (deadline === null || span === null) this.time = null;
    else if (deadline !== this.time?.deadline || span !== this.time.span) this.time = { deadline, span };
    this.shown = one.views;
    if (one.whole) {
      this.told = one.views;
      this.version = one.version;
    }
    if (one.views.open.phase === 'results' && one.views.open.lines.length) this.paid = one.views;
    this.past = rememberRound(this.past, one.views.open);
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.cards.forget();
  }
}
