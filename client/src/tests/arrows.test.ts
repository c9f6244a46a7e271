import { describe, expect, test } from 'vitest';

const sources = import.meta.glob<string>(['../**/*.ts', '../**/*.svelte', '!./**', '!../wire/schema.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** Which room may use what of which other. `types`: what a compiler takes away, and what draws and fetches nothing. */
const ARROWS: Readonly<Record<string, { uses: readonly string[]; types?: readonly string[] }>> = {
  art: { uses: [] },
  words: { uses: [], types: ['wire'] },
  verifier: { uses: [] },
  keys: { uses: [], types: ['words'] },
  wire: { uses: ['words', 'verifier'] },
  sound: { uses: ['words'], types: ['wire', 'table'] },
  parts: { uses: ['art', 'words', 'keys'], types: ['wire', 'table'] },
  scan: { uses: ['art', 'parts', 'words'] },
  video: { uses: ['parts', 'words', 'wire', 'sound'] },
  table: { uses: ['art', 'parts', 'words', 'wire', 'keys', 'sound', 'video', 'router'] },
  pages: {
    uses: ['art', 'parts', 'scan', 'table', 'words', 'wire', 'keys', 'sound', 'video', 'verifier', 'router', 'routes'],
  },
  style: { uses: [] },
  router: { uses: [] },
  routes: { uses: ['pages'] },
  App: { uses: ['pages', 'parts', 'router', 'routes', 'wire', 'words'] },
  main: { uses: ['App', 'style'] },
};

/** Functions of the table without state, which parts may call: they know views and words, and no other room. */
const PURE = [
  'table/choices',
  'table/lineage',
  'table/reveal',
  'table/settlement',
  'table/studio',
  'table/text',
  'table/views',
  'table/wins',
];

/** A page may use another page's part only where it is listed; every page stands in the frame of `room`. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  account: ['entry'],
  console: ['history'],
  table: ['cashier', 'help', 'history', 'protection', 'settings'],
};

interface Arrow {
  from: string;
  to: string;
  type: boolean;
}

const IMPORT = /(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'(\.[^']+)'|import\(\s*'(\.[^']+)'\s*\)/g;

/** The catalogues, which lie beside the house; the words alone read them. */
const CATALOGUES = /^src\/ventuno\/words\/(it|en)\/\w+\.json$/;

/** Where a module's imports lead, as paths from `src` without the ending. */
function arrows(name: string, text: string): Arrow[] {
  const from = name.replace(/^\.\.\//, '');
  return [...text.matchAll(IMPORT)].map(([, type, fixed, lazy]) => ({
    from,
    to: new URL((fixed ?? lazy)!, `file:///${from}`).pathname.slice(1).replace(/\.(svelte|ts|css)$/, ''),
    type: type !== undefined,
  }));
}

const room = (path: string): string => path.split('/')[0]!.replace(/\.(svelte|ts|svelte\.ts)$/, '');

function isAllowed({ from, to, type }: Arrow): boolean {
  const [here, there] = [room(from), room(to)];
  if (CATALOGUES.test(to)) return /^words\/(catalogues|scan|studio|teach|video)\.ts$/.test(from);
  if (from === 'verifier.ts') return ['style', 'pages'].includes(there); // the other entry, of the verifier alone
  if (here === 'pages' && there === 'pages') {
    const [own, other] = [from.split('/')[1]!, to.split('/')[1]!];
    return own === other || other === 'room' || (PAGES[own] ?? []).includes(other);
  }
  const arrow = ARROWS[here];
  if (!arrow) return false;
  if (PURE.includes(from.replace(/\.ts$/, '')))
    return PURE.includes(to) || there === 'words' || (type && ['wire', 'parts'].includes(there));
  return (
    here === there ||
    arrow.uses.includes(there) ||
    (type && (arrow.types ?? []).includes(there)) ||
    (here === 'parts' && PURE.includes(to))
  );
}

const wrong = (files: Readonly<Record<string, string>>): string[] =>
  Object.entries(files)
    .flatMap(([name, text]) => arrows(name, text))
    .filter((arrow) => !isAllowed(arrow))
    .map(({ from, to }) => `${from} -> ${to}`);

describe('the arrows between the rooms of the client', () => {
  test('point where they may', () => {
    expect(Object.values(sources).flatMap((text) => [...text.matchAll(IMPORT)]).length).toBeGreaterThan(800);
    expect(wrong(sources)).toEqual([]);
  });

  test.each([
    ['../art/arc.ts', "import { t } from '../words/words.svelte';"],
    ['../parts/frame/Icon.svelte', "import { api } from '../../wire/api';"],
    ['../parts/table/Felt.svelte', "import { Session } from '../../table/session.svelte';"],
    ['../table/settlement.ts', "import { api } from '../wire/api';"],
    ['../table/TablePanel.svelte', "import Help from '../pages/help/HelpPanel.svelte';"],
    ['../table/TablePanel.svelte', "await import('../pages/help/HelpPanel.svelte')"],
    ['../wire/api.ts', "import Icon from '../parts/frame/Icon.svelte';"],
    ['../scan/camera.ts', "import { Session } from '../table/session.svelte';"],
    ['../words/amounts.ts', "import { api } from '../wire/api';"],
    ['../table/sums.ts', "import bets from '../../../src/ventuno/words/it/bets.json';"],
    ['../verifier/verify.ts', "import { t } from '../words/words.svelte';"],
    ['../pages/help/HelpPage.svelte', "import Cashier from '../cashier/CashierPage.svelte';"],
    ['../novel/room.ts', "import { t } from '../words/words.svelte';"],
  ])('a planted arrow from %s is found', (name, text) => {
    expect(wrong({ [name]: text })).toHaveLength(1);
  });

  test('a type may come from above, a value may not', () => {
    expect(wrong({ '../parts/room/Header.svelte': "import type { Hand } from '../../wire/types';" })).toEqual([]);
    expect(wrong({ '../parts/room/Header.svelte': "import { Hand } from '../../wire/types';" })).toHaveLength(1);
  });
});
