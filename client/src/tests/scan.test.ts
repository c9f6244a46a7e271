import { fireEvent, render, screen } from '@testing-library/svelte';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import vectors from '../../../tests/fixtures/card_codes.json';
import { RANKS, SUITS } from '../art/cards';
import { CameraRefused, listCameras, openCamera, readCards } from '../scan/camera';
import CardPad from '../scan/CardPad.svelte';
import { parseCode, parsePrinted, writeCode, type Code } from '../scan/codes';
import { chooseDetector, openWorker, type Detector } from '../scan/detector';
import { rankOfKey, suitOfKey } from '../scan/pad_keys';
import { Presence } from '../scan/presence';
import { Burst, LONGEST_GAP, listenToScanner } from '../scan/wedge';
import { speak } from '../words/words.svelte';

const nameOf = (code: Code | null): string | null => (code ? (code.kind === 'cut' ? 'CUT' : code.card) : null);

describe('codes', () => {
  const READABLE = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at)).filter(
    (letter) => letter === letter.toUpperCase(),
  );

  test('are read and written as by the house', () => {
    const printed = Object.entries(vectors.printed);
    expect(printed).toHaveLength(53);
    for (const [name, code] of printed) expect([writeCode(name), nameOf(parseCode(code))]).toEqual([code, name]);
    for (const [text, name] of Object.entries(vectors.typed)) expect(nameOf(parseCode(text))).toBe(name);
    for (const text of vectors.refused) expect([text, parseCode(text)]).toEqual([text, null]);
  });

  test('no misread character and no swap of neighbours is a card', () => {
    const accepted = Object.values(vectors.printed).flatMap((code) =>
      [...code]
        .flatMap((letter, at) => [
          ...READABLE.filter((other) => other !== letter).map(
            (other) => code.slice(0, at) + other + code.slice(at + 1),
          ),
          code.slice(0, at) + (code[at + 1] ?? '') + letter + code.slice(at + 2),
        ])
        .filter((text) => text !== code && parseCode(text) !== null),
    );
    expect(accepted).toEqual([]);
  });

  test('a scanner and a camera give printed codes alone', () => {
    expect(parsePrinted('TD')).toBeNull();
    expect(parsePrinted('v21-td-6')).toEqual({ kind: 'card', card: 'TD' });
  });
});

