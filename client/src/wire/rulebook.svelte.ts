import { api } from './api';
import type { GameLine, GameResponse } from './types';

/** The sheets in force as the house tells them, each asked for once; a new hash of a sheet asks again. */
class Rulebook {
  #held = $state.raw<ReadonlyMap<string, GameResponse>>(new Map());
  #asked = new Set<string>();
  /** The games of the house, in its order; empty until they have come. */
  games = $state.raw<readonly GameLine[]>([]);

  /** Asks which games there are; a page that needs them says what became of it. */
  async loadGames(): Promise<readonly GameLine[]> {
    return (this.games = (await api.games()).games);
  }

  /** The sheet of a game, undefined until it has come. `sheet` is the hash that a table plays by. */
  of(game: string, sheet: string): GameResponse | undefined {
    const held = this.#held.get(game);
    if (held?.sheet !== sheet) void this.#ask(game, sheet);
    return held;
  }

  hold(game: GameResponse): void {
    this.#held = new Map(this.#held).set(game.game, game);
  }

  async #ask(game: string, sheet: string): Promise<void> {
    const name = `${game} ${sheet}`;
    if (this.#asked.has(name)) return;
    this.#asked.add(name);
    try {
      this.hold(await api.game(game));
    } catch {
      this.#asked.delete(name);
    }
  }
}

export const rulebook = new Rulebook();
