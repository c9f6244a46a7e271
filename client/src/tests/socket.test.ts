import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ASKING, BEAT, DOUBT, GIVEN_UP, Line, SILENCE, type LineState } from '../wire/socket';
import type { Told } from '../wire/types';
import { FakeSocket, WELCOME, settled } from './fakes';

let states: LineState[] = [];
let told: Told[] = [];
let tickets = 0;
const made = (ticket = (): Promise<string> => Promise.resolve(`t${++tickets}`)): Line =>
  new Line({
    ticket,
    connect: (url) => new FakeSocket(url) as unknown as WebSocket,
    told: (message) => told.push(message),
    stands: (state) => states.push(state),
    random: () => 1,
    now: () => 0,
  });

beforeEach(() => {
  vi.useFakeTimers();
  [states, told, tickets, FakeSocket.made] = [[], [], 0, []];
});
afterEach(() => vi.useRealTimers());

async function opened(): Promise<Line> {
  const line = made();
  line.start();
  await settled();
  FakeSocket.last.open();
  FakeSocket.last.tell(WELCOME);
  return line;
}

describe('the line', () => {
  test('calls with a ticket and is open when the house says welcome', async () => {
    await opened();
    expect(FakeSocket.last.url).toBe('/socket?ticket=t1');
    expect(states.map((state) => state.is)).toEqual(['calling', 'open']);
  });

  test('answers a ping', async () => {
    await opened();
    FakeSocket.last.tell({ type: 'ping', nonce: 'n7', now: 5 });
    expect(FakeSocket.last.sent).toEqual([{ type: 'pong', nonce: 'n7' }]);
  });

  test('comes back with another ticket, each time after a longer wait', async () => {
    await opened();
    const waits: number[] = [];
    for (let turn = 0; turn < 7; turn += 1) {
      FakeSocket.last.drop(1006);
      const state = states.at(-1)!;
      if (state.is === 'waiting') waits.push(state.until);
      await vi.advanceTimersByTimeAsync(15_000);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000]);
    expect(new Set(FakeSocket.made.map((socket) => socket.url)).size).toBe(8);
  });

  test('waits little again once it was open', async () => {
    await opened();
    for (let turn = 0; turn < 4; turn += 1) {
      FakeSocket.last.drop(1006);
      await vi.advanceTimersByTimeAsync(15_000);
    }
    FakeSocket.last.open();
    FakeSocket.last.tell(WELCOME);
    FakeSocket.last.drop(4006);
    expect(states.at(-1)).toMatchObject({ is: 'waiting', until: 500 });
  });

  test.each([4004, 4005, 4008])('stays away after %d', async (code) => {
    await opened();
    FakeSocket.last.drop(code);
    expect(states.at(-1)).toEqual({ is: 'over', code });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.made).toHaveLength(1);
  });

  test('tries again where no ticket is given', async () => {
    let asked = 0;
    const line = made(() => ((asked += 1) < 3 ? Promise.reject(new Error('no')) : Promise.resolve('late')));
    line.start();
    await vi.advanceTimersByTimeAsync(5_000);
    expect(FakeSocket.made.map((socket) => socket.url)).toEqual(['/socket?ticket=late']);
  });

  test('takes a long silence for a dead line', async () => {
    await opened();
    await vi.advanceTimersByTimeAsync(GIVEN_UP - 1);
    expect(states.at(-1)!.is).toBe('doubtful');
    await vi.advanceTimersByTimeAsync(1);
    expect(states.at(-1)!.is).toBe('waiting');
  });

  test('of a page out of sight is given up later: its browser slows its clock down', async () => {
    await opened();
    const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true);
    await vi.advanceTimersByTimeAsync(SILENCE - 1);
    expect(states.at(-1)!.is).toBe('open');
    await vi.advanceTimersByTimeAsync(1);
    expect(states.at(-1)!.is).toBe('waiting');
    hidden.mockRestore();
  });

  test('asks a silent house for a word, and within three seconds says that it has none', async () => {
    await opened();
    await vi.advanceTimersByTimeAsync(BEAT);
    expect(FakeSocket.last.sent).toEqual([{ type: 'pong', nonce: ASKING }]);
    await vi.advanceTimersByTimeAsync(DOUBT - BEAT);
    expect(DOUBT).toBeLessThan(3_000);
    expect(states.at(-1)!.is).toBe('doubtful');
    FakeSocket.last.tell({ type: 'ping', nonce: 'n8', now: 5 });
    expect(states.at(-1)!.is).toBe('open');
    await vi.advanceTimersByTimeAsync(DOUBT - 1);
    expect(states.at(-1)!.is).toBe('open');
  });

  test('is down at once when the network is, and calls again', async () => {
    const line = await opened();
    line.cut();
    expect(states.at(-1)!.is).toBe('waiting');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(FakeSocket.made).toHaveLength(2);
  });

  test('hurries when it is told to, and stops when it is told to', async () => {
    const line = await opened();
    FakeSocket.last.drop(1006);
    line.hurry();
    await settled();
    expect(FakeSocket.made).toHaveLength(2);
    line.stop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.made).toHaveLength(2);
    expect(states.at(-1)!.is).toBe('resting');
  });
});
