import type { Asked, Told } from './types';

/** How a line to the house stands. `over` does not come back by itself: `code` says why. */
export type LineState =
  | { is: 'resting' }
  | { is: 'calling'; attempt: number }
  | { is: 'open' }
  /** It stands, but the house has not answered for a while: nothing can be promised. */
  | { is: 'doubtful' }
  | { is: 'waiting'; attempt: number; until: number }
  | { is: 'over'; code: number };

export interface Wiring {
  /** A fresh ticket for each call; it is good for one use. */
  ticket: () => Promise<string>;
  connect: (url: string) => WebSocket;
  told: (message: Told) => void;
  stands: (state: LineState) => void;
  now?: () => number;
  random?: () => number;
}

/** The house itself ended it: the session, the account, or another socket in its place. */
const FINAL = new Set([4004, 4005, 4008]);
const [FIRST, LONGEST] = [500, 15_000];
/** So long without a word, and the house is asked for one; without it the line is doubtful, and soon given up. */
export const [BEAT, DOUBT, GIVEN_UP] = [1_400, 2_800, 10_000];
/** So long without a word, and the line counts as dead whatever was asked; the house pings well within. */
export const SILENCE = 45_000;
/** No ping has this number: the house answers it with a ping. */
export const ASKING = 'beat';

/**
 * One connection that comes back: calls with a ticket, answers pings, waits longer after each failure, with some chance
 * in it.
 */
export class Line {
  #wiring: Wiring;
  #socket: WebSocket | null = null;
  #attempt = 0;
  #wanted = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout>[] = [];
  #doubtful = false;

  constructor(wiring: Wiring) {
    this.#wiring = wiring;
  }

  get open(): boolean {
    return this.#socket?.readyState === 1;
  }

  start(): void {
    if (this.#wanted) return;
    this.#wanted = true;
    this.#attempt = 0;
    void this.#call();
  }

  /** Calls at once instead of waiting: the network is back, or somebody pressed the button. */
  hurry(): void {
    if (!this.#wanted || this.#socket) return;
    clearTimeout(this.#timer);
    this.#attempt = 0;
    void this.#call();
  }

  /** The device has no network: whatever the socket still believes, the line is down. */
  cut(): void {
    const socket = this.#socket;
    if (!socket) return;
    this.#lost(socket, 1006);
    socket.close();
  }

  stop(): void {
    this.#wanted = false;
    clearTimeout(this.#timer);
    this.#deaf();
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
    this.#wiring.stands({ is: 'resting' });
  }

  send(message: Asked): boolean {
    if (!this.#socket || !this.open) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  async #call(): Promise<void> {
    this.#wiring.stands({ is: 'calling', attempt: this.#attempt });
    let socket: WebSocket;
    try {
      const ticket = await this.#wiring.ticket();
      if (!this.#wanted || this.#socket) return;
      socket = this.#wiring.connect(`/socket?ticket=${encodeURIComponent(ticket)}`);
    } catch {
      this.#again();
      return;
    }
    this.#socket = socket;
    this.#listen();
    socket.onopen = () => this.#heard(socket);
    socket.onmessage = (event: MessageEvent) => this.#read(socket, event.data);
    socket.onclose = (event: CloseEvent) => this.#lost(socket, event.code);
  }

  #read(socket: WebSocket, data: unknown): void {
    if (socket !== this.#socket || typeof data !== 'string') return;
    this.#heard(socket);
    const message = JSON.parse(data) as Told;
    if (message.type === 'ping') this.send({ type: 'pong', nonce: message.nonce });
    if (message.type === 'welcome') {
      [this.#attempt, this.#doubtful] = [0, false];
      this.#wiring.stands({ is: 'open' });
    } else if (this.#doubtful) {
      this.#doubtful = false;
      this.#wiring.stands({ is: 'open' });
    }
    this.#wiring.told(message);
  }

  #heard(socket: WebSocket): void {
    if (socket === this.#socket) this.#listen();
  }

  #listen(): void {
    this.#deaf();
    this.#silence = [
      setTimeout(() => this.send({ type: 'pong', nonce: ASKING }), BEAT),
      setTimeout(() => this.#doubt(), DOUBT),
      setTimeout(() => this.#doubtful && this.cut(), GIVEN_UP),
      setTimeout(() => this.cut(), SILENCE),
    ];
  }

  #deaf(): void {
    for (const timer of this.#silence) clearTimeout(timer);
    this.#silence = [];
  }

  /** A page out of sight is slowed down by its browser: its clock says nothing about the line. */
  #doubt(): void {
    if (!this.open || this.#doubtful || globalThis.document?.hidden) return;
    this.#doubtful = true;
    this.#wiring.stands({ is: 'doubtful' });
  }

  #lost(socket: WebSocket, code: number): void {
    if (socket !== this.#socket) return;
    this.#deaf();
    this.#socket = null;
    this.#doubtful = false;
    if (!this.#wanted) return;
    if (FINAL.has(code)) {
      this.#wanted = false;
      this.#wiring.stands({ is: 'over', code });
    } else this.#again();
  }

  #again(): void {
    if (!this.#wanted) return;
    const longest = Math.min(LONGEST, FIRST * 2 ** this.#attempt);
    const wait = longest / 2 + (longest / 2) * (this.#wiring.random ?? Math.random)();
    this.#attempt += 1;
    this.#wiring.stands({ is: 'waiting', attempt: this.#attempt, until: (this.#wiring.now ?? Date.now)() + wait });
    this.#timer = setTimeout(() => void this.#call(), wait);
  }
}

/** The socket of a browser, on the host of the page. */
export const browserSocket = (path: string): WebSocket =>
  new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}${path}`);
