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
/** The games of the house by the names of their sheets. */
const GAMES = Object.keys(import.meta.glob('../../../src/ventuno/sheets/*.toml')).map((path) =>
  path.replace(/^.*\/|\.toml$/g, ''),
);
/** These words mean other things too: the house itself, a side bet, a link of a page. */
const AMBIGUOUS = ['ventuno', 'link'];

/** Whether a source knows a game: by its name anywhere, or by an ambiguous name where a game is compared or chosen. */
function knowsGame(text: string): boolean {
  const code = text.replace(/\/\*[\s\S]*?\*\/|<!--[\s\S]*?-->|\/\/ .*/g, '');
  const names = GAMES.filter((game) => !AMBIGUOUS.includes(game)).map((game) => game.replace('_', '[_ -]?'));
  const quoted = `['"\`](${GAMES.join('|')})['"\`]`;
  const asked = '\\b(game|sheet)(\\.name|\\.id)? *(===?|!==?|:)';
  return new RegExp(
    `\\b(${names.join('|')})\\b|${asked} *${quoted}|${quoted} *(===?|!==?) *\\w*\\.?(game|sheet)`,
    'i',
  ).test(code);
}

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

  test('no game is known by name, but in the invented data of the parts page', () => {
    expect(GAMES.length).toBeGreaterThan(4);
    expect(
      Object.entries(modules)
        .filter(([name, text]) => !/words\/(it|en)\/|\.\/tests\/|pages\/parts\//.test(name) && knowsGame(text))
        .map(([name]) => name),
    ).toEqual([]);
  });

  test.each([
    "if (open.game === 'link')",
    "'ventuno' === sheet",
    'const LOOKS = { sisal: {} }',
    'First Person',
    "game: 'link'",
  ])('a planted name of a game is found: %s', (text) => {
    expect(knowsGame(text)).toBe(true);
    expect(knowsGame(`/* ${text} */`)).toBe(false);
  });

  /** More is two things. Style sheets do not count: they are a list, with one declaration a line. */
  const MOST_LINES = 500;
  const isLong = (text: string) => text.replace(/<style>.*?<\/style>/gs, '').split('\n').length > MOST_LINES;

  test('a module has at most 500 lines of script and markup', () => {
    expect(
      Object.entries(modules)
        .filter(([name, text]) => name !== '../words/fields.ts' && isLong(text)) // written by a script
        .map(([name]) => name),
    ).toEqual([]);
    expect(isLong('\n'.repeat(MOST_LINES))).toBe(true);
    expect(isLong(`<style>${'\n'.repeat(MOST_LINES)}</style>`)).toBe(false);
  });
});
