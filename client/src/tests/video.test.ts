import { afterEach, describe, expect, test, vi } from 'vitest';
import { readChunk, writeChunk, NO_PICTURE } from '../video/chunks';
import { readExternal } from '../video/external';
import { HouseTime } from '../video/house_time';
import { FINAL_CODES, type Track } from '../video/messages';
import { AutomaticQuality, chooseTrack, type Second } from '../video/quality';
import { VideoSocket } from '../video/video_socket';
import { VIDEO, type VideoKey } from '../words/video';

const track = (number: number, width: number): Track => ({
  track: number,
  codec: 'vp8',
  rate: 30,
  bits: 1,
  width,
  height: 1,
  channels: 0,
});
const TRACKS = [track(0, 1280), track(1, 640), track(2, 320), { ...track(16, 0), channels: 1 }];
const GOOD: Second = { frames: 30, expected: 30, dropped: 0, bits: 1_000_000, delay: 100 };
const LOSSY: Second = { ...GOOD, frames: 15 };

describe('chunks', () => {
  test('are read as they were written', () => {
    const head = { track: 1, key: true, number: 70_000, captured: 1_790_000_000_123_456 };
    const buffer = writeChunk(head, 3, (frame) => frame.set([7, 8, 9]));
    expect(readChunk(buffer)).toEqual({ ...head, frame: new Uint8Array([7, 8, 9]) });
    expect([...new Uint8Array(buffer.slice(0, 8))]).toEqual([1, 1, 1, 0, 0, 1, 0x11, 0x70]);
  });

  test('that are none are not read', () => {
    expect(readChunk(new ArrayBuffer(16))).toBeNull();
    expect(readChunk(new Uint8Array(20).fill(2).buffer)).toBeNull();
  });
});

describe('the time of the house', () => {
  test('is that of the quickest answer', () => {
    let local = 1_000;
    const time = new HouseTime(() => local);
    expect(time.known).toBe(false);
    const ask = (trip: number, house: (sent: number) => number): void => {
      const sent = local;
      local += trip;
      time.heard(sent, house(sent));
    };
    ask(10, (sent) => sent + 5 + 500); // half of the way, and 500 ahead
    ask(400, (sent) => sent + 390 + 500); // slow there, quick back: it would say 690
    expect(Math.round(time.offset)).toBe(500);
    expect(time.now()).toBeCloseTo(local + 500);
  });
});

describe('the quality of a stream', () => {
  test('that is chosen is the nearest that is sent', () => {
    expect((['high', 'medium', 'low'] as const).map((chosen) => chooseTrack(chosen, TRACKS))).toEqual([0, 1, 2]);
    expect(chooseTrack('low', [track(0, 1280), track(1, 640)])).toBe(1);
    expect(chooseTrack('high', [])).toBe(NO_PICTURE);
  });

  test('begins in the middle, goes down when frames are missing, and tries a better one after some calm', () => {
    const auto = new AutomaticQuality();
    expect(auto.next(TRACKS, null)).toBe(1);
    expect(auto.next(TRACKS, LOSSY)).toBe(1);
    expect(auto.next(TRACKS, LOSSY)).toBe(2);
    const seen = Array.from({ length: 12 }, () => auto.next(TRACKS, GOOD));
    expect(seen.indexOf(1)).toBe(5);
    expect(seen.indexOf(0)).toBe(11);
  });

  test('waits longer after each try that failed', () => {
    const auto = new AutomaticQuality();
    auto.next(TRACKS, null);
    const calm = (): number => {
      let seconds = 0;
      while (auto.next(TRACKS, GOOD) !== 0) seconds += 1;
      for (let bad = 0; bad < 2; bad += 1) auto.next(TRACKS, LOSSY);
      return seconds;
    };
    const waits = [calm(), calm(), calm()];
    expect(waits[1]).toBeGreaterThan(waits[0]!);
    expect(waits[2]).toBeGreaterThan(waits[1]!);
  });

  test('goes down for a picture that is far behind, and for one that this device cannot decode in time', () => {
    for (const bad of [
      { ...GOOD, delay: 2_000 },
      { ...GOOD, dropped: 12 },
    ]) {
      const auto = new AutomaticQuality();
      auto.next(TRACKS, bad);
      expect(auto.next(TRACKS, bad)).toBe(2);
    }
  });
});