describe('a scanner that types', () => {
  let [read, refused, heard]: [string[], string[], string[]] = [[], [], []];
  let now = 0;
  let stop = (): void => {};
  const listener = (event: Event): void => void heard.push((event as KeyboardEvent).key);

  beforeEach(() => {
    [read, refused, heard, now] = [[], [], [], 0];
    document.body.innerHTML = '<input id="field"><textarea id="area"></textarea><button id="button"></button>';
    stop = listenToScanner(window, {
      read: (code) => read.push(nameOf(code)!),
      refuse: (text) => refused.push(text),
      now: () => now,
    });
    document.addEventListener('keydown', listener);
  });
  afterEach(() => {
    stop();
    document.removeEventListener('keydown', listener);
    document.body.innerHTML = '';
  });

  const PLACES: Record<string, string> = { '-': 'Minus' };
  const placeOf = (letter: string): string => PLACES[letter] ?? (/\d/.test(letter) ? `Digit${letter}` : `Key${letter}`);

  /** Types a text as a scanner does; `keyed`: what the language of the keyboard makes of each place. */
  function type(text: string, { gap = 8, on = document.body, end = 'Enter', keyed = (key: string) => key } = {}) {
    const events = [...text, end].map((letter) => {
      now += gap;
      const [key, code] = letter === end ? [end, end] : [keyed(letter), placeOf(letter)];
      const event = new KeyboardEvent('keydown', { key, code, bubbles: true, cancelable: true });
      on.dispatchEvent(event);
      if (!event.defaultPrevented && key.length === 1 && 'value' in on) on.value = String(on.value) + key;
      return event;
    });
    return events.map((event) => event.defaultPrevented);
  }

  test('is read, and no other listener hears more than its first key', () => {
    const prevented = type('V21-TD-6');
    expect([read, refused, heard]).toEqual([['TD'], [], ['V']]);
    expect(prevented).toEqual([false, ...Array<boolean>(8).fill(true)]);
    type('V21-CUT-G', { end: 'Tab' });
    expect(read).toEqual(['TD', 'CUT']);
  });

  test('presses no button that has the focus', () => {
    const pressed = vi.fn();
    const button = document.querySelector<HTMLElement>('#button')!;
    button.onclick = pressed;
    expect(type('V21-TD-6', { on: button }).at(-1)).toBe(true);
    expect([read, pressed.mock.calls.length]).toEqual([['TD'], 0]);
  });

  test('is read though the keyboard has another language', () => {
    type('V21-TD-6', { keyed: (key) => (key === '-' ? "'" : key) }); // Italian
    type('V21-TD-6', { keyed: (key) => (key === '-' ? 'ß' : key.toLowerCase()) }); // German
    const french: Record<string, string> = { '-': ')', '2': 'é', '1': '&', '6': '-', A: 'Q', Q: 'A' };
    type('V21-TD-6', { keyed: (key) => french[key] ?? key });
    expect([read, refused]).toEqual([['TD', 'TD', 'TD'], []]);
  });

  test('that misreads is refused aloud', () => {
    type('V21-TS-6');
    type('4006381333931');
    expect([read, refused]).toEqual([[], ['V21-TS-6', '4006381333931']]);
  });

  test('is no person: what is typed slowly is nobody’s scan and reaches the page', () => {
    expect(type('V21-TD-6', { gap: LONGEST_GAP + 1 })).toEqual(Array<boolean>(9).fill(false));
    expect([read, refused, heard.length]).toEqual([[], [], 9]);
    type('TD', { gap: 10 }); // two keys at once
    expect([read, refused]).toEqual([[], []]);
  });

  test('that begins right after a person’s key is read from its own first key', () => {
    type('A', { end: 'V' });
    now += 200;
    type(writeCode('AS'));
    expect(read).toEqual(['AS']);
  });

  test('that begins while somebody types is read all the same', () => {
    const field = document.querySelector<HTMLInputElement>('#field')!;
    type('ciao', { on: field, end: ' ' });
    type(writeCode('AS'), { on: field });
    type('xy', { end: 'z' });
    type(writeCode('CUT'));
    expect([read, refused, field.value]).toEqual([['AS', 'CUT'], [], 'ciao ']);
  });

  test.each(['#field', '#area'])('takes nothing of what is typed into %s', (selector) => {
    const field = document.querySelector<HTMLInputElement>(selector)!;
    field.value = '';
    for (const gap of [3, 120]) expect(type('hello there', { on: field, gap })).not.toContain(true);
    expect(field.value).toBe('hello therehello there');
    expect([read, refused, heard.length]).toEqual([[], [], 24]);
  });

  test('takes its code out of a field before Enter would send it', () => {
    const field = document.querySelector<HTMLInputElement>('#field')!;
    const changed = vi.fn();
    field.value = 'ciao ';
    field.addEventListener('input', changed);
    const prevented = type(writeCode('KH'), { on: field });
    expect([read, field.value, prevented.at(-1)]).toEqual([['KH'], 'ciao ', true]);
    expect(changed).toHaveBeenCalledOnce();
    expect(heard).not.toContain('Enter');
  });

  test('never keeps more than a burst', () => {
    const burst = new Burst();
    for (let at = 0; at < 1000; at++) burst.add({ key: 'x', code: 'KeyX' }, at);
    expect(burst.end(1000)![0]!.length).toBeLessThanOrEqual(64);
  });
});

