import { describe, expect, test } from 'vitest';
import type { ConsoleLine } from '../wire/types';
import { speak } from '../words/words.svelte';
import { alarms, isAlarmed, isLate, tableTitle } from '../pages/console/alarms';
import { describeLine } from '../pages/console/log_text';
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
  boxes: [],
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

  test('a table for one and a practice table go by whose they are', () => {
    const names = { '7': 'Ada' };
    expect(tableTitle(line({ boxes: ['', '7'] }), names, false)).toBe('T1');
    expect(tableTitle(line({ boxes: ['7', '7'] }), names, true)).toBe('Ada');
    expect(tableTitle(line({ boxes: ['7', ''], practice: true }), names, false)).toBe('Ada');
    expect(tableTitle(line({ boxes: [''], practice: true }), names, false)).toBe('T1');
  });

  test('the gravest come first', () => {
    speak('it');
    const told = {
      tables: [line({ paused: 'pausa' }), line({ table: 'T2', deadline: 0 })],
      faults: ['1 cent too many'],
      now: 5_000,
      names: {},
      rights: [],
    };
    expect(alarms(told, false).map((one) => one.grave)).toEqual([true, true, true, false]);
    expect(alarms(told, false)[0]!.text).toContain('1 cent too many');
    expect(alarms({ tables: [line()], faults: [], now: 5_000, names: {}, rights: [] }, true)).toEqual([]);
  });
});

describe('a line of the log', () => {
  const told = (kind: string, fields: Record<string, unknown>): string[] =>
    describeLine({ seq: 1, at: 0, kind, fields }, { '7': 'Ada', '9': 'Eva' }).map((one) => `${one.label} ${one.text}`);

  test('says names for numbers and words for codes, in both languages', () => {
    speak('it');
    expect(told('TableActed', { table: 'T1', act: 'pause', by: '9', reason: 'luce' })).toEqual([
      'tavolo T1',
      'atto pausa',
      'di Eva',
      'motivo luce',
    ]);
    expect(told('RightsChanged', { player: '7', by: '9', what: 'disabled: documento' })).toContain(
      'cosa conto chiuso: documento',
    );
    expect(told('RightsChanged', { player: '7', by: '9', what: 'password code created: passaporto' })).toContain(
      'cosa codice per una nuova password: passaporto',
    );
    expect(told('LoginFailed', { player: '7', reason: 'reset code' })).toContain(
      'motivo codice per la password sbagliato',
    );
    speak('en');
    expect(told('SupervisorViewed', { by: '9', what: 'player', subject: '7' })).toEqual([
      'by Eva',
      'what the page of a player',
      'subject Ada',
    ]);
    expect(told('ProtectionChanged', { player: '7', kind: 'LimitSet', detail: 'loss:day 2000' })[2]).toMatch(
      /^detail .*20\.00$/,
    );
    speak('it');
  });

  test('leads to the page of an account, and to none where there is no such account', () => {
    const [player, by] = describeLine(
      { seq: 1, at: 0, kind: 'RightsChanged', fields: { player: '7', by: 'operator', what: 'role bot' } },
      { '7': 'Ada' },
    );
    expect([player?.player, by?.player, by?.text]).toEqual(['7', '', 'l’operatore']);
  });

  test('shows a word that nobody has translated as it is, rather than nothing', () => {
    expect(told('TableActed', { act: 'juggle', by: '' })).toEqual(['atto juggle']);
  });
});
