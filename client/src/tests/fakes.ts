import type { Asked, Told } from '../wire/types';

/** A socket whose other end is the test. */
export class FakeSocket {
  static made: FakeSocket[] = [];
  readyState = 0;
  sent: Asked[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  readonly url: string;

  constructor(url: string) {
    this.url = url;
    FakeSocket.made.push(this);
  }

  static get last(): FakeSocket {
    return FakeSocket.made.at(-1)!;
  }

  open(): void {
    this.readyState = 1;
    this.onopen?.();
  }

  tell(message: Told): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  drop(code: number): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }

  send(data: string): void {
    this.sent.push(JSON.parse(data) as Asked);
  }

  close(): void {
    this.readyState = 3;
  }
}

export const WELCOME: Told = {
  type: 'welcome',
  player: '3',
  name: 'Ospite-3',
  role: 'player',
  guest: true,
  house: 'ventuno',
  now: 1_000_000,
  unsafe: false,
  session: 's',
};
/** Lets what was promised come about. */
export const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};