describe('what is in the picture', () => {
  test('is told once, and again only after it left', () => {
    const presence = new Presence(800, 3);
    expect(presence.see(['a', 'a'], 0)).toEqual(['a']);
    expect(presence.see(['a', 'b'], 100)).toEqual(['b']);
    for (const now of [200, 400, 600, 800]) expect(presence.see([], now)).toEqual([]);
    expect(presence.see(['a'], 900)).toEqual([]); // a hand was over it
    expect(presence.see(['b'], 901)).toEqual(['b']);
    for (const now of [1000, 1200, 1400]) expect(presence.see([], now)).toEqual([]);
    expect(presence.see(['a'], 1701)).toEqual(['a']);
  });

  test('is still there where a slow device did not look for a while', () => {
    const presence = new Presence(800, 3);
    expect([0, 1500, 3000, 4500].map((now) => presence.see(['a'], now))).toEqual([['a'], [], [], []]);
    for (const now of [6000, 7500]) presence.see([], now);
    expect(presence.see(['a'], 9000)).toEqual([]);
    for (const now of [10_500, 12_000, 13_500]) presence.see([], now);
    expect(presence.see(['a'], 15_000)).toEqual(['a']);
  });

  test('is told once for as long as it lies there', () => {
    const presence = new Presence(800);
    const told = Array.from({ length: 600 }, (_, at) => presence.see(['a'], at * 66)).flat();
    expect(told).toEqual(['a']);
  });
});

describe('a camera', () => {
  const video = { readyState: 4 } as HTMLVideoElement;
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });

  const frames = (texts: (string[] | Error)[], closed = vi.fn()): Detector => ({
    kind: 'native',
    detect: () => {
      const next = texts.shift() ?? [];
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    close: closed,
  });

  test('tells each card once, refuses what is no code, and stops', async () => {
    const [read, refuse, closed] = [vi.fn(), vi.fn(), vi.fn()];
    const [td, cut] = [writeCode('TD'), writeCode('CUT')];
    const shown = [[td], [td, td], [td, cut], ['V21-TS-6'], [td]];
    const reader = await readCards(video, { read, refuse }, () => Promise.resolve(frames(shown, closed)));
    await vi.advanceTimersByTimeAsync(600);
    expect(read.mock.calls.map(([code]) => nameOf(code as Code))).toEqual(['TD', 'CUT']);
    expect(refuse.mock.calls).toEqual([['V21-TS-6']]);
    shown.push([td]);
    await vi.advanceTimersByTimeAsync(1000);
    shown.push([td]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(read).toHaveBeenCalledTimes(3);
    reader.stop();
    shown.push([writeCode('2C')]);
    await vi.advanceTimersByTimeAsync(1000);
    expect([read.mock.calls.length, closed.mock.calls.length]).toEqual([3, 1]);
  });

  test('looks at most fifteen times a second', async () => {
    const detector = frames([]);
    const detect = vi.spyOn(detector, 'detect');
    const reader = await readCards(video, { read: vi.fn() }, () => Promise.resolve(detector));
    await vi.advanceTimersByTimeAsync(2000);
    reader.stop();
    expect(detect.mock.calls.length).toBeGreaterThan(25);
    expect(detect.mock.calls.length).toBeLessThanOrEqual(31);
  });

  test('says when its reader fails', async () => {
    const [fail, closed] = [vi.fn(), vi.fn()];
    await readCards(video, { read: vi.fn(), fail }, () => Promise.resolve(frames([new Error('decoder')], closed)));
    await vi.advanceTimersByTimeAsync(100);
    expect([fail.mock.calls, closed.mock.calls.length]).toEqual([[['decoder']], 1]);
  });

  test.each([
    ['NotAllowedError', 'denied'],
    ['NotFoundError', 'absent'],
    ['NotReadableError', 'busy'],
    ['TypeError', 'unsupported'],
  ])('that cannot be opened (%s) is %s', async (name, fault) => {
    const getUserMedia = vi.fn(() => Promise.reject(Object.assign(new Error(name), { name })));
    vi.stubGlobal('navigator', { mediaDevices: { getUserMedia } });
    await expect(openCamera()).rejects.toEqual(new CameraRefused(fault as 'denied'));
  });

  test('is asked for at the back, or by its name; a page that is not secure has none', async () => {
    const getUserMedia = vi.fn((_: MediaStreamConstraints) => Promise.resolve({} as MediaStream));
    const enumerateDevices = (): Promise<object[]> =>
      Promise.resolve([
        { kind: 'audioinput', deviceId: 'm', label: 'Microphone' },
        { kind: 'videoinput', deviceId: 'c', label: 'Above the table' },
      ]);
    vi.stubGlobal('navigator', { mediaDevices: { getUserMedia, enumerateDevices } });
    await openCamera();
    await openCamera('c');
    const asked = getUserMedia.mock.calls.map(([wish]) => wish);
    expect(asked.map((wish) => wish.audio)).toEqual([false, false]);
    expect(asked[0]!.video).toMatchObject({ facingMode: 'environment' });
    expect(asked[1]!.video).toMatchObject({ deviceId: { exact: 'c' } });
    expect(await listCameras()).toEqual([{ id: 'c', name: 'Above the table' }]);
    vi.stubGlobal('navigator', {});
    await expect(openCamera()).rejects.toEqual(new CameraRefused('unsupported'));
    expect(await listCameras()).toEqual([]);
  });
});

