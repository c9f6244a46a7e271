import { untrack } from 'svelte';
import type { BoxShown, Limited, SpotShown } from '../parts/table/shown';
import { router } from '../router.svelte';
import { api, Refused } from '../wire/api';
import { house } from '../wire/house.svelte';
import { person } from '../wire/person.svelte';
import { rulebook } from '../wire/rulebook.svelte';
import type { Outcome, TableState } from '../wire/store.svelte';
import { toasts, type Remedy } from '../wire/toasts.svelte';
import type { Bonus, Box, DecisionOption, Doing, Notice, PrivateView, PublicView, Reason } from '../wire/types';
import { briefly, why } from '../words/why';
import { brief, t, tempo } from '../words/words.svelte';
import { asked, firstChip, isFirstTurn, PendingChips } from './asked';
import { boxesShown, erasable, focusBox, nameSides, soloBox, spotName, tableSpot, type Marks } from './boxes';
import { isTouch } from './layout';
import { followPreferences } from './preferences.svelte';
import { rulesOf, type Rules } from './rules';
import { closedStatus, lineStatus, tableStatus, type TableStatus } from './status';
import { RevealQueue } from './queue.svelte';
import { closedViews, viewsOnFelt, type Views } from './views';

/** Something the house waits for, or takes before its time, from this player (V-54, V-56, V-29). */
export interface Question {
  box: number;
  kind: 'decision' | 'insurance' | 'early';
  behind: boolean;
}

/** What lies open over one table. */
export type Popup =
  | { is: 'bring'; box: number; then: 'sit' | 'behind' | null }
  | { is: 'behind'; box: number }
  | { is: 'seal' | 'sums' | 'limits' | 'confirm' | 'chat' };

/** A bonus that is played or has just been: its box and what is known of it. */
export interface Scene {
  box: Box;
  bonus: Bonus;
  stake: number;
  running: boolean;
}

const NOTE = 2_500;
const OFFLINE: Reason = { code: 'Offline', numbers: {} };
/** The refusal that more money at the table would help. */
const SHORT = 'FundsMissing';

type Word = Extract<Doing, { do: 'decide' }>['action'];

/** A decision that was sent, and the version it was made on. */
interface Decided {
  box: number;
  action: string;
  since: number;
  answer: Promise<Outcome>;
}

/**
 * One player at one table, shared or for one: what is shown of it now, and what can be done. It decides nothing: it
 * asks the house. What a table has (seats or fixed hands, a clock, bets behind, a bonus, a duel) is in its `rules`.
 */
