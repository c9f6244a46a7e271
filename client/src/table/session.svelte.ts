import { untrack } from 'svelte';
import type { Marks } from './boxes';
import { boxesShown, spotName } from './boxes';
import { rulesOf, type Rules } from './rules';
import { heldBack, swept, type Views } from './views';
import type { BoxShown, Limited } from '../parts/table/shown';
import { house } from '../wire/house.svelte';
import { person } from '../wire/person.svelte';
import { rulebook } from '../wire/rulebook.svelte';
import type { Outcome, TableState } from '../wire/store.svelte';
import type { Doing, PrivateView, PublicView, Reason } from '../wire/types';
import { still } from '../words/words.svelte';
import { heed } from './preferences.svelte';

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
  | { is: 'seal' | 'sums' | 'limits' | 'confirm' };

const NOTE = 2_500;
type Told = (reason: Reason) => void;

/** One player at one table: what is shown of it now, and what can be done. It decides nothing: it asks the house. */
export class Play {
  readonly name: string;
  /** The chip in hand, in cents. */
  chip = $state(0);
  /** The same chip on all of one's seats (V-48). */
  everywhere = $state(true);
  /** The own box one looks at; 0 where the house's question decides it. */
  looked = $state(0);
  /** What is on the screen: behind what is known for as long as the dealer draws. */
  shown = $state.raw<Views | null>(null);
  popup = $state.raw<Popup | null>(null);
  #refused = $state.raw<ReadonlyMap<string, Reason>>(new Map());
  #refusedTold: Told;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The last decision, and the version it was made on. */
  #last: { since: number; answer: Promise<Outcome> } | undefined;
  #unfollow: (() => void) | undefined;

  readonly table: TableState | undefined = $derived.by(() => house.tables.get(this.name));
  readonly rules: Rules | null = $derived.by(() => {
    const open = this.table?.public;
    const game = open && rulebook.of(open.game, open.sheet);
    return game ? rulesOf(game) : null;
  });
  readonly marks: Marks = $derived.by(() => ({ pending: this.#pendingSpots(), refused: this.#refused }));
  readonly boxes: BoxShown[] = $derived.by(() =>
    this.shown && this.rules ? boxesShown(this.shown.open, this.shown.mine, this.rules.boxes, this.marks) : [],
  );
  readonly own: number[] = $derived.by(
    () =>
      this.shown?.open.seats.filter((seat) => seat.player === this.shown?.mine.player).map((seat) => seat.box) ?? [],
  );
  readonly questions: Question[] = $derived.by(() => (this.shown ? asked(this.shown) : []));
  readonly question: Question | null = $derived.by(
    () => this.questions.find((one) => one.box === this.looked) ?? this.questions[0] ?? null,
  );
  readonly time: Limited | null = $derived.by(() => {
    const deadline = this.table?.public?.deadline;
    return deadline == null ? null : { deadline, span: this.table?.span ?? 1 };
  });
  /** Whether money of this player lies at the table: before, he watches. */
  readonly plays: boolean = $derived.by(() => Boolean(this.shown && Object.keys(this.shown.mine.limits).length));
  /** Tools on their way to the house. */
  readonly pendingTools: string[] = $derived.by(() =>
    this.#waiting().map((one) => (one.do === 'repeat' && one.times === 2 ? 'repeat-double' : one.do)),
  );
  /** The last round as it was paid, for as long as it is worth showing. */
  paid = $state.raw<Views | null>(null);

  constructor(name: string, refused: Told) {
    this.name = name;
    this.#refusedTold = refused;
  }

  /** Follows the table until the end, whether it is on the screen or a tab away. */
  attend(): this {
    this.#unfollow = $effect.root(() => {
      $effect(() => {
        const [open, mine] = [this.table?.public ?? null, this.table?.mine ?? null];
        untrack(() => this.#follow(open, mine));
      });
      heed(this);
    });
    return this;
  }

  /** With every new state of the table; cuts where one wants no motion. */
  #follow(open: PublicView | null, mine: PrivateView | null): void {
    clearTimeout(this.#timer);
    if (!open || !mine) return;
    const next = { open: swept(open), mine };
    const [first, wait] = this.shown && !still() ? heldBack(this.shown, next) : [next, 0];
    this.#show(first);
    if (wait) this.#timer = setTimeout(() => this.#show(next), wait);
    if (!this.chip && mine.chips.length) this.chip = firstChip(mine, person.settings?.game.chip);
  }

  #show(views: Views): void {
    if (views.open.phase === 'results' && views.open.lines.length) this.paid = views;
    this.shown = views;
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#unfollow?.();
  }

  async ask(command: Doing): Promise<boolean> {
    const { refused } = await house.ask(this.name, command);
    if (refused) this.#refusal(command, refused);
    return refused === null;
  }

  /** A chip on a spot, and on the same spot of one's other seats where the device does so; `alone` turns that round. */
  place(box: number, bet: string, alone: boolean, touch: boolean): void {
    const all = this.everywhere !== alone && (bet === 'main' || touch);
    const spots = (all ? this.own : [box]).filter((one) => one === box || this.#isOpen(one, bet));
    void this.ask({ do: 'bet', spots: spots.map((one) => ({ box: one, bet })), amount: this.chip, exact: false });
  }

  remove(box: number, bet: string): void {
    if (this.shown?.mine.bets.some((one) => one.box === box && one.bet === bet))
      void this.ask({ do: 'remove', spot: { box, bet }, amount: this.chip });
  }

  /** A press on a tool; who has asked for it in his profile confirms before the cards are dealt. */
  press(name: string): void {
    if (name === 'deal' && person.settings?.game.confirm_deal) this.popup = { is: 'confirm' };
    else this.tool(name);
  }

  tool(name: string): void {
    switch (name) {
      case 'undo':
      case 'clear':
      case 'double':
      case 'deal':
        void this.ask({ do: name });
        break;
      case 'repeat':
        void this.ask({ do: 'repeat', times: 1 });
        break;
      case 'repeat-double':
        void this.ask({ do: 'repeat', times: 2 });
        break;
    }
  }

  /** An answer to the question one looks at; the same early decision again takes it back. */
  decide(action: string, question: Question | null = this.question): void {
    if (!question) return;
    const box = question.box;
    const word = action as Extract<Doing, { do: 'decide' }>['action'];
    if (question.kind === 'early') {
      const booked = this.shown?.mine.boxes.find((one) => one.box === box)?.early === action;
      void this.ask({ do: 'decide-early', box, action: booked ? null : word });
    } else void this.#inTurn(box, { do: 'decide', box, action: word });
  }

  decideAll(action: 'insure' | 'decline'): void {
    void this.#inTurn(this.question?.box ?? 0, { do: 'decide-all', action });
  }

  /**
   * One decision at a time: it may change what the next one would be. Who already saw what the last one did is only
   * ahead of its answer, and is heard after it; who could not have seen it is told so.
   */
  async #inTurn(box: number, command: Doing): Promise<void> {
    const [seen, last] = [this.table?.version ?? 0, this.#last];
    if (this.pendingAt(box) !== null && last) {
      const blind = seen === last.since || (await last.answer).version > seen || this.#last !== last;
      if (blind) return this.#refusedTold({ code: 'StillAsked', numbers: {} });
    }
    const answer = house.ask(this.name, command);
    this.#last = { since: seen, answer };
    const { refused } = await answer;
    if (refused) this.#refusal(command, refused);
  }

  /** The decision at a box that the house has not shown yet. */
  pendingAt(box: number): string | null {
    for (const one of this.#waiting()) {
      if (one.do === 'decide' && one.box === box) return one.action;
      if (one.do === 'decide-all') return one.action;
      if (one.do === 'decide-early' && one.box === box) return one.action;
    }
    return null;
  }

  optionsAt(bet: string): boolean {
    return this.shown?.mine.options.spots.some((one) => one.bet === bet && one.price !== null) ?? false;
  }

  #waiting(): Doing[] {
    return this.table?.pending.map((one) => one.command) ?? [];
  }

  #isOpen(box: number, bet: string): boolean {
    return (
      this.shown?.mine.options.spots.some((one) => one.box === box && one.bet === bet && one.price !== null) ?? false
    );
  }

