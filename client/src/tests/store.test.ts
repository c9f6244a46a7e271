import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { HouseClock } from '../wire/clock';
import { House } from '../wire/store.svelte';
import type { AnswerMessage, Asked, Step, TableMessage, Told } from '../wire/types';
import { FakeSocket, WELCOME, settled } from './fakes';
import recorded from './recorded.json';

/** A round at a practice table as the house told it, and at its end the whole table once more. */
const frames = recorded.frames as unknown as { sent?: Asked; told?: Told }[];
const toldFrames = frames.flatMap((frame) => frame.told ?? []);
const first = toldFrames.find((frame): frame is TableMessage => frame.type === 'table')!;
const steps = toldFrames.filter((frame): frame is Step => frame.type === 'step');
const TABLE = recorded.table;

let keys = 0;
const opened = async (): Promise<House> => {
  const house = new House({
    ticket: () => Promise.resolve('t'),
    connect: (url) => new FakeSocket(url) as unknown as WebSocket,
    key: () => `key-${++keys}`,
    random: () => 0,
    clock: new HouseClock(() => 0),
  });
  house.watch(TABLE);
  house.start();
  await settled();
  FakeSocket.last.open();
  FakeSocket.last.tell(WELCOME);
  return house;
};
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

beforeEach(() => {
  vi.useFakeTimers();
  [keys, FakeSocket.made] = [0, []];
});
afterEach(() => vi.useRealTimers());

describe('a recorded round', () => {
  test('folds into the very table that the house shows at its end', async () => {
    const house = await opened();
    const table = house.watch(TABLE);
    const last = toldFrames.findLastIndex((frame) => frame.type === 'table');
    expect(steps.length).toBeGreaterThan(4);
    for (const frame of toldFrames.slice(1, last)) FakeSocket.last.tell(frame);
    const whole = toldFrames[last] as TableMessage;
    expect(table.version).toBe(whole.version);
    expect(plain(table.public)).toEqual(whole.public);
    expect(plain(table.mine)).toEqual(whole.mine);
    expect(table.public!.phase).toBe('results');
  });

  test('a lost step is noticed and asked for, once', async () => {
    const house = await opened();
    const seen = steps.filter((step) => step.version > step.after);
    FakeSocket.last.tell(first);
    FakeSocket.last.sent.length = 0;
    FakeSocket.last.tell(seen[1]!);
    FakeSocket.last.tell(seen[2]!);
    expect(FakeSocket.last.sent).toEqual([
      { type: 'join', id: expect.any(String) as string, table: TABLE, version: first.version },
    ]);
    expect(house.watch(TABLE).version).toBe(first.version);
  });

  test('a step that is known already changes nothing', async () => {
    const house = await opened();
    FakeSocket.last.tell(first);
    for (const step of steps) FakeSocket.last.tell(step);
    const table = house.watch(TABLE);
    const [open, mine] = [table.public, table.mine];
    FakeSocket.last.tell(steps.find((step) => step.version > step.after)!);
    expect([table.public, table.mine]).toEqual([open, mine]);
    expect(table.public).toBe(open);
  });

  test('a step from a version to itself brings what is one’s own', async () => {
    const house = await opened();
    FakeSocket.last.tell(first);
    FakeSocket.last.tell({
      type: 'step',
      table: TABLE,
      after: first.version,
      version: first.version,
      now: first.now,
      public: [],
      mine: [[['balance'], 777]],
    });
    expect(house.watch(TABLE).mine!.balance).toBe(777);
  });
});

