import type { TableSession } from './session.svelte';

const KEPT = 'ventuno-guide';
const SEEN = 'seen';

/** The hints of a first round, in their order; each stands while its moment lasts. */
export const HINTS = ['bring', 'bet', 'deal', 'decide', 'result'] as const;
export type Hint = (typeof HINTS)[number];

function wasSeen(): boolean {
  try {
    return localStorage.getItem(KEPT) === SEEN;
  } catch {
    return true;
  }
}

/** The guide of somebody's first round in this browser: once it was played, or closed, it does not come again. */
class Guide {
  #open = $state(!wasSeen());
  #round = '';

  /** What helps now at a table; null where nothing does, or the guide is closed. */
  hint(session: TableSession): Hint | null {
    const views = session.shown;
    if (!this.#open || !views || session.status || session.scene) return null;
    const { phase, practice } = views.open;
    if (!session.plays) return practice ? null : 'bring';
    if (session.question) return session.question.kind === 'early' ? null : 'decide';
    if (phase === 'results') return views.open.boxes.some((box) => box.player === views.mine.player) ? 'result' : null;
    if (phase !== 'betting') return null;
    if (!session.rules?.solo && !session.own.length) return 'bring';
    return views.mine.staked ? 'deal' : 'bet';
  }

  /** A round that was seen to its end was the first: the next one has no hints. */
  follow(session: TableSession): void {
    const open = session.shown?.open;
    if (!this.#open || !open) return;
    if (this.#round && (open.code !== this.#round || open.phase === 'betting')) this.close();
    else if (this.hint(session) === 'result') this.#round = open.code;
  }

  close(): void {
    this.#open = false;
    try {
      localStorage.setItem(KEPT, SEEN);
    } catch {
      // a browser that keeps nothing shows the guide again
    }
  }
}

export const guide = new Guide();
