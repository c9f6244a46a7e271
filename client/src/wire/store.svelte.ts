import { PathMissing, applyChanges } from './changes';
import { HouseClock } from './clock';
import { Cut, type CutWiring } from './shoe_cut.svelte';
import { Line, type LineState, type Wiring } from './socket';
import type {
  AnswerMessage,
  Asked,
  Doing,
  Notice,
  PrivateView,
  PublicView,
  Reason,
  ChatMessage,
  ShoeMessage,
  Step,
  TableMessage,
  Told,
  Welcome,
} from './types';

/** Something asked of a table that the house has not shown yet. It is sent again, with the same key, after a break. */
export interface Pending {
  id: string;
  key: string;
  command: Doing;
  at: number;
  version: number | null;
}
export interface Outcome {
  version: number;
  refused: Reason | null;
}

const SAID_KEPT = 200;
/** A house that has much to do says so: what it could not show or take now is asked for once more a second later. */
const [BUSY, OPENING, REJOIN_MS] = ['HouseBusy', 'TableOpening', 1_000];

/** A table one watches: the last state known, whatever became of the line. */
export class TableState {
  readonly table: string;
  public = $state.raw<PublicView | null>(null);
  mine = $state.raw<PrivateView | null>(null);
  version = $state.raw(0);
  pending = $state.raw<readonly Pending[]>([]);
  refused = $state.raw<{ command: Doing; reason: Reason } | null>(null);
  said = $state.raw<readonly ChatMessage[]>([]);
  shoe = $state.raw<ShoeMessage | null>(null);
  /** Why the house does not show it: another device, no such table. */
  closed = $state.raw<Reason | null>(null);
  joining = false;
  /** When the house told the last state, in its clock. */
  told = 0;
  /** How often it was joined: what comes then need not follow from what is known. */
  joins = $state.raw(0);

  constructor(table: string) {
    this.table = table;
  }

  take(told: TableMessage): void {
    this.told = told.now;
    this.#set(told.version, told.public, told.mine);
    this.joining = false;
    this.closed = null;
  }

  /**
   * Follows a step; false where it does not fit what is known, so that one must join again. A step from a version to
   * itself brings what only this player may know.
   */
  follow(step: Step): boolean {
    if (!this.public || !this.mine) return false;
    if (step.after !== this.version) return step.version <= this.version;
    this.told = step.now;
    try {
      this.#set(step.version, applyChanges(this.public, step.public), applyChanges(this.mine, step.mine ?? []));
    } catch (fault) {
      if (fault instanceof PathMissing) return false;
      throw fault;
    }
    this.joining = false;
    return true;
  }

  #set(version: number, open: PublicView, mine: PrivateView): void {
    this.version = version;
    this.public = open;
    this.mine = mine;
    this.settle();
  }

  /** What was answered is pending until the version it made is shown. */
  settle(): void {
    const left = this.pending.filter((one) => one.version === null || one.version > this.version);
    if (left.length !== this.pending.length) this.pending = left;
  }
}

export interface HouseWiring extends Omit<Wiring, 'told' | 'stands'> {
  key?: () => string;
  clock?: HouseClock;
  cut?: CutWiring;
}

/** The house as this browser knows it: the line, its tables, what was asked, what was told. */
export class House {
  line = $state.raw<LineState>({ is: 'resting' });
  welcome = $state.raw<Welcome | null>(null);
  notices = $state.raw<readonly Notice[]>([]);
  tables = $state.raw<ReadonlyMap<string, TableState>>(new Map());
  readonly clock: HouseClock;
  readonly cut: Cut;
  readonly #line: Line;
  readonly #key: () => string;
  #answers = new Map<string, { table: string; resolve: (outcome: Outcome) => void }>();
  #next = 1;

