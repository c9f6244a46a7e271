import { why } from '../words/why';
import { t } from '../words/words.svelte';
import { Refused } from './api';

/**
 * Notices that come and go. One that matters stays longer, or until it is closed. Told again, it has its time again;
 * one that somebody points at, or has the focus in, does not go.
 */
export type Tone = 'plain' | 'good' | 'bad';
/** What helps: one press on it closes the notice and does it. */
export interface Remedy {
  label: string;
  run: () => void;
}
export interface Toast {
  id: number;
  text: string;
  tone: Tone;
  stays: boolean;
  remedy: Remedy | null;
}

/** Long enough to be read; a notice with a button waits for the hand too. */
const [STAY, STAY_REMEDY] = [6_000, 12_000];
/** For what matters but asks for no answer: read twice, it goes by itself; a void round stays the longest. */
export const [NEWS_STAY, LONG_STAY] = [12_000, 24_000];
/** More than these would reach what lies on the felt. */
const MOST = 2;

export class Toasts {
  list = $state<Toast[]>([]);
  /** A table on the screen shows them where they cover nothing of it. */
  hosts = $state(0);
  #next = 1;
  /** How long each that goes by itself stays, and what ends it. */
  readonly #times = new Map<number, number>();
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();

  /** `stays`: until it is closed, or for so many milliseconds. */
  add(text: string, tone: Tone = 'plain', stays: boolean | number = false, remedy: Remedy | null = null): number {
    const same = this.list.find((one) => one.text === text);
    if (same) {
      this.release(same.id);
      return same.id;
    }
    const id = this.#next++;
    this.list = this.#newest([...this.list, { id, text, tone, stays: stays !== false, remedy }]);
    const time = typeof stays === 'number' ? stays : remedy ? STAY_REMEDY : STAY;
    if (stays !== true) this.#times.set(id, time);
    this.release(id);
    return id;
  }

  /** Where there are too many the oldest goes, one that stays last of all. */
  #newest(list: Toast[]): Toast[] {
    if (list.length <= MOST) return list;
    const first = list.find((one) => !one.stays) ?? list[0];
    return list.filter((one) => one !== first);
  }

  /** Until it is released it does not go by itself. */
  hold(id: number): void {
    clearTimeout(this.#timers.get(id));
  }

  release(id: number): void {
    this.hold(id);
    const time = this.#times.get(id);
    if (time !== undefined)
      this.#timers.set(
        id,
        setTimeout(() => this.close(id), time),
      );
  }

  close(id: number): void {
    this.hold(id);
    this.#times.delete(id);
    this.#timers.delete(id);
    this.list = this.list.filter((one) => one.id !== id);
  }
}

/** The notices of this window: one list for every page. */
export const toasts = new Toasts();

/** The reasons why something is closed, told to whoever pressed it. */
export function showReasons(reasons: readonly string[]): void {
  for (const reason of reasons) toasts.add(reason);
}

/** A failure in words: the house's refusal with its numbers, else that it does not answer. */
export const faultText = (fault: unknown): string =>
  fault instanceof Refused ? why(fault.trouble) : t('frame.trouble');

/** A form that is sent once at a time: whether it is on its way, and why the house said no. */
export class Submission {
  pending = $state(false);
  refusal = $state('');

  /** True where it was done; a refusal stays here, to be shown beside the form. */
  async send(act: () => Promise<unknown>): Promise<boolean> {
    if (this.pending) return false;
    [this.pending, this.refusal] = [true, ''];
    try {
      await act();
      return true;
    } catch (fault) {
      this.refusal = faultText(fault);
      return false;
    } finally {
      this.pending = false;
    }
  }

  /** The same, but a refusal becomes a notice. */
  async attempt(act: () => Promise<unknown>, done = ''): Promise<boolean> {
    if (this.pending) return false;
    this.pending = true;
    const sent = await attempt(act, done);
    this.pending = false;
    return sent;
  }
}

/** Runs what a press asked for; a refusal becomes a notice. True where it was done. */
export async function attempt(act: () => Promise<unknown>, done = ''): Promise<boolean> {
  try {
    await act();
    if (done) toasts.add(done, 'good');
    return true;
  } catch (fault) {
    toasts.add(faultText(fault), 'bad');
    return false;
  }
}
