import type { BoxShown, SpotShown } from '../parts/table/shown';
import { alone, erasable, handBox, soloRules, tableSpot, type SoloRules } from './alone';
import { heldBack, type Views } from './views';
import { spotName } from './boxes';
import { person } from '../wire/person.svelte';
import { rulebook } from '../wire/rulebook.svelte';
import type { Bonus, Box, Reason } from '../wire/types';
import { decimal } from './figures';
import { brief, cash, still, t } from '../words/words.svelte';
import { Play } from './session.svelte';
import { lookOf, type Look } from './looks';

/** A bonus that is played or has just been: its box and what is known of it. */
export interface Scene {
  box: Box;
  bonus: Bonus;
  stake: number;
  running: boolean;
}

/**
 * One player at a table for one. It adds to `Play` what no live table has: all hands one's own, rounds on demand, the
 * bonus.
 */
export class Solo {
  readonly play: Play;
  /** The hand one looks at on a small screen, and the one that keys bet on. */
  focus = $state(0);
  /** The chip that takes away instead of adding (S-14). */
  erasing = $state(false);
  /** The code of the round that was put away to bet anew. */
  away = $state('');
  /** The box whose bonus was spun here and is still looked at. */
  #watched = $state(0);
  #latest: Views | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly rules: SoloRules | null = $derived.by(() => {
    const open = this.play.table?.public;
    const game = open && rulebook.of(open.game, open.sheet);
    return game ? soloRules(game) : null;
  });
  readonly look: Look = $derived.by(() => {
    const open = this.play.table?.public;
    return lookOf(open && rulebook.of(open.game, open.sheet)?.looks);
  });
  /** The lettering on the felt; where a payout is told as all that comes back, so is Blackjack (S-09, S-31). */
  readonly felt: { title: string; text: string } = $derived.by(() => {
    const [rules, main] = [this.rules, this.rules?.limits.main];
    if (!rules?.total || !main || !rules.natural)
      return { title: this.play.rules?.title ?? '', text: this.play.rules?.text ?? '' };
    const text = [
      t('solo.range', { least: main.least, most: main.most }),
      rules.cap ? t('solo.cap', { amount: cash(rules.cap) }) : '',
    ];
    return { title: t('solo.natural', { times: decimal(rules.natural) }), text: text.filter(Boolean).join('\u00a0· ') };
  });
  /** The limits of the main bet as a small screen prints them, those of the player (S-09, D-05, L-05). */
  readonly printed: string = $derived.by(() => {
    const main = this.play.shown?.mine.limits.main ?? this.rules?.limits.main;
    return this.rules?.total
      ? this.felt.text
      : main
        ? t('solo.range', { least: brief(main.least), most: brief(main.most) })
        : '';
  });
  /** The chip that a press adds; none while what lies there is taken away. */
  readonly chip: number = $derived.by(() => (this.erasing ? 0 : this.play.chip));
  readonly boxes: BoxShown[] = $derived.by(() => {
    const [rules, erasing] = [this.rules, this.erasing];
    const boxes = rules
      ? this.play.boxes.map((box) => handBox(box, rules, (number) => t(this.look.hand, { box: number })))
      : [];
    return erasing ? boxes.map((box) => ({ ...box, main: erasable(box.main), sides: box.sides.map(erasable) })) : boxes;
  });
  readonly tableSpots: SpotShown[] = $derived.by(() => {
    const [views, pending] = [this.play.shown, this.play.marks.pending];
    const spots =
      views && this.rules
        ? this.rules.tableBets.map((bet) => tableSpot(views, bet, pending.get(spotName(0, bet)) ?? 0))
        : [];
    return this.erasing ? spots.map(erasable) : spots;
  });
  /** The hand in turn, else the one looked at, else the middle one. */
  readonly at: number = $derived.by(() => {
    const open = this.play.shown?.open;
    const asked = open?.phase === 'round' ? (open.turn?.box ?? this.play.question?.box) : undefined;
    return asked ?? (this.focus || Math.ceil((this.play.rules?.boxes ?? 1) / 2));
  });
  readonly scene: Scene | null = $derived.by(() => {
    const open = this.play.table?.public;
    const running = open?.phase === 'round' && open.turn?.hand === 0 ? open.turn.box : 0;
    const box = open?.boxes.find((one) => one.box === (this.#watched || running));
    if (!box?.bonus || !this.rules?.bonus) return null;
    const stake = box.sides.find((side) => side.bet === this.rules?.bonus?.bet)?.stake ?? 0;
    return { box, bonus: box.bonus, stake, running: running === box.box };
  });

  constructor(name: string, refused: (reason: Reason) => void) {
    this.play = new Play(name, refused);
    this.play.everywhere = false;
  }

  /**
   * Called with every new state of the table. The dealer's cards are shown one by one before the round is told as paid.
   */
  follow(): void {
    const [open, mine] = [this.play.table?.public, this.play.table?.mine];
    if (!open || !mine) return;
    const next = alone(open, mine, this.away);
    if (this.#timer !== undefined && next.open.phase === 'results' && next.open.code === this.play.shown?.open.code) {
      this.#latest = next;
      return;
    }
    this.end();
    const before = this.play.shown;
    const [first, wait] = before && !still() ? heldBack(before, next) : [next, 0];
    this.#show(first);
    if (wait) {
      this.#latest = next;
      this.#timer = setTimeout(() => {
        this.#timer = undefined;
        if (this.#latest) this.#show(this.#latest);
      }, wait);
    }
    if (!this.play.chip && mine.chips.length) this.play.chip = this.#firstChip(mine.chips.map((one) => one.value));
  }

  #show(views: Views): void {
    if (views.open.phase === 'results' && views.open.lines.length) this.play.paid = views;
    this.play.shown = views;
  }

  #firstChip(chips: readonly number[]): number {
    const wished = person.settings?.game.chip ?? 0;
    return chips.includes(wished) ? wished : (chips[1] ?? chips[0] ?? 0);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  place(box: number, bet: string): void {
    if (box) this.focus = box;
    if (this.erasing) {
      const held = this.play.table?.mine?.bets.some((one) => one.box === box && one.bet === bet);
      if (held) void this.play.ask({ do: 'remove', spot: { box, bet }, amount: 0 });
    } else this.play.place(box, bet, false, false);
  }

  remove(box: number, bet: string): void {
    this.play.remove(box, bet);
  }

  /** The bets of the last round again, and the cards (S-15, D-17, L-16). */
  async again(times: 1 | 2): Promise<void> {
    if (await this.play.ask({ do: 'repeat', times })) await this.play.ask({ do: 'deal' });
  }

  async bringAndPlay(amount: number, bet: number): Promise<void> {
    const box = Math.ceil((this.play.rules?.boxes ?? 1) / 2);
    if (!(await this.play.ask({ do: 'bring', amount }))) return;
    if (await this.play.ask({ do: 'bet', spots: [{ box, bet: 'main' }], amount: bet, exact: false }))
      await this.play.ask({ do: 'deal' });
  }

  /** The felt is cleared for a new bet (D-17). */
  putAway(): void {
    this.away = this.play.shown?.open.code ?? '';
    this.follow();
  }

  /** SPIN: the house draws now; what is shown afterwards changes nothing. */
  async spin(): Promise<boolean> {
    const scene = this.scene;
    if (!scene?.running) return false;
    this.#watched = scene.box.box;
    return this.play.ask({ do: scene.bonus.segment ? 'spin-board' : 'spin-wheel', box: scene.box.box });
  }

  leaveScene(): void {
    this.#watched = 0;
  }
}