describe('an external stream', () => {
  test('is named by the setting of its table', () => {
    expect(readExternal('whep:https://live.example:8443/t1/whep')).toEqual({
      kind: 'whep',
      address: 'https://live.example:8443/t1/whep',
    });
    expect(readExternal('hls:https://live.example/t1.m3u8')?.kind).toBe('hls');
    expect(['', 'studio', 'hls:javascript:1', 'rtmp:https://x'].map(readExternal)).toEqual([null, null, null, null]);
  });
});

describe('the socket of a stream', () => {
  afterEach(() => vi.useRealTimers());

  class FakeSocket {
    readyState = 1;
    bufferedAmount = 0;
    binaryType = '';
    sent: unknown[] = [];
    onopen: (() => void) | null = null;
    onmessage: ((event: { data: unknown }) => void) | null = null;
    onclose: ((event: { code: number }) => void) | null = null;
    send = (data: unknown): void => void this.sent.push(data);
    close = (): void => {};
  }

  async function open(code: number): Promise<{ calls: number; lost: [number, boolean][] }> {
    vi.useFakeTimers();
    const made: FakeSocket[] = [];
    const lost: [number, boolean][] = [];
    const socket = new VideoSocket({
      table: 'Sala 1',
      opened: () => {},
      told: () => {},
      lost: (ended, final) => lost.push([ended, final]),
      ticket: () => Promise.resolve('t'),
      connect: (path) => {
        expect(path).toBe('/video/Sala%201?ticket=t');
        made.push(new FakeSocket());
        return made.at(-1) as unknown as WebSocket;
      },
    });
    socket.start();
    await vi.advanceTimersByTimeAsync(1);
    made[0]!.onopen?.();
    expect(JSON.parse(made[0]!.sent[0] as string)).toMatchObject({ type: 'clock' });
    made[0]!.onclose?.({ code });
    await vi.advanceTimersByTimeAsync(2_000);
    socket.stop();
    return { calls: made.length, lost };
  }

  test('comes back after a lost line', async () => {
    expect(await open(1006)).toEqual({ calls: 2, lost: [[1006, false]] });
  });

  test.each([...FINAL_CODES])('stays away after %d', async (code) => {
    expect(await open(code)).toEqual({ calls: 1, lost: [[code, true]] });
  });
});

describe('the words of video', () => {
  test('have the same fields in both languages, and are all asked for', () => {
    const fields = (text: string): string =>
      [...text.matchAll(/\{(\w+)/g)]
        .map((match) => match[1])
        .sort()
        .join();
    const keys = Object.keys(VIDEO.it) as VideoKey[];
    expect(keys.filter((key) => fields(VIDEO.it[key]) !== fields(VIDEO.en[key]))).toEqual([]);
    expect(Object.keys(VIDEO.en).sort()).toEqual([...keys].sort());
    const sources = import.meta.glob<string>(['../video/*.{svelte,ts}', '../table/{panels,dialogs}/Seal*.svelte'], {
      query: '?raw',
      import: 'default',
      eager: true,
    });
    const all = Object.values(sources).join('\n');
    const families = [...all.matchAll(/`(video\.[\w.]*)\$\{/g)].map((match) => match[1]!);
    const unused = keys.filter(
      (key) => !all.includes(`'${key}'`) && !families.some((family) => key.startsWith(family) && family !== 'video.'),
    );
    expect(
      unused.filter((key) => !['video.none', 'video.lost', 'video.unable', 'video.calling'].includes(key)),
    ).toEqual([]);
  });
});
