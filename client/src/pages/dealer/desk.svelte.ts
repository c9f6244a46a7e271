import { audio } from '../../sound/audio.svelte';
import { isHolder, listScanned, namePlace, type Scanned } from './duty';
import { clearFelt } from '../../table/views';
import { house } from '../../wire/house.svelte';
import { person } from '../../wire/person.svelte';
import type { TableState } from '../../wire/store.svelte';
import type { Doing, PublicView, Reason, Studio } from '../../wire/types';
import { desk } from '../../words/studio';
import { spoken, why } from '../../words/why';

/** Something that was read: a card, or the cut card. */
export type ReadCode = { kind: 'card'; card: string } | { kind: 'cut' };

/** Said aloud and in large type until it is answered or the next card is taken. */
export interface Alarm {
  title: string;
  text: string;
  /** Counts them, so that the same words are said again. */
  at: number;
}

/** What a desk does with what is read and pressed, at a table of the house or in a lesson. */
export interface Desk {
  readonly open: PublicView | null;
  readonly alarm: Alarm | null;
  /** What was taken last, in words. */
  readonly taken: string;
  read: (code: ReadCode) => void;
  unread: (text: string) => void;
  calm: () => void;
}

export const alarmOf = (title: string, text: string, last: Alarm | null): Alarm => {
  audio.play('refused');
  return { title, text, at: (last?.at ?? 0) + 1 };
};

/** The desk of one table with scanned cards: it decides nothing, it asks the house, and says what the house said. */
export class TableDesk implements Desk {
  readonly name: string;
  alarm = $state.raw<Alarm | null>(null);
  taken = $state('');
  readonly table: TableState | undefined = $derived.by(() => house.tables.get(this.name));
  readonly open: PublicView | null = $derived.by(() => {
    const open = this.table?.public;
    return open ? clearFelt(open) : null;
  });
  readonly studio: Studio | null = $derived.by(() => this.open?.studio ?? null);
  readonly mine: boolean = $derived.by(() => isHolder(this.studio, person.me?.name ?? ''));
  readonly scanned: Scanned[] = $derived.by(() => (this.open ? listScanned(this.open) : []));

  constructor(name: string) {
    this.name = name;
  }

  /** A code that was read goes to the house at once; what it says of it is shown and heard. */
  read(code: ReadCode): void {
    if (code.kind === 'cut') void this.ask({ do: 'cut-card' }, desk('desk.cut'), desk('desk.cut-said'));
    else void this.#scan(code.card);
  }

  /** What is no card is said too: a card that was passed over the reader is never lost in silence. */
  unread(text: string): void {
    this.#sound(desk('desk.unread', { text }), '');
  }

  calm(): void {
    this.alarm = null;
  }

  async #scan(card: string): Promise<void> {
    const open = this.open;
    const wanted = this.studio?.wanted;
    const place = open && wanted ? namePlace(open, wanted) : '';
    const down = wanted?.face === 'down';
    const told = down ? desk('desk.scan-down') : spoken(card);
    await this.ask({ do: 'scan', card }, spoken(card), place ? desk('desk.accepted', { card: told, place }) : told);
  }

  /** Asks something of the house; `what` names it where it is refused, `done` is said where it is not. */
  async ask(command: Doing, what: string, done: string): Promise<boolean> {
    if (house.isCut) {
      this.#sound(desk('desk.unsent', { card: what }), '');
      return false;
    }
    const { refused } = await house.ask(this.name, command);
    if (refused) this.refuse(what, refused);
    else [this.alarm, this.taken] = [null, done];
    return refused === null;
  }

  refuse(what: string, reason: Reason): void {
    this.#sound(desk('desk.refused', { card: what }), why(reason));
  }

  /** Somebody else sits at the desk now, or nobody. */
  refuseDesk(dealer: string): void {
    this.#sound(dealer ? desk('desk.lost', { name: dealer }) : desk('desk.lost-none'), '');
  }

  #sound(title: string, text: string): void {
    this.alarm = alarmOf(title, text, this.alarm);
  }
}