  constructor(wiring: HouseWiring) {
    this.clock = wiring.clock ?? new HouseClock();
    this.#key = wiring.key ?? (() => crypto.randomUUID());
    this.cut = new Cut((message) => this.send(message), wiring.cut);
    this.#line = new Line({
      ...wiring,
      told: (message) => this.hear(message),
      stands: (state) => {
        this.line = state;
      },
    });
  }

  start(): void {
    this.#line.start();
  }
  stop(): void {
    this.#line.stop();
  }
  hurry(): void {
    this.#line.hurry();
  }
  breakOff(): void {
    this.#line.cut();
  }
  /** Whether the house hears what is asked now; before it ever answered nothing is closed for it. */
  get isCut(): boolean {
    return this.welcome !== null && this.line.is !== 'open';
  }

  /** Watches a table; nothing is sent before the house has said welcome. */
  watch(name: string): TableState {
    const held = this.tables.get(name);
    if (held) return held;
    const table = new TableState(name);
    this.tables = new Map(this.tables).set(name, table);
    if (this.line.is === 'open') this.#join(table);
    return table;
  }

  unwatch(name: string): void {
    if (!this.tables.has(name)) return;
    this.tables = new Map([...this.tables].filter(([table]) => table !== name));
    this.#line.send({ type: 'part', id: this.#mark(), table: name });
  }

  /** Asks something of a table: pending at once, resolved when the house has answered, whatever happens in between. */
  ask(name: string, command: Doing): Promise<Outcome> {
    const table = this.watch(name);
    const one: Pending = { id: this.#mark(), key: this.#key(), command, at: this.clock.now(), version: null };
    table.pending = [...table.pending, one];
    table.refused = null;
    this.#line.send(ask(name, one));
    return new Promise((resolve) => this.#answers.set(one.id, { table: name, resolve }));
  }

  say(name: string, text: string): Promise<Outcome> {
    const id = this.#mark();
    const sent = this.#line.send({ type: 'say', id, table: name, text });
    if (!sent) return Promise.resolve({ version: 0, refused: { code: 'Offline', numbers: {} } });
    return new Promise((resolve) => this.#answers.set(id, { table: name, resolve }));
  }

  send(message: Asked): boolean {
    return this.#line.send(message);
  }

  dismiss(notice: Notice): void {
    this.notices = this.notices.filter((one) => one !== notice);
  }

  hear(message: Told): void {
    switch (message.type) {
      case 'welcome':
        this.#welcomed(message);
        break;
      case 'table':
        this.clock.seen(message.now);
        this.tables.get(message.table)?.take(message);
        break;
      case 'step':
        this.clock.seen(message.now);
        this.#stepped(message);
        break;
      case 'answer':
        this.#answered(message);
        break;
      case 'said':
        this.#with(message.table, (table) => {
          table.said = [...table.said, message].slice(-SAID_KEPT);
        });
        break;
      case 'shoe':
        this.#with(message.table, (table) => {
          table.shoe = message;
        });
        void this.cut.asked(message, this.welcome?.player);
        break;
      case 'acknowledged':
        this.cut.acknowledged(message);
        break;
      case 'notice':
        this.#noticed(message);
        break;
      case 'ping':
        this.clock.seen(message.now);
        break;
      case 'fault':
        this.#faulted(message.about ?? '', { code: message.code, numbers: {} });
        break;
    }
  }

  #welcomed(message: Welcome): void {
    this.clock.seen(message.now);
    this.welcome = message;
    for (const table of this.tables.values()) {
      this.#join(table);
      for (const one of table.pending) if (one.version === null) this.#line.send(ask(table.table, one));
    }
  }

  #stepped(step: Step): void {
    const table = this.tables.get(step.table);
    const phase = table?.public?.phase;
    if (table && !table.follow(step) && !table.joining) this.#join(table);
    if (phase === 'round' && table?.public && table.public.phase !== 'round')
      void this.cut.settled(step.table, table.public.shoe, this.welcome?.player);
  }

  #answered(answer: AnswerMessage): void {
    if (answer.refused?.code === OPENING) {
      const waiting = this.tables.get(answer.table)?.pending.find((pending) => pending.id === answer.id);
      if (waiting) setTimeout(() => this.#line.send(ask(answer.table, waiting)), REJOIN_MS);
      return;
    }
    // whoever asked hears it before anything is drawn anew: what is no longer pending is then known to be done
    this.#resolve(answer.id, { version: answer.version, refused: answer.refused ?? null });
    this.#with(answer.table, (table) => {
      const one = table.pending.find((pending) => pending.id === answer.id);
      if (!one) return;
      if (answer.refused) {
        table.pending = table.pending.filter((pending) => pending !== one);
        table.refused = { command: one.command, reason: answer.refused };
      } else {
        table.pending = table.pending.map((pending) =>
          pending === one ? { ...one, version: answer.version } : pending,
        );
        table.settle();
      }
    });
  }

  #noticed(notice: Notice): void {
    this.notices = [...this.notices, notice].slice(-20);
    if (notice.kind === 'taken-over' || notice.kind === 'table-closed') {
      this.#with(notice.table ?? '', (table) => {
        table.closed = { code: notice.kind, numbers: notice.numbers ?? {} };
      });
    }
  }

  #faulted(id: string, reason: Reason): void {
    for (const table of this.tables.values()) {
      const one = table.pending.find((pending) => pending.id === id);
      if (!one) continue;
      table.pending = table.pending.filter((pending) => pending !== one);
      table.refused = { command: one.command, reason };
    }
    this.#resolve(id, { version: 0, refused: reason });
  }

  #resolve(id: string, outcome: Outcome): void {
    const waiting = this.#answers.get(id);
    this.#answers.delete(id);
    waiting?.resolve(outcome);
  }

  /** With the version one has, the missing steps come; without a view, the whole table. */
  #join(table: TableState): void {
    const id = this.#mark();
    table.joins += 1;
    table.joining = this.#line.send({
      type: 'join',
      id,
      table: table.table,
      version: table.public ? table.version : null,
    });
    this.#answers.set(id, {
      table: table.table,
      resolve: ({ refused }) => {
        table.joining = false;
        if (refused && refused.code === BUSY) setTimeout(() => this.#again(table), REJOIN_MS);
        else table.closed = refused;
      },
    });
  }

  /** The house was too busy to show it: once more, if it is still wanted and nobody else has asked meanwhile. */
  #again(table: TableState): void {
    if (this.tables.get(table.table) === table && this.line.is === 'open' && !table.joining) this.#join(table);
  }

  #with(name: string, act: (table: TableState) => void): void {
    const table = this.tables.get(name);
    if (table) act(table);
  }

  #mark(): string {
    return `m${this.#next++}`;
  }
}

const ask = (table: string, one: Pending): Asked => ({
  type: 'ask',
  id: one.id,
  table,
  key: one.key,
  command: one.command,
});
