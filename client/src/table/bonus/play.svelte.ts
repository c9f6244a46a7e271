import { audio } from '../../sound/audio.svelte';
import type { Sound } from '../../sound/sounds';
import type { Bonus } from '../../wire/types';
import { still } from '../../words/words.svelte';
import type { BonusRules } from '../rules';
import type { Scene, TableSession } from '../session.svelte';
import { boardAt, boardNow, boardRun, LIT, type BoardRun, type BoardShown } from './timeline';

/**
 * One bonus on the screen: where its scene stands and what of it is shown. It draws nothing, decides nothing; what it
 * shows lags behind the house by the timeline and can be skipped (L-21…L-31).
 */
export class BonusPlay {
  /** `wheel`: before or during the turn. `slice`: it stands, its slice is lit. `result`: told. `board`: its cells. */
  step = $state<'wheel' | 'slice' | 'result' | 'board'>('wheel');
  busy = $state(false);
  /** A spin of the board is being shown. */
  rolling = $state(false);
  shown = $state.raw<BoardShown>()!;
  /** All that is won so far: what a new prize adds counts when its cell lies. */
  counted = $state(0);
  readonly #session: TableSession;
  readonly #rules: BonusRules;
  #seen: Bonus;
  #run: BoardRun | null = null;
  #began = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(session: TableSession, scene: Scene, rules: BonusRules) {
    this.#session = session;
    this.#rules = rules;
    this.#seen = scene.bonus;
    this.#board(boardNow(rules, scene.bonus));
    if (scene.bonus.segment in rules.boards) this.step = 'board';
  }

  get isOver(): boolean {
    return this.step === 'board' && this.shown.prize !== null && !this.rolling;
  }

  /** What the house has drawn meanwhile. */
  follow(bonus: Bonus): void {
    if (bonus === this.#seen) return;
    const before = this.#seen;
    this.#seen = bonus;
    if (this.step !== 'board') return;
    if (!this.busy || still()) this.#stand();
    else {
      this.#run = boardRun(this.#rules, before, bonus);
      this.#began = performance.now();
      this.rolling = true;
      this.#show();
    }
  }

  /** The wheel stands: its slice is lit for a moment before the result is told. */
  stopped(): void {
    if (this.step !== 'wheel') return;
    if (still()) {
      this.step = 'result';
      return;
    }
    this.step = 'slice';
    audio.play(this.#seen.segment in this.#rules.boards ? 'great' : 'win');
    this.#timer = setTimeout(() => {
      this.step = 'result';
    }, LIT);
  }

  async spin(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    await this.#session.spin();
    this.busy = false;
  }

  /** Straight to the end of a spin of the board. */
  skip(): void {
    if (this.rolling) this.#stand();
  }

  go(): void {
    if (this.step === 'result' && this.#seen.segment in this.#rules.boards) {
      this.#board(boardNow(this.#rules, this.#seen));
      this.step = 'board';
    } else this.#session.leaveScene();
  }

  /** The new cell lies. */
  landed(): void {
    this.counted = this.shown.total;
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  /** Where a cell is still on its way, only what lay before it counts: it is drawn later on a slow machine. */
  #board(now: BoardShown): void {
    const before = this.shown as BoardShown | undefined;
    this.shown = now;
    this.counted = now.fresh >= 0 && before && !still() ? before.total : now.total;
  }

  #stand(): void {
    clearTimeout(this.#timer);
    this.#run = null;
    this.rolling = false;
    const before = this.shown;
    const now = boardNow(this.#rules, this.#seen);
    this.#board({ ...now, fresh: now.cells.findLastIndex((cell, at) => cell > 0 && !before.cells[at]) });
  }

  /** The step that is due, and a timer for the next. */
  #show(): void {
    const run = this.#run;
    if (!run) return;
    const time = performance.now() - this.#began;
    const [before, now] = [this.shown, boardAt(run, time)];
    if (before !== now) {
      this.#board(now);
      const sound = soundOf(before, now);
      if (sound) audio.play(sound);
    }
    const next = run.steps.find((step) => step.at > time);
    if (next) this.#timer = setTimeout(() => this.#show(), next.at - time);
    else {
      this.#run = null;
      this.rolling = false;
    }
  }
}

/** What is heard when a board goes from one step to the next. */
function soundOf(before: BoardShown, now: BoardShown): Sound | null {
  if (now.prize !== null && before.prize === null) return 'win';
  if (now.diamonds.length > before.diamonds.length) return 'great';
  if (now.flying >= 0 && now.flying !== before.flying) return 'multiply';
  return now.fresh >= 0 && now.cells !== before.cells ? 'lock' : null;
}
