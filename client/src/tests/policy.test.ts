import { describe, expect, test } from 'vitest';

const components = import.meta.glob<string>('../**/*.svelte', { query: '?raw', import: 'default', eager: true });
const modules = import.meta.glob<string>(['../**/*.ts', '../**/*.svelte', '!../**/*.test.ts', '!../wire/schema.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** What the house's policy forbids in markup: a style as an attribute, a script as one, markup made from text. */
const FORBIDDEN = [
  /\sstyle="/,
  /\sstyle=\{/,
  /\son\w+="/,
  /\{@html/,
  /innerHTML/,
  /<script(?![^>]*lang="ts")/,
  /<svelte:head>/,
];
/** A rule that asks for the name of a game instead of its sheet. */
const NAMED = /\b(game|sheet)(\.name|\.id)? *(===|!==|==) *['"](ventuno|first.person|sisal|duello|link)['"]/;

const forbidden = (text: string): string[] => FORBIDDEN.filter((pattern) => pattern.test(text)).map(String);

describe('the policy', () => {
  test('holds in every component', () => {
    expect(Object.keys(components).length).toBeGreaterThan(50);
    expect(
      Object.entries(components).flatMap(([name, text]) => forbidden(text).map((found) => `${name}: ${found}`)),
    ).toEqual([]);
  });

  test.each(['<i style="color: red">', '<i style={x}>', '<i onclick="go()">', '{@html x}', '<script>let a;</script>'])(
    'a planted breach is found: %s',
    (text) => {
      expect(forbidden(text)).not.toEqual([]);
    },
  );

  test('no game is known by name', () => {
    expect(
      Object.entries(modules)
        .filter(([, text]) => NAMED.test(text))
        .map(([name]) => name),
    ).toEqual([]);
    expect(NAMED.test("if (open.game === 'sisal')")).toBe(true);
  });

  /** More is two things. Style sheets do not count: they are a list, with one declaration a line. */
  const MOST_LINES = 500;
  const isLong = (text: string) => text.replace(/<style>.*?<\/style>/gs, '').split('\n').length > MOST_LINES;

  test('a module has at most 500 lines of script and markup', () => {
    expect(
      Object.entries(modules)
        .filter(([, text]) => isLong(text))
        .map(([name]) => name),
    ).toEqual([]);
    expect(isLong('\n'.repeat(MOST_LINES))).toBe(true);
    expect(isLong(`<style>${'\n'.repeat(MOST_LINES)}</style>`)).toBe(false);
  });
});
