import { api, Refused } from '../wire/api';
import type { HandAdvice } from '../wire/types';
import { why } from '../words/why';
import { cash, named, t } from '../words/words.svelte';
import { figure } from '../words/figures';
import type { TableSession } from './session.svelte';

/** Two values that differ by less are one: they come from the same decision. */
const ALIKE = 1e-9;
const KEPT = 'ventuno-trainer';

interface Session {
  all: number;
  right: number;
  cost: number;
}
const NOTHING: Session = { all: 0, right: 0, cost: 0 };

function kept(): Session {
  try {
    const found = JSON.parse(sessionStorage.getItem(KEPT) ?? '') as Partial<Session>;
    return { all: Number(found.all) || 0, right: Number(found.right) || 0, cost: Number(found.cost) || 0 };
  } catch {
    return NOTHING;
  }
}

/**
 * What each open decision is worth by the house's figures, and how the chosen ones did; kept for this session.
 */
export class Trainer {
  hands = $state.raw<readonly HandAdvice[]>([]);
  waiting = $state(false);
  fault = $state('');
  verdict = $state.raw<{ text: string; right: boolean } | null>(null);
  session = $state.raw<Session>(kept());
  #asked = '';
  /** Decisions on their way, by box: they count once the table has moved on; one that is refused never does. */
  #taken = new Map<number, { hand: HandAdvice; action: string }>();

  /** With every new state of the table: asks once for each situation in which something is to be decided. */
  async follow(session: TableSession): Promise<void> {
    const open = session.shown?.open;
    const asks = open?.phase === 'round' && session.questions.some((one) => one.kind !== 'early');
    const now =
      open && asks
        ? JSON.stringify([
            open.code,
            open.stage,
            open.turn,
            open.boxes.map((box) => box.hands.map((hand) => hand.cards)),
          ])
        : '';
    if (now === this.#asked) return;
    this.#asked = now;
    for (const { hand, action } of this.#taken.values()) this.#judge(hand, action);
    this.#taken.clear();
    [this.hands, this.fault, this.waiting] = [[], '', now !== ''];
    if (!now) return;
    try {
      const told = await api.advice(session.name);
      if (this.#asked === now && told.code === open?.code) this.hands = told.hands;
    } catch (found) {
      if (this.#asked === now) this.fault = found instanceof Refused ? why(found.trouble) : t('frame.trouble');
    } finally {
      if (this.#asked === now) this.waiting = false;
    }
  }

  /** What is on its way to the house is a decision taken. */
  note(session: TableSession): void {
    for (const { command } of session.table?.pending ?? []) {
      if (command.do !== 'decide' && command.do !== 'decide-all') continue;
      for (const hand of this.hands)
        if (command.do === 'decide-all' || hand.box === command.box)
          this.#taken.set(hand.box, { hand, action: command.action });
    }
  }

  reset(): void {
    this.verdict = null;
    this.#keep(NOTHING);
  }

  #judge(hand: HandAdvice, action: string): void {
    const best = hand.worths.find((one) => one.action === hand.best)?.value;
    const value = hand.worths.find((one) => one.action === action)?.value;
    if (best == null || value == null) return;
    const cost = best - value > ALIKE ? best - value : 0;
    const { all, right, cost: before } = this.session;
    this.#keep({ all: all + 1, right: right + (cost ? 0 : 1), cost: before + cost * hand.stake });
    this.verdict = {
      right: cost === 0,
      text:
        cost === 0
          ? t('train.right', { action: named('act', action) })
          : t('train.wrong', {
              action: named('act', action),
              best: named('act', hand.best),
              cost: figure(cost, 3),
              amount: cash(Math.round(cost * hand.stake)),
            }),
    };
  }

  #keep(session: Session): void {
    this.session = session;
    try {
      sessionStorage.setItem(KEPT, JSON.stringify(session));
    } catch {
      /* a browser that keeps nothing counts for this page alone */
    }
  }
}
