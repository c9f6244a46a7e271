import { describe, expect, test } from 'vitest';
import type { ConsoleLine } from '../wire/types';
import { speak } from '../words/words.svelte';
import { alarms, isAlarmed, isLate } from '../pages/console/alarms';
import { Pace } from '../pages/console/pace';

const line = (more: Partial<ConsoleLine> = {}): ConsoleLine => ({
  table: 'T1',
  game: 'g',
  name: 'G',
  phase: 'betting',
  code: '',
  deadline: null,
  paused: '',
  paused_by: '',
  closing: '',
  practice: false,
  seats: 7,
  seated: 1,
  players: 1,
  staked: 0,
  rounds: 0,
  ...more,
});

describe('the pace of a table', () => {
  test('is not told before there is half a minute to go by', () => {
    const pace = new Pace();
    pace.take(0, [{ table: 'T1', rounds: 10 }]);
    pace.take(29_000, [{ table: 'T1', rounds: 11 }]);
    expect(pace.of('T1')).toBeNull();
    pace.take(60_000, [{ table: 'T1', rounds: 11 }]);
    expect(pace.of('T1')).toBe(60);
  });

  test('forgets what is older than ten minutes, and tables that are gone', () => {
    const pace = new Pace();
    for (let minute = 0; minute <= 30; minute += 1)
      pace.take(minute * 60_000, [{ table: 'T1', rounds: minute < 20 ? 0 : (minute - 20) * 2 }]);
    expect(pace.of('T1')).toBe(120);
    pace.take(31 * 60_000, []);
    expect(pace.of('T1')).toBeNull();
  });
});

describe('alarms', () => {
  test('a clock that ran out is late, unless the table is paused', () => {
    expect(isLate(line({ deadline: 1_000 }), 3_900)).toBe(false);
    expect(isLate(line({ deadline: 1_000 }), 4_100)).toBe(true);
    expect(isLate(line({ deadline: 1_000, paused: 'x' }), 9_000)).toBe(false);
    expect(isAlarmed(line({ deadline: 1_000, paused: 'x' }), 9_000)).toBe(true);
    expect(isAlarmed(line(), 9_000)).toBe(false);
  });

  test('the gravest come first', () => {
    speak('it');
    const told = {
      tables: [line({ paused: 'pausa' }), line({ table: 'T2', deadline: 0 })],
      faults: ['1 cent too many'],
      now: 5_000,
    };
    expect(alarms(told, false).map((one) => one.grave)).toEqual([true, true, true, false]);
    expect(alarms(told, false)[0]!.text).toContain('1 cent too many');
    expect(alarms({ tables: [line()], faults: [], now: 5_000 }, true)).toEqual([]);
  });
});
