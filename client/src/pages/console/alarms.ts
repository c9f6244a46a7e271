import type { ConsoleLine, ConsoleResponse } from '../../wire/types';
import { reasonText } from '../../words/why';
import { t } from '../../words/words.svelte';

/** A clock that ran out so long ago should have been served. */
const LATE = 3_000;

export const isLate = (line: ConsoleLine, now: number): boolean =>
  !line.paused && line.deadline !== null && now - line.deadline > LATE;
export const isAlarmed = (line: ConsoleLine, now: number): boolean => isLate(line, now) || line.paused !== '';

/**
 * What a table is called: a shared one by its own name, a table for one or for practice by whose it is, since its own
 * name is made of a number.
 */
export function tableTitle(line: ConsoleLine, names: Readonly<Record<string, string>>, own: boolean): string {
  const owner = names[line.boxes.find((player) => player) ?? ''];
  return (own || line.practice) && owner ? owner : line.table;
}

/** What a supervisor should look at first: the books, the program, clocks that stand, tables that wait. */
export function alarms({ tables, faults, now }: ConsoleResponse, sound: boolean): { text: string; grave: boolean }[] {
  return [
    ...faults.map((detail) => ({ text: t('con.alarm.books', { detail }), grave: true })),
    ...(sound ? [] : [{ text: t('con.alarm.program'), grave: true }]),
    ...tables
      .filter((line) => isLate(line, now))
      .map((line) => ({
        text: t('con.alarm.late', { table: line.table, seconds: Math.floor((now - (line.deadline ?? now)) / 1000) }),
        grave: true,
      })),
    ...tables
      .filter((line) => line.paused)
      .map((line) => ({
        text: t('con.alarm.paused', { table: line.table, reason: reasonText(line.paused) }),
        grave: false,
      })),
  ];
}
