import { describe, expect, test } from 'vitest';
import { findDuty, listScanned } from '../pages/dealer/duty';
import told from '../pages/dealer/lessons.json';
import { LessonDesk, type Lesson } from '../pages/dealer/practice.svelte';
import { STUDIO, type DeskKey } from '../words/studio';
import { speak } from '../words/words.svelte';

const LESSONS = told as unknown as readonly Lesson[];
speak('it');
const WORDS = ['cut', 'shoe', 'next'];

describe('the lessons of a dealer', () => {
  test.each(LESSONS.map((lesson, k) => [k + 1, lesson] as const))('lesson %i is played to its end', (_, lesson) => {
    const own = new LessonDesk(lesson);
    for (const step of lesson.steps) {
      const duty = findDuty(own.open);
      expect('wanted' in duty, `${step.act}: ${duty.do}`).toBe(!WORDS.includes(step.act) || step.act === 'cut');
      expect(STUDIO.it[`desk.lesson.hint.${step.hint}` as DeskKey]).toBeTruthy();
      if (own.top === null) own.goOn();
      else own.draw();
      expect(own.alarm).toBeNull();
    }
    expect(own.next).toBeNull();
  });

  test('a wrong card is refused aloud and changes nothing', () => {
    const own = new LessonDesk(LESSONS[0]!);
    const before = own.open;
    own.read({ kind: 'card', card: '2C' });
    expect(own.alarm?.title).toContain('mazzo');
    expect([own.open, own.at]).toEqual([before, 0]);
    own.draw();
    expect([own.alarm, own.at]).toEqual([null, 1]);
  });

  test('a card out of turn is refused', () => {
    const own = new LessonDesk(LESSONS[0]!);
    while (own.top !== null) own.draw();
    const at = own.at;
    own.read({ kind: 'card', card: 'KS' });
    expect([own.alarm === null, own.at]).toEqual([false, at]);
  });

  test('a face-down card stands in no list until the rules turn it', () => {
    const own = new LessonDesk(LESSONS[0]!);
    while (own.next?.hint !== 'hole') own.draw();
    const hole = own.next.act;
    own.draw();
    expect(listScanned(own.open).at(-1)).toMatchObject({ place: 'dealer', code: null });
    expect(JSON.stringify(own.open)).not.toContain(hole);
  });
});
