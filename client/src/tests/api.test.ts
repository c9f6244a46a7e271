import { afterEach, describe, expect, test, vi } from 'vitest';
import { api, Refused } from '../wire/api';

const busy = (seconds: number): Response =>
  new Response(
    JSON.stringify({ error: { code: 'TooMany', detail: '', id: '', numbers: { what: 'account', seconds } } }),
    { status: 429, headers: { 'content-type': 'application/json' } },
  );
const good = (): Response => new Response('{"code":"A"}', { headers: { 'content-type': 'application/json' } });

/** The answers of a house, one after the other; how often it was asked. */
function answers(...given: (() => Response)[]): { asked: number } {
  const house = { asked: 0 };
  vi.stubGlobal('fetch', async () => given[Math.min(house.asked++, given.length - 1)]?.());
  vi.useFakeTimers();
  return house;
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('who reads faster than the house lets him', () => {
  test('waits as long as it says, and has what he asked for', async () => {
    const house = answers(() => busy(2), good);
    const reading = api.replay('A');
    await vi.advanceTimersByTimeAsync(1_999);
    expect(house.asked).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await reading).toEqual({ code: 'A' });
    expect(house.asked).toBe(2);
  });

  test('hears it after some turns, and at once where it takes long', async () => {
    const house = answers(() => busy(1));
    const reading = expect(api.replay('A')).rejects.toThrow(Refused);
    await vi.advanceTimersByTimeAsync(10_000);
    await reading;
    expect(house.asked).toBe(4);
    const slow = answers(() => busy(60));
    await expect(api.replay('A')).rejects.toThrow(Refused);
    expect(slow.asked).toBe(1);
  });

  test('does nothing twice that changes something', async () => {
    const house = answers(() => busy(1), good);
    await expect(api.guest()).rejects.toThrow(Refused);
    expect(house.asked).toBe(1);
  });
});
