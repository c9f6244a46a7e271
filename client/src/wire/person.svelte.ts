import { readHours } from '../words/amounts';
import { moveLess, reading, speak } from '../words/words.svelte';
import { api, Refused } from './api';
import type { MeResponse, Settings, SettingsChange } from './types';

/** Who is in: means, clock, own tables, and the profile with its settings, which are applied as they come (V-71). */
class Person {
  /** `asking` until the house has said whether this browser has a session. */
  is = $state<'asking' | 'in' | 'out'>('asking');
  me = $state.raw<MeResponse | null>(null);
  settings = $state.raw<Settings | null>(null);
  /** Whether the house mails codes for new passwords. */
  mails = $state.raw(false);
  /** The house's clock minus this one, when `me` came. */
  ahead = $state.raw(0);
  #loading: Promise<void> | null = null;

  /** Once for the page; everybody who asks waits for the same answer. */
  load(): Promise<void> {
    return (this.#loading ??= this.#load());
  }

  /** After a login, a logout, another account. */
  again(): Promise<void> {
    this.#loading = null;
    return this.load();
  }

  async refresh(): Promise<void> {
    const me = await api.me();
    this.ahead = me.now - Date.now();
    this.me = me;
    this.#rate();
  }

  async change(body: SettingsChange): Promise<void> {
    this.apply(await api.change(body));
  }

  apply(settings: Settings): void {
    this.settings = settings;
    const { general, game } = settings;
    speak(general.language);
    reading.fourColours = general.four_colours;
    readHours(general.clock_24h);
    moveLess(general.reduced_motion || game.skip_animations);
    reading.fast = game.fast;
    this.#rate();
  }

  /** Money here is in euro; what others stake is shown in the currency of one's own choice (V-53). */
  #rate(): void {
    const code = this.settings?.general.currency ?? '';
    const rate = this.me?.rates[code];
    reading.abroad = rate === undefined ? null : { code, rate };
  }

  /**
   * A refusal would be an error in the browser's log: whoever may be a stranger asks the lobby, which answers
   * everybody.
   */
  async #load(): Promise<void> {
    const lobby = await api.lobby();
    this.mails = lobby.mails;
    if (!lobby.entered) {
      this.is = 'out';
      this.me = this.settings = null;
      return;
    }
    try {
      const [settings] = await Promise.all([api.settings(), this.refresh()]);
      this.apply(settings);
      this.is = 'in';
    } catch (fault) {
      if (!(fault instanceof Refused) || fault.status !== 401) {
        this.#loading = null;
        throw fault;
      }
      this.is = 'out';
      this.me = this.settings = null;
    }
  }
}

export const person = new Person();