export class TableSession {
  readonly name: string;
  /** The chip in hand, in cents. */
  chip = $state(0);
  /** The same chip on all of one's seats (V-48). */
  everywhere = $state(true);
  /** The own box one looks at; 0 where the house's question decides it. */
  looked = $state(0);
  /** The hand one looks at on a small screen, and the one that keys bet on. */
  focus = $state(0);
  /** The chip that takes away instead of adding (S-14). */
  erasing = $state(false);
  /** The code of the round that was put away to bet anew. */
  away = $state('');
  /** From what the house has told to what is on the screen: card by card. */
  readonly queue = new RevealQueue();
  /** Without the line nothing can be asked: every key is closed and says so, instead of promising. */
  readonly #reachable: Views | null = $derived.by(() => {
    const felt = this.queue.shown;
    return felt && house.isCut ? closedViews(felt) : felt;
  });
  popup = $state.raw<Popup | null>(null);
  #refused = $state.raw<ReadonlyMap<string, Reason>>(new Map());
  /** What the tools of the page do, by name. */
  readonly openTool: (tool: string) => void;
  /** The box whose bonus was spun here and is still looked at. */
  #watched = $state(0);
  /** How often the table was joined when its last state came. */
  #joined = 0;
  readonly #chips = new PendingChips();
  #last: Decided | undefined;
  /** The version that the last decision made, once the house has answered it. */
  #made = $state(0);
  /** A decision that waits for the answer to the last one. */
  #next = $state.raw<{ box: number; action: string } | null>(null);
  #unfollow: (() => void) | undefined;

  readonly table: TableState | undefined = $derived.by(() => house.tables.get(this.name));
  readonly rules: Rules | null = $derived.by(() => {
    const open = this.table?.public;
    const game = open && rulebook.of(open.game, open.sheet);
    return game ? rulesOf(game) : null;
  });
  readonly marks: Marks = $derived.by(() => ({
    pending: this.#chips.missing(this.#waiting(), this.shown?.mine.bets ?? [], this.table?.mine?.options.spots ?? []),
    refused: this.#refused,
    chip: this.chip,
  }));
  /** Nothing is shown or told of other players (V-61). */
  readonly calm: boolean = $derived.by(() => (this.rules?.focus ?? false) && (person.settings?.general.focus ?? false));
  readonly boxes: BoxShown[] = $derived.by(() => {
    const { shown, rules, erasing } = this;
    if (!shown || !rules) return [];
    const boxes = boxesShown(shown.open, shown.mine, rules.boxes, this.marks, rules.sides).map((box) =>
      nameSides(box, rules),
    );
    if (rules.solo) return boxes.map((box) => soloBox(box, rules, erasing));
    return this.calm ? boxes.map(focusBox) : boxes;
  });
  readonly tableSpots: SpotShown[] = $derived.by(() => {
    const [views, pending] = [this.shown, this.marks.pending];
    if (!views) return [];
    const spots = this.rules?.tableBets.map((bet) => tableSpot(views, bet, pending.get(spotName(0, bet)) ?? 0)) ?? [];
    return this.erasing ? spots.map(erasable) : spots;
  });
  readonly own: number[] = $derived.by(
    () =>
      this.shown?.open.seats.filter((seat) => seat.player === this.shown?.mine.player).map((seat) => seat.box) ?? [],
  );
  readonly questions: Question[] = $derived.by(() => (this.queue.shown ? asked(this.queue.shown) : []));
  readonly question: Question | null = $derived.by(
    () => this.questions.find((one) => one.box === this.looked) ?? this.questions[0] ?? null,
  );
  readonly time: Limited | null = $derived.by(() => (this.rules?.solo ? null : this.queue.time));
  readonly notices: Notice[] = $derived.by(() =>
    house.notices.filter((notice) => notice.table === this.name || !notice.table),
  );
  readonly voided: Notice | null = $derived.by(() => this.notices.findLast(({ kind }) => kind === 'voided') ?? null);
  /** What lies over the table because it, or the line to the house, does not go on. */
  readonly status: TableStatus | null = $derived.by(
    () =>
      closedStatus(this.table?.closed ?? null) ??
      lineStatus(house.line, house.welcome !== null) ??
      tableStatus(this.shown?.open, this.voided),
  );
  /** Whether free seats can be taken here. */
  readonly seatsOpen: boolean = $derived.by(() => {
    const open = this.shown?.open;
    return !this.rules?.solo && open?.phase !== 'closed' && !open?.closing && house.line.is === 'open';
  });
  /** The chip that a press adds; none while what lies there is taken away. */
  readonly added: number = $derived.by(() => (this.erasing ? 0 : this.chip));
  /** Of a table for one: the hand in turn, else the one looked at, else the middle one. */
  readonly at: number = $derived.by(() => {
    const open = this.shown?.open;
    const asked = open?.phase === 'round' ? (open.turn?.box ?? this.question?.box) : undefined;
    return asked ?? (this.focus || this.#middle);
  });
  /** The limits of the main bet as a small screen prints them, those of the player (S-09, D-05, L-05). */
  readonly printed: string = $derived.by(() => {
    const { rules } = this;
    const main = this.shown?.mine.limits.main ?? rules?.limits.main;
    if (rules?.total) return rules.text;
    return main ? t('solo.range', { least: brief(main.least), most: brief(main.most) }) : '';
  });
  readonly scene: Scene | null = $derived.by(() => {
    const [open, shown, rules] = [this.table?.public, this.shown?.open, this.rules?.bonus];
    const running = shown?.phase === 'round' && shown.turn?.hand === 0 ? shown.turn.box : 0;
    const box = open?.boxes.find((one) => one.box === (this.#watched || running));
    if (!box?.bonus || !rules) return null;
    const stake = box.sides.find((side) => side.bet === rules.bet)?.stake ?? 0;
    return { box, bonus: box.bonus, stake, running: open?.turn?.hand === 0 && open.turn.box === box.box };
  });
  /** Whether money of this player lies at the table: before, he watches. */
  readonly plays: boolean = $derived.by(() => Boolean(this.shown && Object.keys(this.shown.mine.limits).length));
  /** Tools on their way to the house. */
  readonly pendingTools: string[] = $derived.by(() =>
    this.#waiting().map((one) => (one.do === 'repeat' && one.times === 2 ? 'repeat-double' : one.do)),
  );

  constructor(name: string, openTool: (tool: string) => void) {
    this.name = name;
    this.openTool = openTool;
  }

  /** What is on the screen: one of the states that the queue plays. */
  get shown(): Views | null {
    return this.#reachable;
  }

  /** The last round as it was paid. */
  get paid(): Views | null {
    return this.queue.paid;
  }

  get #middle(): number {
    return Math.ceil((this.rules?.boxes ?? 1) / 2);
  }

  /** Follows the table until the end, whether it is on the screen or a tab away. */
  attend(): this {
    this.#unfollow = $effect.root(() => {
      $effect(() => {
        const [open, mine, rules] = [this.table?.public, this.table?.mine, this.rules];
        void [this.away, this.table?.joins];
        if (open && mine && rules) untrack(() => this.#follow(open, mine, rules.solo));
      });
      followPreferences(this);
      $effect(() => {
        const hidden = (): void => {
          if (document.hidden) this.queue.finish();
        };
        document.addEventListener('visibilitychange', hidden);
        return () => document.removeEventListener('visibilitychange', hidden);
      });
    });
    return this;
  }

  /** With every new state of the table; one that does not follow from the last is shown at once. */
  #follow(open: PublicView, mine: PrivateView, solo: boolean): void {
    const joins = this.table?.joins ?? 0;
    const jumps = joins !== this.#joined || document.hidden;
    this.#joined = joins;
    const version = this.table?.version ?? 0;
    const age = house.clock.now() - (this.table?.told ?? 0);
    this.queue.push(viewsOnFelt(open, mine, solo, this.away), { version, jumps, tempo: tempo(), age });
    if (this.#watched && !this.scene) this.leaveScene();
    if (!this.chip && mine.chips.length) this.chip = firstChip(mine, person.settings?.game.chip, solo);
  }

  end(): void {
    this.queue.end();
    this.#unfollow?.();
  }

  /** Said at once to who presses what is not drawn as a closed key. */
  #isCut(): boolean {
    if (house.isCut) this.#tell(OFFLINE);
    return house.isCut;
  }

  async ask(command: Doing): Promise<boolean> {
    if (this.#isCut()) return false;
    this.#chips.note(command, this.#waiting(), this.table?.mine?.bets ?? []);
    const { refused } = await house.ask(this.name, command);
    if (refused) this.#refusal(command, refused);
    return refused === null;
  }

  /** What the button of the status does. */
  act(): void {
    const act = this.status?.act;
    if (act === 'hurry') house.hurry();
    else if (act === 'rejoin') {
      house.unwatch(this.name);
      house.start();
      house.watch(this.name);
    } else if (act === 'help') this.openTool('safe');
    else router.go('/');
  }

  /** A free seat; who has no money at the table is asked to bring some first. */
  sit(box: number): void {
    if (this.#isCut()) return;
    if (this.plays) void this.ask({ do: 'sit', box });
    else this.popup = { is: 'bring', box, then: 'sit' };
  }

  /** Who was warned says that he is there, and keeps his seats (V-42). */
  stay(): void {
    for (const box of this.shown?.mine.warned ?? []) void this.ask({ do: 'stay', box });
  }

  stand(box: number): void {
    void this.ask({ do: 'stand-up', box });
  }

  /** The chip in hand behind another's box, at once; what it follows is as in the profile, and asked beside it. */
  betBehind(box: number): void {
    this.popup = this.plays ? { is: 'behind', box } : { is: 'bring', box, then: 'behind' };
    if (this.plays && this.#isOpen(box, 'behind')) void this.#putBehind(box);
  }

  async #putBehind(box: number): Promise<void> {
    const wish = person.settings?.bet_behind;
    const [double, split] = [wish?.follow_double ?? false, wish?.follow_split ?? false];
    const lies = this.shown?.mine.bets.some((one) => one.box === box && one.bet === 'behind');
    if (!lies && !(await this.ask({ do: 'follow', box, double, split }))) return;
    await this.ask({ do: 'bet', spots: [{ box, bet: 'behind' }], amount: this.chip, exact: false });
  }

  bring(): void {
    if (this.#isCut()) return;
    this.popup = { is: 'bring', box: 0, then: null };
  }

  /** What a press on an own box does that is asked too, but not looked at; undefined where there is nothing to do. */
  turnTo(box: number): (() => void) | undefined {
    if (this.rules?.solo || this.question?.box === box || !this.questions.some((one) => one.box === box))
      return undefined;
    return () => (this.looked = box);
  }

  /**
   * A chip on a spot, and on the same spot of one's other seats where the device does so; SHIFT turns that round. With
   * the chip that takes away, all that lies there goes.
   */
  place(box: number, bet: string, event?: MouseEvent): void {
    if (box) this.focus = box;
    if (this.erasing) {
      const lies = this.table?.mine?.bets.some((one) => one.box === box && one.bet === bet);
      if (lies) void this.ask({ do: 'remove', spot: { box, bet }, amount: 0 });
      return;
    }
    const spreads = this.everywhere !== (event?.shiftKey ?? false) && (bet === 'main' || isTouch());
    const boxes = this.rules?.solo || !spreads ? [box] : this.own;
    const spots = boxes.filter((one) => one === box || this.#isOpen(one, bet)).map((one) => ({ box: one, bet }));
    void this.ask({ do: 'bet', spots, amount: this.chip, exact: false });
  }

  remove(box: number, bet: string): void {
    if (this.shown?.mine.bets.some((one) => one.box === box && one.bet === bet))
      void this.ask({ do: 'remove', spot: { box, bet }, amount: this.chip });
  }

  /** The bets of the last round again, and the cards (S-15, D-17, L-16). */
  async again(times: 1 | 2): Promise<void> {
    if (await this.ask({ do: 'repeat', times })) await this.ask({ do: 'deal' });
  }

  /** What is missing is deposited first, in play money; then the rest is done. A refusal becomes a notice. */
  async deposit(missing: number, then: () => Promise<void>): Promise<void> {
    try {
      if (missing) await api.deposit(missing);
      await then();
    } catch (fault) {
      toasts.add(fault instanceof Refused ? why(fault.trouble) : t('face.gone'), 'bad');
    } finally {
      void person.refresh().catch(() => {});
    }
  }

  /** The felt is cleared for a new bet (D-17). */
  putAway(): void {
    this.away = this.shown?.open.code ?? '';
  }

  /** SPIN: the house draws now; what is shown afterwards changes nothing. */
  async spin(): Promise<boolean> {
    const scene = this.scene;
    if (!scene?.running) return false;
    this.#watched = scene.box.box;
    this.queue.hold();
    return this.ask({ do: scene.bonus.segment ? 'spin-board' : 'spin-wheel', box: scene.box.box });
  }

  leaveScene(): void {
    this.#watched = 0;
    this.queue.release();
  }

  /** A press on a tool; at a shared table who asked for it in his profile confirms before the cards are dealt. */
  press(name: string): void {
    const confirms = !this.rules?.solo && person.settings?.game.confirm_deal;
    if (name === 'deal' && confirms) this.popup = { is: 'confirm' };
    else this.tool(name);
  }

  tool(name: string): void {
    if (name === 'undo' || name === 'clear' || name === 'double' || name === 'deal') void this.ask({ do: name });
    if (name === 'repeat') void this.ask({ do: 'repeat', times: 1 });
    if (name === 'repeat-double') void this.ask({ do: 'repeat', times: 2 });
  }

  /** An answer to the question one looks at; the same early decision again takes it back. */
  decide(action: string, question: Question | null = this.question): void {
    if (!question) return;
    const box = question.box;
    const word = action as Word;
    if (question.kind === 'early') {
      const booked = this.shown?.mine.boxes.find((one) => one.box === box)?.early === action;
      if (booked) void this.ask({ do: 'decide-early', box, action: null });
      else void this.#decideEarly(box, word);
    } else void this.#inTurn(box, { do: 'decide', box, action: word });
  }

  /** Pressed early, heard when the turn has come: it is the decision of that turn (V-54). */
  async #decideEarly(box: number, action: Word): Promise<void> {
    if (this.#isCut()) return;
    const command = { do: 'decide-early', box, action } as const;
    const { refused } = await house.ask(this.name, command);
    if (refused && isFirstTurn(this.table, box)) await this.#inTurn(box, { do: 'decide', box, action });
    else if (refused) this.#refusal(command, refused);
  }

  decideAll(action: 'insure' | 'decline'): void {
    void this.#inTurn(this.question?.box ?? 0, { do: 'decide-all', action });
  }

  /**
   * One decision at a time: it may change what the next one would be. Who already saw what the last one did is only
   * ahead of its answer, and is heard after it; who could not have seen it is told so.
   */
  async #inTurn(box: number, command: Doing): Promise<void> {
    if (this.#isCut()) return;
    const [seen, last] = [this.queue.version, this.#last];
    const action = command.do === 'decide' || command.do === 'decide-all' ? command.action : '';
    if (this.pendingAt(box) !== null && last) {
      const blind = seen === last.since || (await this.#afterAnswer(last, { box, action })) > seen;
      if (blind || this.#last !== last) return this.#tell({ code: 'StillAsked', numbers: {} });
    }
    const answer = house.ask(this.name, command);
    const asked = { box, action, since: seen, answer };
    [this.#last, this.#made] = [asked, 0];
    const { refused, version } = await answer;
    if (!refused && this.#last === asked) this.#made = version;
    if (refused) this.#refusal(command, refused);
  }

  /** The version that the last decision made; until it is told, the next one stands as asked. */
  async #afterAnswer(last: Decided, next: { box: number; action: string }): Promise<number> {
    this.#next = next;
    try {
      return (await last.answer).version;
    } finally {
      this.#next = null;
    }
  }

  /** The decision at a box of which not all is shown yet. */
  pendingAt(box: number): string | null {
    if (this.#next?.box === box) return this.#next.action;
    for (const one of this.#waiting()) {
      if (one.do === 'decide' && one.box === box) return one.action;
      if (one.do === 'decide-all') return one.action;
      if (one.do === 'decide-early' && one.box === box) return one.action;
    }
    const last = this.#last;
    return this.queue.running && last?.box === box && this.#made > this.queue.version ? last.action : null;
  }

  /** A decision at a box as the house has it now. */
  option(box: number | undefined, action: string): DecisionOption | undefined {
    return this.shown?.mine.options.decisions.find((one) => one.box === box && one.action === action);
  }

  #tell(reason: Reason): void {
    toasts.add(why(reason), 'bad', false, reason.code === SHORT ? this.#remedy : null);
  }

  /** Where money is missing a notice has the button that brings some (V-44). */
  get #remedy(): Remedy | null {
    return this.shown?.open.practice ? null : { label: t('solo.add-money'), run: () => this.bring() };
  }

  /** A chip the balance does not cover. */
  tellShort(reason: string): void {
    toasts.add(reason, 'bad', false, this.#remedy);
  }

  /** Why a circle is closed. */
  tellClosed(reasons: readonly Reason[]): void {
    for (const reason of reasons) this.#tell(reason);
  }

  /** Why a key is closed, as it is written on it. */
  explain(texts: readonly string[]): void {
    const options = this.shown?.mine.options;
    const short = [options?.decisions, options?.early, Object.values(options?.betting ?? {})]
      .flatMap((some) => some ?? [])
      .flatMap((one) => one.reasons)
      .filter((reason) => reason.code === SHORT)
      .flatMap((reason) => [why(reason), briefly(reason)]);
    for (const text of texts) toasts.add(text, 'plain', false, short.includes(text) ? this.#remedy : null);
  }

  #waiting(): Doing[] {
    return this.table?.pending.map((one) => one.command) ?? [];
  }

  #isOpen(box: number, bet: string): boolean {
    return (
      this.shown?.mine.options.spots.some((one) => one.box === box && one.bet === bet && one.price !== null) ?? false
    );
  }

  #refusal(command: Doing, reason: Reason): void {
    if (command.do === 'bet' && reason.code === 'LimitReached') {
      const names = command.spots.map(({ box, bet }) => spotName(box, bet));
      this.#refused = new Map([...this.#refused, ...names.map((name) => [name, reason] as const)]);
      setTimeout(() => {
        this.#refused = new Map([...this.#refused].filter(([name]) => !names.includes(name)));
      }, NOTE);
    } else this.#tell(reason);
  }
}