  /** Chips on their way, never more than a spot still takes. */
  #pendingSpots(): Map<string, number> {
    const found = new Map<string, number>();
    for (const one of this.#waiting()) {
      if (one.do !== 'bet') continue;
      for (const { box, bet } of one.spots) {
        const room =
          this.table?.mine?.options.spots.find((option) => option.box === box && option.bet === bet)?.price ?? 0;
        const name = spotName(box, bet);
        found.set(name, Math.min(room, (found.get(name) ?? 0) + one.amount));
      }
    }
    return found;
  }

  #refusal(command: Doing, reason: Reason): void {
    if (command.do === 'bet' && reason.code === 'LimitReached') {
      const names = command.spots.map(({ box, bet }) => spotName(box, bet));
      this.#refused = new Map([...this.#refused, ...names.map((name) => [name, reason] as const)]);
      setTimeout(() => {
        this.#refused = new Map([...this.#refused].filter(([name]) => !names.includes(name)));
      }, NOTE);
    } else this.#refusedTold(reason);
  }
}

/** Everything the house would take an answer to, the running turn first. */
function asked({ open, mine }: Views): Question[] {
  if (open.phase !== 'round') return [];
  const found: Question[] = [];
  const own = (box: number): boolean => open.boxes.some((one) => one.box === box && one.player === mine.player);
  for (const option of mine.options.decisions) {
    if (option.price === null || found.some((one) => one.box === option.box)) continue;
    found.push({
      box: option.box,
      kind: open.stage === 'insurance' ? 'insurance' : 'decision',
      behind: !own(option.box),
    });
  }
  for (const option of mine.options.early) {
    if (option.price === null || found.some((one) => one.box === option.box)) continue;
    found.push({ box: option.box, kind: 'early', behind: false });
  }
  return found;
}

/** The chip of the profile, where this table has it and the balance covers it; else the smallest. */
const firstChip = (mine: PrivateView, wished: number | undefined): number =>
  (mine.chips.find((chip) => chip.value === wished && chip.enabled) ?? mine.chips[0])?.value ?? 0;
