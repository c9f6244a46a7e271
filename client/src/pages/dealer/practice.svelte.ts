import { clearFelt } from '../../table/views';
import { applyChanges } from '../../wire/changes';
import type { Change, PublicView } from '../../wire/types';
import { desk } from '../../words/studio';
import { spoken } from '../../words/why';
import { alarmOf, type Alarm, type Desk, type ReadCode } from './desk.svelte';

/** A step of a lesson: a card (`TD`), `cut`, `shoe` or `next`, its hint, and what it changes. */
interface Step {
  act: string;
  hint: string;
  changes: readonly Change[];
}
export interface Lesson {
  first: PublicView;
  steps: readonly Step[];
}

const WORDS = ['cut', 'shoe', 'next'];

/**
 * A lesson at a drawn table: rounds that the house has played, one step at a time. No rule lives here: what follows
 * from a card stands in the lesson (`tests/support/dealer_lessons.py`).
 */
export class LessonDesk implements Desk {
  readonly #lesson: Lesson;
  at = $state(0);
  alarm = $state.raw<Alarm | null>(null);
  taken = $state('');
  #state = $state.raw<PublicView>() as PublicView;
  readonly open: PublicView = $derived.by(() => clearFelt(this.#state));
  readonly next: Step | null = $derived.by(() => this.#lesson.steps[this.at] ?? null);
  /** The card on top of the deck; null where none is due. */
  readonly top: string | null = $derived.by(() =>
    this.next && (this.next.act === 'cut' || !WORDS.includes(this.next.act)) ? this.next.act : null,
  );
  /** How many cards the deck still has. */
  readonly left: number = $derived.by(
    () => this.#lesson.steps.slice(this.at).filter((step) => !WORDS.includes(step.act)).length,
  );

  constructor(lesson: Lesson) {
    this.#lesson = lesson;
    this.#state = lesson.first;
  }

  read(code: ReadCode): void {
    const text = code.kind === 'cut' ? 'cut' : code.card;
    if (text === this.top) this.#go(text === 'cut' ? desk('desk.cut-said') : spoken(text));
    else if (this.top === null) this.#sound(desk('desk.lesson.nothing'));
    else this.#sound(desk('desk.lesson.wrong', { card: this.top === 'cut' ? desk('desk.cut') : spoken(this.top) }));
  }

  /** The card on top of the deck passes over the reader. */
  draw(): void {
    if (this.top === 'cut') this.read({ kind: 'cut' });
    else if (this.top !== null) this.read({ kind: 'card', card: this.top });
  }

  /** A player has decided, the round is paid, or the new shoe lies there. */
  goOn(): void {
    if (this.next && this.top === null) this.#go(this.next.act === 'shoe' ? desk('desk.shoe-said') : '');
  }

  unread(text: string): void {
    this.#sound(desk('desk.unread', { text }));
  }

  calm(): void {
    this.alarm = null;
  }

  restart(): void {
    [this.at, this.#state, this.alarm, this.taken] = [0, this.#lesson.first, null, ''];
  }

  #go(taken: string): void {
    this.#state = applyChanges(this.#state, this.next!.changes);
    [this.at, this.alarm, this.taken] = [this.at + 1, null, taken];
  }

  #sound(title: string): void {
    this.alarm = alarmOf(title, '', this.alarm);
  }
}
