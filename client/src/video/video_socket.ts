import { api } from '../wire/api';
import { browserSocket } from '../wire/socket';
import { HouseTime } from './house_time';
import { FINAL_CODES, type VideoAsked, type VideoTold } from './messages';

export interface VideoWiring {
  table: string;
  opened: () => void;
  told: (message: VideoTold) => void;
  chunk?: (data: ArrayBuffer) => void;
  /** The socket has ended; `final`: it does not come back by itself. */
  lost: (code: number, final: boolean) => void;
  ticket?: () => Promise<string>;
  connect?: (path: string) => WebSocket;
}

const [FIRST, LONGEST] = [400, 8_000];
/** Milliseconds between two looks at the clock of the house: a few at once first, then seldom. */
const [SOON, SELDOM, QUICK_LOOKS] = [150, 5_000, 5];

/** A socket of video that comes back, with the house's time measured over it. */
export class VideoSocket {
  readonly time = new HouseTime();
  readonly #wiring: VideoWiring;
  #socket: WebSocket | null = null;
  #wanted = false;
  #attempt = 0;
  #looks = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #clock: ReturnType<typeof setTimeout> | undefined;

  constructor(wiring: VideoWiring) {
    this.#wiring = wiring;
  }

  get open(): boolean {
    return this.#socket?.readyState === 1;
  }
  /** Bytes that were handed over and have not left. */
  get unsent(): number {
    return this.#socket?.bufferedAmount ?? 0;
  }

  start(): void {
    if (this.#wanted) return;
    this.#wanted = true;
    this.#attempt = 0;
    void this.#call();
  }

  stop(): void {
    this.#wanted = false;
    clearTimeout(this.#timer);
    clearTimeout(this.#clock);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
  }

  say(message: VideoAsked): void {
    if (this.open) this.#socket?.send(JSON.stringify(message));
  }

  send(chunk: ArrayBuffer): void {
    if (this.open) this.#socket?.send(chunk);
  }

  async #call(): Promise<void> {
    const { table, ticket = api.ticket, connect = browserSocket } = this.#wiring;
    let socket: WebSocket;
    try {
      const drawn = await ticket();
      if (!this.#wanted || this.#socket) return;
      socket = connect(`/video/${encodeURIComponent(table)}?ticket=${encodeURIComponent(drawn)}`);
    } catch {
      this.#again(1006);
      return;
    }
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    socket.onopen = () => {
      if (socket !== this.#socket) return;
      this.#attempt = this.#looks = 0;
      this.#lookAtClock();
      this.#wiring.opened();
    };
    socket.onmessage = (event: MessageEvent) => this.#read(socket, event.data);
    socket.onclose = (event: CloseEvent) => this.#lost(socket, event.code);
  }

  #read(socket: WebSocket, data: unknown): void {
    if (socket !== this.#socket) return;
    if (data instanceof ArrayBuffer) {
      this.#wiring.chunk?.(data);
      return;
    }
    const message = JSON.parse(String(data)) as VideoTold;
    if (message.type === 'clock') this.time.heard(message.sent, message.now);
    else this.#wiring.told(message);
  }

  #lookAtClock(): void {
    clearTimeout(this.#clock);
    this.say({ type: 'clock', sent: this.time.local() });
    this.#looks += 1;
    this.#clock = setTimeout(() => this.#lookAtClock(), this.#looks < QUICK_LOOKS ? SOON : SELDOM);
  }

  #lost(socket: WebSocket, code: number): void {
    if (socket !== this.#socket) return;
    this.#socket = null;
    clearTimeout(this.#clock);
    this.#again(code);
  }

  #again(code: number): void {
    if (!this.#wanted) return;
    const final = FINAL_CODES.has(code);
    this.#wiring.lost(code, final);
    if (final) {
      this.#wanted = false;
      return;
    }
    const longest = Math.min(LONGEST, FIRST * 2 ** this.#attempt);
    this.#attempt += 1;
    this.#timer = setTimeout(() => void this.#call(), longest / 2 + (longest / 2) * Math.random());
  }
}
