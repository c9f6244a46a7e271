import { describe, expect, it as test } from 'vitest';
import { REMARKS, allowedValues, remarkText, stepValue } from '../pages/odds/names';
import { SCAN, type ScanKey } from '../words/scan';
import { STUDIO, type DeskKey } from '../words/studio';
import { TEACH, type TeachKey } from '../words/teach';
import type { OddsSwitch, CertificateNote } from '../wire/types';
import { describeFields } from '../../scripts/fields.mjs';
import { en, it } from '../words/catalogues';
import written from '../words/fields.ts?raw';
import { why } from '../words/why';
import { speak } from '../words/words.svelte';
import { literals } from './literals';

const fields = (text: string): string[] =>
  [...new Set([...text.matchAll(/\{([\w-]+(?::\w+)?)(?:\|[^{}]*)?\}/g)].map((found) => found[1]!))].sort();
const sources = import.meta.glob<string>('../**/*.svelte', { query: '?raw', import: 'default', eager: true });
const catalogues = import.meta.glob<object>('../../../src/ventuno/words/it/*.json', { import: 'default', eager: true });
const scripts = import.meta.glob<string>(['../**/*.ts', '!../tests/**', '!../words/fields.ts', '!../wire/schema.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

describe('the catalogues', () => {
  test('have the same keys', () => {
    expect(Object.keys(en).sort()).toEqual(Object.keys(it).sort());
  });

  test('have the same fields in each phrase', () => {
    const off = Object.entries(it)
      .filter(([key, text]) => fields(text).join() !== fields(en[key as keyof typeof it]).join())
      .map(([key]) => key);
    expect(off).toEqual([]);
  });

  test('leave no phrase empty but the labels of main spots', () => {
    expect(
      Object.entries(it)
        .filter(([, text]) => !text)
        .map(([key]) => key),
    ).toEqual(['spot.main', 'spot.ante']);
  });

  test('have the fields that the compiler knows', () => {
    expect(written).toBe(describeFields(it));
  });

  test('say no phrase twice: the second would hide the first', () => {
    const keys = Object.entries(catalogues)
      .filter(([name]) => !/(docs|mail|scan|scenario|studio|teach|terminal|video)\.json$/.test(name))
      .flatMap(([, phrases]) => Object.keys(phrases));
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
    expect(keys.length).toBe(Object.keys(it).length);
  });

  test('have no phrase that nobody asks for', () => {
    const texts = [...Object.values(sources), ...Object.values(scripts)];
    expect(unused(Object.keys(it), texts)).toEqual([]);
    expect(unused(['planted.phrase'], texts)).toEqual(['planted.phrase']);
  });

  test('have in the part of the help what it asks for, with the same fields in both languages', () => {
    const keys = Object.keys(TEACH.it) as TeachKey[];
    expect(keys.filter((key) => fields(TEACH.it[key]).join() !== fields(TEACH.en[key]).join())).toEqual([]);
    const texts = Object.entries({ ...sources, ...scripts }).filter(
      ([name]) => name.includes('/pages/help/') || name.endsWith('/words/teach.ts'),
    );
    expect(
      unused(
        keys,
        texts.map(([, text]) => text),
      ),
    ).toEqual([]);
  });

  test('have in the part of the desk what it asks for, with the same fields in both languages', () => {
    const keys = Object.keys(STUDIO.it) as DeskKey[];
    expect(Object.keys(STUDIO.en).sort()).toEqual([...keys].sort());
    expect(keys.filter((key) => fields(STUDIO.it[key]).join() !== fields(STUDIO.en[key]).join())).toEqual([]);
    const texts = Object.entries({ ...sources, ...scripts }).filter(([name]) => name.includes('/pages/dealer/'));
    expect(
      unused(
        keys,
        texts.map(([, text]) => text),
      ),
    ).toEqual([]);
  });

  test('have in the part of the readers the same phrases and fields in both languages', () => {
    const keys = Object.keys(SCAN.it) as ScanKey[];
    expect(Object.keys(SCAN.en).sort()).toEqual([...keys].sort());
    expect(keys.filter((key) => fields(SCAN.it[key]).join() !== fields(SCAN.en[key]).join())).toEqual([]);
    const texts = Object.entries({ ...sources, ...scripts }).filter(([name]) => name.includes('/scan/'));
    expect(
      unused(
        keys,
        texts.map(([, text]) => text),
      ),
    ).toEqual([]);
  });

  test('have every key that is asked for by name', () => {
    const asked = [...Object.values(sources), ...Object.values(scripts)].flatMap((text) =>
      [...text.matchAll(/\bt\('([\w.+-]+)'/g)].map((found) => found[1]!),
    );
    expect(asked.length).toBeGreaterThan(150);
    expect([...new Set(asked)].filter((key) => !(key in it))).toEqual([]);
  });
});

/** The phrases no source asks for: by their key, by a stem with two forms, by a family and a word of the wire. */
function unused(keys: readonly string[], texts: readonly string[]): string[] {
  const all = texts.join('\n');
  const literals = new Set([...all.matchAll(/'([\w.+-]+)'/g)].map((match) => match[1]!));
  const families = [
    ...[...all.matchAll(/`([\w.-]+\.)\$\{/g)].map((match) => match[1]!),
    ...[...all.matchAll(/\bnamed\(\s*'(\w+)'|\bfamily="(\w+)"/g)].map((match) => `${match[1] ?? match[2]!}.`),
  ];
  return keys.filter((key) => {
    const stem = key.replace(/\.(one|other)$/, '');
    return !literals.has(key) && !literals.has(stem) && !families.some((family) => key.startsWith(family));
  });
}

describe('literal text', () => {
  test('there is none in a component', () => {
    expect(Object.keys(sources).length).toBeGreaterThan(50);
    expect(
      Object.entries(sources).flatMap(([name, text]) => literals(text).map((found) => `${name}: ${found}`)),
    ).toEqual([]);
  });

  test.each([
    ['<p>Puntate, prego</p>', ['Puntate, prego']],
    ['<button aria-label="Chiudi">{x}</button>', ['Chiudi']],
    ['<input placeholder="Nome">', ['Nome']],
    ['<img alt="Asso">', ['Asso']],
    ['{#if open}aperto{/if}', ['aperto']],
    ['<script lang="ts">const words = "fine";</script><p>{t("a.b")} · 21 €</p><style>p { color: red; }</style>', []],
    ['<!-- a remark --><i class="name" title={t("x")}></i>', []],
    ["<b>{a > b ? t('x') : t('y')}</b>", []],
  ])('a planted one is found: %s', (text, found) => {
    expect(literals(text)).toEqual(found);
  });
});

describe('why not', () => {
  test('comes with its numbers in the language of the reader', () => {
    const limit = { code: 'LimitReached', numbers: { bet: '21+3', maximum: 20_000, asked: 22_500 } };
    speak('it');
    expect(why(limit)).toBe('Limite raggiunto: 21+3 al massimo €\u00a0200,00.');
    speak('en');
    expect(why(limit)).toBe('Limit reached: 21+3 takes €200.00 at most.');
    speak('it');
  });

  test('translates what the rules say', () => {
    expect(
      why({
        code: 'ActionNotAllowed',
        numbers: { action: 'split', reason: 'equal-value' },
      }),
    ).toBe('Dividi: servono due carte di pari valore.');
  });

  test('says in the language of the reader why a session is over', () => {
    expect(why({ code: 'SessionOver', numbers: { reason: 'no-activity', minutes: 30 } })).toContain(
      '30 minuti senza attività',
    );
    expect(why({ code: 'SessionOver', numbers: { reason: 'logged-out' } })).toContain('sei uscito');
    expect(why({ code: 'BonusImpossible', numbers: { reason: 'wheel-spun' } })).toContain('la ruota ha già girato');
  });

  test('knows an exclusion without end', () => {
    expect(why({ code: 'PlayExcluded', numbers: { until: 0 } })).toBe('Sei escluso dal gioco a tempo indeterminato.');
  });

  test('counts minutes as minutes and money as money', () => {
    const limit = (name: string): string =>
      why({ code: 'ProtectionLimit', numbers: { name, limit: 6000, used: 5000, asked: 2000 } });
    expect(limit('loss:day')).toContain('€\u00a060,00');
    expect(limit('session:minutes')).toContain('6.000');
  });

  test('falls back on the sentence of the house, or on the code', () => {
    expect(why({ code: 'SomethingNew', detail: 'the roof leaks', numbers: {} })).toBe('the roof leaks');
    expect(why({ code: 'SomethingNew', numbers: {} })).toBe('SomethingNew');
  });

  test('leaves what a person wrote as it is', () => {
    expect(why({ code: 'TablePaused', numbers: { reason: 'una carta è caduta' } })).toContain(': una carta è caduta.');
    expect(why({ code: 'TablePaused', numbers: { reason: 'restart' } })).not.toContain('restart');
  });
});

describe('sentences of certificates', () => {
  /** The compiler asks for one of each code that the house has. */
  const codes = Object.keys(REMARKS) as CertificateNote['code'][];
  const said = (code: CertificateNote['code']): string | null =>
    remarkText({ code, text: '', numbers: { hands: 4, percent: 84.57831325, amount: 50_000_000 } });

  test.each(['it', 'en'] as const)('are all told in %s', (language) => {
    speak(language);
    const told = codes.map(said);
    expect(told.filter((text) => text === null || /[{}]|NaN/.test(text))).toEqual([]);
    expect(new Set(told).size).toBe(codes.length);
    expect(said('max-win')).toContain(language === 'it' ? '500.000,00' : '500,000.00');
    expect(said('pair')).toContain(language === 'it' ? '84,58' : '84.58');
  });

  test('one that is not known is left to be shown as it came', () => expect(said('other')).toBeNull());
});

describe('a number that may not be all between its bounds', () => {
  const values = ['0', '3', '4', '5'];
  const lever = {
    path: 'charlie',
    kind: 'whole',
    value: '0',
    values,
    low: 0,
    high: 5,
    legal: values.join(', '),
    criteria: [],
    readings: [],
  } as OddsSwitch;

  test('is stepped over what is not allowed', () => {
    expect([
      stepValue(lever, '0', 1),
      stepValue(lever, '3', -1),
      stepValue(lever, '4', 1),
      stepValue(lever, '5', 1),
      stepValue(lever, '0', -1),
    ]).toEqual(['3', '0', '5', '5', '0']);
    expect([stepValue(lever, '1', 1), stepValue(lever, '2', -1)]).toEqual(['3', '0']);
  });

  test('says what is', () => expect(allowedValues(lever)).toBe('0, 3, 4, 5'));

  test('any other is stepped by one', () => {
    const decks = { ...lever, path: 'shoe.decks', values: [], low: 1, high: 8 };
    expect([stepValue(decks, '1', 1), stepValue(decks, '8', 1), stepValue(decks, '1', -1)]).toEqual(['2', '8', '1']);
  });
});
