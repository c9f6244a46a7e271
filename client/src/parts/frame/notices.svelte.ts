/** Notices that come and go. One that matters stays until it is closed. */
export type Tone = 'plain' | 'good' | 'bad';
export interface Toast {
  id: number;
  text: string;
  tone: Tone;
  stays: boolean;
}

const STAY = 6_000;

export class Toasts {
  list = $state<Toast[]>([]);
  #next = 1;

  add(text: string, tone: Tone = 'plain', stays = false): number {
    const same = this.list.find((one) => one.text === text);
    if (same) return same.id;
    const id = this.#next++;
    this.list = [...this.list, { id, text, tone, stays }].slice(-4);
    if (!stays) setTimeout(() => this.close(id), STAY);
    return id;
  }

  close(id: number): void {
    this.list = this.list.filter((one) => one.id !== id);
  }
}