describe('the detector', () => {
  afterEach(() => vi.unstubAllGlobals());

  class FakeWorker {
    onmessage: ((event: MessageEvent) => void) | null = null;
    onerror: (() => void) | null = null;
    answer: unknown = { texts: ['x'] };
    terminated = false;
    postMessage(): void {
      queueMicrotask(() => this.onmessage?.({ data: this.answer } as MessageEvent));
    }
    terminate(): void {
      this.terminated = true;
    }
  }

  function fakeNative(formats: string[]) {
    return class {
      static getSupportedFormats = (): Promise<string[]> => Promise.resolve(formats);
      constructor(readonly options: { formats: string[] }) {}
      detect = (): Promise<{ rawValue: string }[]> => Promise.resolve([{ rawValue: this.options.formats.join() }]);
    };
  }

  test('is the browser’s own where it reads our codes', async () => {
    vi.stubGlobal('BarcodeDetector', fakeNative(['ean_13', 'qr_code']));
    const worker = vi.fn(function () {
      return new FakeWorker();
    });
    vi.stubGlobal('Worker', worker);
    const detector = await chooseDetector();
    expect(detector.kind).toBe('native');
    expect(await detector.detect({} as HTMLVideoElement)).toEqual(['qr_code']);
    expect(worker).not.toHaveBeenCalled();
  });

  test.each([
    ['none', undefined],
    ['one without our codes', fakeNative(['ean_13'])],
    [
      'one that is broken',
      class {
        static getSupportedFormats = (): Promise<string[]> => Promise.reject(new Error('no service'));
      },
    ],
  ])('is a worker where the browser has %s', async (_, native) => {
    vi.stubGlobal('BarcodeDetector', native);
    vi.stubGlobal('Worker', FakeWorker);
    vi.stubGlobal('createImageBitmap', () => Promise.resolve({}));
    const detector = await chooseDetector();
    expect(detector.kind).toBe('wasm');
    expect(await detector.detect({} as HTMLVideoElement)).toEqual(['x']);
  });

  test('says that it failed, and leaves nobody waiting when it is closed', async () => {
    vi.stubGlobal('createImageBitmap', () => Promise.resolve({}));
    const worker = new FakeWorker();
    const detector = openWorker(worker as unknown as Worker);
    worker.answer = { failed: true };
    await expect(detector.detect({} as HTMLVideoElement)).rejects.toThrow('decoder');
    worker.postMessage = () => worker.onerror?.();
    await expect(detector.detect({} as HTMLVideoElement)).rejects.toThrow('decoder');
    worker.postMessage = () => undefined;
    const waiting = detector.detect({} as HTMLVideoElement);
    await Promise.resolve();
    await Promise.resolve();
    detector.close();
    expect(await waiting).toEqual([]);
    expect(worker.terminated).toBe(true);
  });
});

