import { api, Refused } from '../../wire/api';
import type { OddsSwitch, SwitchesResponse, OddsResponse } from '../../wire/types';
import { why } from '../../words/why';
import { t } from '../../words/words.svelte';
import { allowedValues } from './names';

/** Milliseconds that a hand may still be moving a switch before the house is asked. */
const SETTLES = 120;
/** So many switches changed at once get a figure of their own each. */
const APART = 3;

/**
 * The rules somebody looks at, and what the house computed of them. Nothing is computed here but differences of its
 * figures.
 */
export class OddsRoom {
  game = $state('');
  levers = $state.raw<SwitchesResponse | null>(null);
  /** Only what differs from the game's own sheet. */
  changed = $state.raw<Readonly<Record<string, string>>>({});
  told = $state.raw<OddsResponse | null>(null);
  pending = $state(false);
  /** What is wrong, and with which switch; `''` is no switch's alone. */
  fault = $state.raw<{ path: string; text: string } | null>(null);
  /** By switch, the points that it alone makes: all changes against all but this one. */
  effects = $state.raw<ReadonlyMap<string, number>>(new Map());
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  value(lever: OddsSwitch): string {
    return this.changed[lever.path] ?? lever.value;
  }

  async open(game: string, wanted: Iterable<[string, string]>): Promise<void> {
    clearTimeout(this.#timer);
    const mine = ++this.#asked;
    [this.game, this.levers, this.told, this.fault, this.effects, this.changed] = [
      game,
      null,
      null,
      null,
      new Map(),
      {},
    ];
    try {
      const levers = await api.levers(game);
      if (mine !== this.#asked) return;
      const known = new Map(levers.levers.map((one) => [one.path, one]));
      this.levers = levers;
      this.changed = Object.fromEntries(
        [...wanted].filter(([path, value]) => known.has(path) && known.get(path)!.value !== value),
      );
      await this.#compute();
    } catch (found) {
      if (mine === this.#asked) this.#refused(found);
    }
  }

  set(lever: OddsSwitch, value: string): void {
    const { [lever.path]: _, ...rest } = this.changed;
    this.changed = value === lever.value ? rest : { ...rest, [lever.path]: value };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#compute(), SETTLES);
  }

  reset(): void {
    this.changed = {};
    clearTimeout(this.#timer);
    void this.#compute();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#asked++;
  }

  /** The rules as they can be sent to somebody. */
  get address(): string {
    const search = new URLSearchParams(this.changed).toString();
    return `/odds/${encodeURIComponent(this.game)}${search ? `?${search}` : ''}`;
  }

  async #compute(): Promise<void> {
    const mine = ++this.#asked;
    const [game, changed] = [this.game, this.changed];
    this.pending = true;
    try {
      const told = await api.odds(game, changed);
      if (mine !== this.#asked) return;
      [this.told, this.fault, this.effects] = [told, null, new Map()];
      if (this.changed === changed) this.changed = Object.fromEntries(told.changes.map((one) => [one.path, one.value]));
      void this.#apart(mine, told);
    } catch (found) {
      if (mine === this.#asked) this.#refused(found);
    } finally {
      if (mine === this.#asked) this.pending = false;
    }
  }

  async #apart(mine: number, told: OddsResponse): Promise<void> {
    const main = told.bets[0];
    const paths = told.changes.map((one) => one.path);
    if (!main || !paths.length || paths.length > APART) return;
    for (const path of paths) {
      const { [path]: _, ...rest } = this.changed;
      try {
        const without = paths.length === 1 ? 0 : ((await api.odds(this.game, rest)).bets[0]?.delta ?? 0);
        if (mine !== this.#asked) return;
        this.effects = new Map([...this.effects, [path, main.delta - without]]);
      } catch {
        return;
      }
    }
  }

  #refused(found: unknown): void {
    if (!(found instanceof Refused)) {
      this.fault = { path: '', text: t('frame.trouble') };
      return;
    }
    const lever = this.levers?.levers.find((one) => one.path === found.trouble.numbers.switch);
    this.fault = {
      path: lever?.path ?? '',
      text: lever ? t('odds.unfit', { allowed: allowedValues(lever) }) : why(found.trouble),
    };
  }
}