describe('asking', () => {
  const answer = (id: string, version: number, refused: AnswerMessage['refused'] = null): Told => ({
    type: 'answer',
    id,
    table: TABLE,
    version,
    refused,
  });

  test('is pending at once and until the answered version is shown', async () => {
    const house = await opened();
    FakeSocket.last.tell(first);
    const table = house.watch(TABLE);
    const asked = house.ask(TABLE, { do: 'undo' });
    const one = table.pending[0]!;
    expect(FakeSocket.last.sent.at(-1)).toEqual({
      type: 'ask',
      id: one.id,
      table: TABLE,
      key: 'key-1',
      command: { do: 'undo' },
    });
    FakeSocket.last.tell(answer(one.id, first.version + 1));
    expect(await asked).toEqual({ version: first.version + 1, refused: null });
    expect(table.pending).toHaveLength(1);
    FakeSocket.last.tell({
      type: 'step',
      table: TABLE,
      after: first.version,
      version: first.version + 1,
      now: 0,
      public: [],
      mine: [],
    });
    expect(table.pending).toEqual([]);
  });

  test('tells a refusal and forgets the mark', async () => {
    const house = await opened();
    FakeSocket.last.tell(first);
    const table = house.watch(TABLE);
    const asked = house.ask(TABLE, { do: 'sit', box: 2 });
    const reason = { code: 'BoxTaken', numbers: { box: 2 } };
    FakeSocket.last.tell(answer(table.pending[0]!.id, first.version, reason));
    expect((await asked).refused).toEqual(reason);
    expect(table.refused).toEqual({ command: { do: 'sit', box: 2 }, reason });
    expect(table.pending).toEqual([]);
  });

  test('is sent again with the same key after a break, after joining with the version one has', async () => {
    const house = await opened();
    FakeSocket.last.tell(first);
    void house.ask(TABLE, { do: 'deal' });
    FakeSocket.last.drop(1006);
    expect(house.line.is).toBe('waiting');
    expect(house.watch(TABLE).public).not.toBeNull();
    void house.ask(TABLE, { do: 'undo' });
    await vi.advanceTimersByTimeAsync(1_000);
    FakeSocket.last.open();
    expect(FakeSocket.last.sent).toEqual([]);
    FakeSocket.last.tell(WELCOME);
    expect(FakeSocket.last.sent.map((message) => message.type)).toEqual(['join', 'ask', 'ask']);
    expect(FakeSocket.last.sent[0]).toMatchObject({ version: first.version });
    expect(
      FakeSocket.last.sent.slice(1).map((message) => (message.type === 'ask' ? [message.key, message.command.do] : [])),
    ).toEqual([
      ['key-1', 'deal'],
      ['key-2', 'undo'],
    ]);
  });

  test('a fault about a message is a refusal of it', async () => {
    const house = await opened();
    FakeSocket.last.tell(first);
    const asked = house.ask(TABLE, { do: 'deal' });
    FakeSocket.last.tell({
      type: 'fault',
      code: 'HouseBusy',
      detail: 'busy',
      id: 'x',
      about: house.watch(TABLE).pending[0]!.id,
    });
    expect((await asked).refused?.code).toBe('HouseBusy');
    expect(house.watch(TABLE).pending).toEqual([]);
  });
});

describe('a house that has just opened', () => {
  test('joins again what it was too busy to show, and asks again what waited for it', async () => {
    const house = await opened();
    const table = house.watch(TABLE);
    const busy = { code: 'HouseBusy', numbers: { waiting: 9, late: 700 } };
    const opening = { code: 'TableOpening', numbers: { table: TABLE, milliseconds: 1_000 } };
    const told = vi.fn();
    void house.ask(TABLE, { do: 'deal' }).then(told);
    const [join, asked] = FakeSocket.last.sent as unknown as [{ id: string }, { id: string }];
    FakeSocket.last.tell({ type: 'answer', id: join.id, table: TABLE, version: 0, refused: busy });
    FakeSocket.last.tell({ type: 'answer', id: asked.id, table: TABLE, version: 0, refused: opening });
    expect([table.closed, table.refused]).toEqual([null, null]);
    FakeSocket.last.sent.length = 0;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(FakeSocket.last.sent.map((message) => message.type)).toEqual(['join', 'ask']);
    expect(FakeSocket.last.sent[1]).toMatchObject({ id: asked.id, key: 'key-1' });
    expect(told).not.toHaveBeenCalled();
  });
});

describe('around the table', () => {
  test('another device took over: the table says so and keeps its last state', async () => {
    const house = await opened();
    FakeSocket.last.tell(first);
    FakeSocket.last.tell({ type: 'notice', kind: 'taken-over', table: TABLE, numbers: {} });
    expect(house.watch(TABLE).closed?.code).toBe('taken-over');
    expect(house.watch(TABLE).public).not.toBeNull();
    expect(house.notices).toHaveLength(1);
    house.dismiss(house.notices[0]!);
    expect(house.notices).toEqual([]);
  });

  test('a table that is not there is closed with its reason', async () => {
    const house = await opened();
    const join = FakeSocket.last.sent.find((message) => message.type === 'join')!;
    FakeSocket.last.tell({
      type: 'answer',
      id: join.id,
      table: TABLE,
      version: 0,
      refused: { code: 'NoSuchTable', numbers: { table: TABLE } },
    });
    expect(house.watch(TABLE).closed?.code).toBe('NoSuchTable');
  });

  test('chat is kept, and parting is told', async () => {
    const house = await opened();
    FakeSocket.last.tell({ type: 'said', table: TABLE, player: '9', name: 'Elena', text: 'Buonasera', at: 1 });
    expect(house.watch(TABLE).said.map((one) => one.text)).toEqual(['Buonasera']);
    house.unwatch(TABLE);
    expect(FakeSocket.last.sent.at(-1)).toMatchObject({ type: 'part', table: TABLE });
    expect(house.tables.size).toBe(0);
  });
});

test('the clock believes the frame that travelled fastest, and forgets old ones', () => {
  let local = 0;
  const clock = new HouseClock(() => local);
  clock.seen(900); // 100 late
  expect(clock.now()).toBe(900);
  clock.seen(980);
  clock.seen(950);
  expect(clock.now()).toBe(980);
  local = 1_000;
  expect(clock.now()).toBe(1_980);
  for (let turn = 0; turn < HouseClock.KEPT; turn += 1) clock.seen(1_500);
  expect(clock.now()).toBe(1_500);
});