describe('the pad', () => {
  beforeEach(() => speak('en'));
  afterEach(() => {
    speak('it');
    vi.restoreAllMocks();
  });

  const wide = (width: number): void =>
    void vi.spyOn(HTMLElement.prototype, 'clientWidth', 'get').mockReturnValue(width);

  test('wide, names each of the 52 by one press', async () => {
    wide(800);
    const picked: string[] = [];
    render(CardPad, { onpick: (card: string) => void picked.push(card) });
    const pad = screen.getByRole('group', { name: 'The 52 cards' });
    const buttons = [...pad.querySelectorAll('button')];
    expect(buttons).toHaveLength(52);
    for (const button of buttons) await fireEvent.click(button);
    expect(picked).toEqual(SUITS.flatMap((suit) => RANKS.map((rank) => rank + suit)));
    expect(screen.getByRole('button', { name: 'Ace of spades' })).toBe(buttons[0]);
    expect(buttons.filter((button) => button.tabIndex === 0)).toHaveLength(1);
  });

  test('wide, the arrows go from card to card and stop at the rim', async () => {
    wide(800);
    render(CardPad, { onpick: vi.fn() });
    const pad = screen.getByRole('group', { name: 'The 52 cards' });
    const first = screen.getByRole('button', { name: 'Ace of spades' });
    first.focus();
    for (const key of ['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown']) await fireEvent.keyDown(pad, { key });
    expect(document.activeElement).toBe(screen.getByRole('button', { name: '2 of hearts' }));
  });

  test('narrow, takes a rank and then a suit; a suit alone is nothing', async () => {
    wide(330);
    const picked: string[] = [];
    render(CardPad, { onpick: (card: string) => void picked.push(card) });
    await fireEvent.click(screen.getByRole('button', { name: /^hearts/ }));
    expect(picked).toEqual([]);
    for (const rank of ['10', 'Queen']) {
      await fireEvent.click(screen.getByRole('button', { name: rank }));
      expect(screen.getByRole('button', { name: rank }).getAttribute('aria-pressed')).toBe('true');
      await fireEvent.click(screen.getByRole('button', { name: `${rank} of diamonds` }));
    }
    expect(picked).toEqual(['TD', 'QD']);
  });

  test.each([
    ['en', ['t', 'd', 'Q', 'H', '1', 's', 'k', 'c'], ['TD', 'QH', 'TS', 'KC']],
    ['it', ['t', 'q', 'Q', 'C', '0', 'p', 'k', 'f'], ['TD', 'QH', 'TS', 'KC']],
  ] as const)('by keyboard in %s: rank, then suit', async (language, keys, cards) => {
    wide(330);
    speak(language);
    const picked: string[] = [];
    const { container } = render(CardPad, { onpick: (card: string) => void picked.push(card) });
    const pad = container.querySelector('.pad')!;
    for (const key of keys) await fireEvent.keyDown(pad, { key });
    expect(picked).toEqual(cards);
    await fireEvent.keyDown(pad, { key: 'A' });
    await fireEvent.keyDown(pad, { key: 'Escape' });
    await fireEvent.keyDown(pad, { key: language === 'en' ? 's' : 'p' });
    expect(picked).toEqual(cards);
  });

  test('a card that is out, and a pad that is closed, pick nothing; the cut card has a button', async () => {
    wide(800);
    const [onpick, oncut] = [vi.fn(), vi.fn()];
    const { rerender } = render(CardPad, { onpick, oncut, mayCome: (card: string) => card !== 'AS' });
    await fireEvent.click(screen.getByRole('button', { name: 'Ace of spades: already out' }));
    expect(onpick).not.toHaveBeenCalled();
    await fireEvent.click(screen.getByRole('button', { name: 'Cut card' }));
    expect(oncut).toHaveBeenCalledOnce();
    await rerender({ disabled: true });
    await fireEvent.click(screen.getByRole('button', { name: 'Cut card' }));
    await fireEvent.click(screen.getByRole('button', { name: 'King of clubs' }));
    expect([onpick.mock.calls.length, oncut.mock.calls.length]).toEqual([0, 1]);
  });

  test('keys of both languages name every card', () => {
    for (const language of ['it', 'en'] as const)
      expect(new Set([...'PCQFSHD'].map((key) => suitOfKey(key, language)).filter(Boolean)).size).toBe(4);
    expect([...'A23456789TJQK'].map(rankOfKey)).toEqual([...RANKS]);
    expect([rankOfKey('X'), rankOfKey('Enter'), suitOfKey('X', 'it')]).toEqual([null, null, null]);
  });
});
