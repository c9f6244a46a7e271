import { beforeEach, describe, expect, test } from 'vitest';
import { heard, totalSaid } from '../sound/lines';
import { Sounds, SCORES, type Sound } from '../sound/sounds';
import { Voice, chooseVoice } from '../sound/voice';
import { mine, results, round, betting, bettingMine } from '../pages/parts/samples';
import { speak } from '../words/words.svelte';

/** Counts what is started and remembers the master volume. */
function context(state = 'running'): { made: () => AudioContext; started: () => number; gains: { value: number }[] } {
  let started = 0;
  const gains: { value: number }[] = [];
  const param = (): object => ({ value: 0, setValueAtTime: () => {}, exponentialRampToValueAtTime: () => {} });
  const node = (): object => ({
    connect: (to: object) => to,
    start: () => {
      started += 1;
    },
    stop: () => {},
    frequency: param(),
    Q: param(),
    type: '',
  });
  const fake = {
    state,
    currentTime: 0,
    sampleRate: 1000,
    destination: {},
    resume: () => Promise.resolve(),
    createGain: () => {
      const gain = { ...param(), value: 1 };
      gains.push(gain);
      return { ...node(), gain };
    },
    createOscillator: node,
    createBufferSource: node,
    createBiquadFilter: node,
    createBuffer: (_: number, length: number) => ({ getChannelData: () => new Float32Array(length) }),
  };
  return { made: () => fake as unknown as AudioContext, started: () => started, gains };
}

beforeEach(() => speak('it'));

describe('sounds', () => {
  test.each(Object.keys(SCORES) as Sound[])('%s starts all its parts', (sound) => {
    const fake = context();
    const sounds = new Sounds(fake.made);
    sounds.wake();
    sounds.play(sound);
    expect(fake.started()).toBe(SCORES[sound].tones.length + SCORES[sound].brushes.length);
    expect(fake.started()).toBeGreaterThan(0);
  });

  test('nothing is heard before the first touch, when off, or at no volume', () => {
    const fake = context();
    const sounds = new Sounds(fake.made);
    sounds.play('chip');
    sounds.wake();
    sounds.on = false;
    sounds.play('chip');
    sounds.on = true;
    sounds.volume = 0;
    sounds.play('chip');
    expect(fake.started()).toBe(0);
    sounds.volume = 35;
    expect(fake.gains[0]!.value).toBeCloseTo(0.35);
    sounds.play('chip');
    expect(fake.started()).toBeGreaterThan(0);
  });

  test('no sound is loud or long', () => {
    for (const { tones, brushes } of Object.values(SCORES))
      for (const part of [...tones, ...brushes]) {
        expect(part.level).toBeLessThanOrEqual(0.3);
        expect(part.at + part.length).toBeLessThan(0.8);
      }
  });
});

describe('the voice', () => {
  const speaker = (
    pending = false,
  ): {
    said: { text: string; lang: string; volume: number }[];
    cancelled: number;
    speak: (u: SpeechSynthesisUtterance) => void;
    cancel: () => void;
    getVoices: () => SpeechSynthesisVoice[];
    pending: boolean;
  } => ({
    said: [],
    cancelled: 0,
    pending,
    getVoices: () => [],
    speak(u) {
      this.said.push({ text: u.text, lang: u.lang, volume: u.volume });
    },
    cancel() {
      this.cancelled += 1;
    },
  });
  const utter = (text: string): SpeechSynthesisUtterance => ({ text }) as SpeechSynthesisUtterance;

  test('speaks in the language and volume of the player, and has its own switch', () => {
    const box = speaker();
    const voice = new Voice(box, utter);
    voice.volume = 50;
    voice.say('Puntate, prego.');
    voice.language = 'en';
    voice.say('No more bets.');
    voice.on = false;
    voice.say('never');
    expect(box.said).toEqual([
      { text: 'Puntate, prego.', lang: 'it-IT', volume: 0.5 },
      { text: 'No more bets.', lang: 'en-GB', volume: 0.5 },
    ]);
  });

  test('each platform speaks with its own best voice of the language (V-68)', () => {
    const voices = (...list: [string, string, boolean?][]): SpeechSynthesisVoice[] =>
      list.map(([name, lang, localService = true]) => ({ name, lang, localService }) as SpeechSynthesisVoice);
    const mac = voices(['Daniel', 'en-GB'], ['Samantha', 'en-US'], ['Luca', 'it-IT'], ['Alice', 'it-IT']);
    const windows = voices(['Microsoft Cosimo', 'it-IT'], ['Microsoft Elsa', 'it-IT'], ['Microsoft Hazel', 'en-GB']);
    const android = voices(['Italiano Svizzera', 'it_CH'], ['Italiano Italia', 'it_IT'], ['English', 'en_US', false]);
    const chosen = (list: SpeechSynthesisVoice[], language: 'it' | 'en'): string | undefined =>
      chooseVoice(list, language)?.name;
    expect([mac, windows, android].map((list) => chosen(list, 'it'))).toEqual([
      'Alice',
      'Microsoft Elsa',
      'Italiano Italia',
    ]);
    expect([mac, windows, android].map((list) => chosen(list, 'en'))).toEqual(['Daniel', 'Microsoft Hazel', 'English']);
    expect(chooseVoice(voices(['Anna', 'de-DE'], ['Itza', 'itz-XX']), 'it')).toBeNull();
  });

  test('speaks the language of the table where it has one', () => {
    const box = speaker();
    new Voice(box, utter).say('Box 4, 7 or 17.', 'en');
    expect(box.said.map((one) => one.lang)).toEqual(['en-GB']);
  });

  test('drops what still waits', () => {
    const box = speaker(true);
    new Voice(box, utter).say('Banco, 17.');
    expect(box.cancelled).toBe(1);
  });

  test('a browser without speech is silent', () => {
    expect(() => new Voice(null, utter).say('x')).not.toThrow();
  });
});

describe('what is heard at a table', () => {
  test('a turn of one’s own: two notes and the total', () => {
    expect(heard({ open: { ...round, turn: null }, mine }, round, mine)).toEqual({
      sounds: ['your-turn'],
      lines: ['Box 4, 7 o 17.'],
    });
  });
  test('a dealer with a language of his own speaks it to everybody', () => {
    const { lines } = heard({ open: { ...round, turn: null }, mine }, round, mine, 'table.box', 'en');
    expect(lines).toEqual(['Box 4, 7 or 17.']);
  });
  test('the round is paid', () => {
    const told = heard({ open: round, mine }, results, mine);
    expect(told.sounds).toContain('turn');
    expect(told.sounds).toContain('win');
    expect(told.lines).toContain('Banco, 17.');
  });
  test('bets open and close', () => {
    expect(heard({ open: results, mine }, betting, bettingMine).lines).toEqual(['Puntate, prego.']);
    expect(heard({ open: betting, mine: bettingMine }, { ...round, turn: null }, mine).lines).toEqual([
      'Niente più puntate.',
    ]);
  });
  test('nothing at first sight, nothing when nothing changes', () => {
    expect(heard(null, round, mine)).toEqual({ sounds: [], lines: [] });
    expect(heard({ open: round, mine }, round, mine)).toEqual({ sounds: [], lines: [] });
  });
  test('a soft total is two numbers', () => expect([totalSaid('7/17'), totalSaid('20')]).toEqual(['7 o 17', '20']));
});
