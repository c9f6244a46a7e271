import { describe, expect, test } from 'vitest';
import construction from '../../../tests/house/vectors/construction.json';
import drbg from '../../../tests/house/vectors/drbg.json';
import liar from '../../../tests/house/vectors/liar.json';
import sequences from '../../../tests/house/vectors/sequence.json';
import tampering from '../../../tests/house/vectors/tampering.json';
import { type BeaconChain, CHAINS, isSigned } from '../verifier/beacon';
import { ascii, hex, sha256, unhex } from '../verifier/bytes';
import { decode, digest, encode, type Json, Unreadable } from '../verifier/canonical';
import { type Commitment, read, rulesOf } from '../verifier/shoe_document';
import { DrawSeed, findDifference } from '../verifier/draws';
import type { Fields } from '../verifier/fields';
import { Generator, shuffled, Stream } from '../verifier/drbg';
import { climb, consistent, leaf, root } from '../verifier/merkle';
import { known } from '../verifier/sheet';
import { readKept } from '../verifier/kept';
import { checkSequence } from '../verifier/sequence';
import { Unproven } from '../verifier/unproven';
import { arrangement, verify } from '../verifier/verify';

type Change = [path: (string | number)[], ...value: Json[]];
interface Case {
  name: string;
  document: string;
  changes: Change[];
  readable: boolean;
  at: string;
}
interface Tree {
  [key: string | number]: Tree | Json;
}
const documents = import.meta.glob<Tree>('../../../tests/house/vectors/document-*.json', {
  import: 'default',
  eager: true,
});
const stored = new Map(Object.entries(documents).map(([path, one]) => [/document-(.*)\.json$/.exec(path)![1]!, one]));
const sheets = await known();
const ownChain: BeaconChain = {
  hash: unhex(construction.beacon.chain.hash),
  key: unhex(construction.beacon.chain.public_key),
};
const games = sheets.map(({ sheet }) => sheet.game.id);

function applied(document: Tree, changes: readonly Change[]): Tree {
  const changed = structuredClone(document);
  for (const [path, ...value] of changes) {
    const holder = path.slice(0, -1).reduce<Tree>((at, word) => at[word] as Tree, changed);
    const last = path.at(-1)!;
    if (value.length) holder[last] = value[0]!;
    else delete holder[last];
  }
  return changed;
}

/** As in Python: whether it can be read, and the place of the first thing wrong. */
async function fault(
  changed: Tree,
  original: Tree,
  chains: readonly BeaconChain[] = [...CHAINS, ownChain],
): Promise<{ readable: boolean; at: string }> {
  const made = original.commitment as { game: string; sheet: string };
  const { sheet } = sheets.find((one) => one.sheet.game.id === made.game)!;
  try {
    await verify(read(JSON.stringify(changed), games), { sheet, hash: made.sheet }, '', () => undefined, chains);
  } catch (no) {
    if (no instanceof Unreadable) return { readable: false, at: no.at };
    if (no instanceof Unproven) return { readable: true, at: no.at };
    throw no;
  }
  return { readable: true, at: '' };
}

describe('X-01: the vectors that Python is checked by', () => {
  test('are the construction: generator, numbers, shuffle, trees, order of play', async () => {
    const seed = Uint8Array.from({ length: 32 }, (_, i) => i);
    const made = (): Promise<Generator> => Generator.made(seed, seed.slice(0, 16), ascii('vectors'));
    expect(hex(await (await made()).generate(64))).toBe(construction.stream);
    const stream = new Stream(await made());
    for (const [bound, value] of construction.below) expect(await stream.below(bound!)).toBe(value);
    for (const [size, order] of construction.shuffled as [number, number[]][])
      expect(await shuffled(size, stream)).toEqual(order);
    const leaves = await Promise.all(construction.leaves.map((one) => leaf(unhex(one))));
    for (const [size, due] of construction.roots.entries()) expect(hex(await root(leaves.slice(0, size)))).toBe(due);
    for (const [index, size, path] of construction.paths as [number, number, string[]][]) {
      expect(hex((await climb(leaves[index]!, index, size, path.map(unhex)))!)).toBe(construction.roots[size]);
      expect(await climb(leaves[index]!, index, size, [...path.map(unhex), leaves[0]!])).toBeNull();
    }
    const { commitment: plain } = construction;
    const commitment: Commitment = {
      ...plain,
      root: unhex(plain.root),
      previous: unhex(plain.previous),
      version: 1,
      draws: unhex(''),
      beacon: null,
      plain,
    };
    expect(hex(await rulesOf(commitment))).toBe(construction.rules);
    expect(hex(await digest(plain))).toBe(construction.digest);
    expect(hex(await digest({ kind: 'commitment', commitment: construction.digest, body: plain }))).toBe(
      construction.record,
    );
    const { sheet } = sheets.find((one) => one.sheet.game.id === plain.game)!;
    expect(await arrangement(commitment, construction.reveals.map(unhex), sheet)).toEqual({
      order: construction.order,
      cutCard: construction.cut_card,
    });
  });

  test('are the draws of wheel and boards from a sealed seed (L-22…L-28)', async () => {
    const { commitment: plain } = construction;
    const commitment = {
      ...plain,
      root: unhex(plain.root),
      previous: unhex(plain.previous),
      version: 1,
      beacon: null,
      plain,
    };
    const sealed: Commitment = { ...commitment, draws: await sha256(unhex(construction.draw_seed)) };
    expect(hex(await rulesOf(sealed))).toBe(construction.rules_with_draws);
    const seed = new DrawSeed(unhex(construction.draw_seed), sealed, construction.reveals.map(unhex));
    const { bonus } = sheets.find(({ sheet }) => sheet.game.id === 'link')!.sheet;
    const drawn = construction.draws as unknown as [number, number, Fields][];
    for (const [first, k, told] of drawn)
      expect(findDifference(told, await seed.draw(bonus, first, k)), `${first} ${k}`).toBeNull();
    const [, , told] = drawn.find(([, , one]) => (one.diamonds as string[]).length)!;
    const other = { ...told, diamonds: [...(told.diamonds as string[]), 'GRAND'] };
    expect(findDifference(other, await seed.draw(bonus, 17, 722))).not.toBeNull();
  });

  const slow = { timeout: 60_000 }; // pairings in JavaScript, on a machine that may be busy
  test('are rounds of a beacon, published ones and those of a chain with a test key', slow, async () => {
    const [quicknet] = CHAINS;
    const published = construction.published as [number, string][];
    for (const [round, signature] of published) expect(await isSigned(quicknet!, round, unhex(signature))).toBe(true);
    const [round, signature] = published[0]!;
    expect(await isSigned(quicknet!, round + 1, unhex(signature))).toBe(false);
    expect(await isSigned(ownChain, round, unhex(signature))).toBe(false);
    for (const [number, own] of construction.beacon.rounds as [number, string][])
      expect(await isSigned(ownChain, number, unhex(own))).toBe(true);
    for (const wrong of ['ff'.repeat(48), '00'.repeat(48), `c0${'00'.repeat(47)}`])
      expect(await isSigned(quicknet!, 1000, unhex(wrong))).toBe(false);
    expect(await fault(stored.get('ventuno-2-beacon')!, stored.get('ventuno-2-beacon')!, CHAINS)).toEqual({
      readable: true,
      at: 'commitment.beacon.chain',
    });
  });

  test('are those of the generator that NIST published, as far as cuts use it', async () => {
    const plain = drbg.vectors.filter(({ calls }) => calls.every((one) => 'generate' in one && one.generate === ''));
    expect(plain.length).toBeGreaterThan(0);
    for (const one of plain) {
      const generator = await Generator.made(unhex(one.entropy), unhex(one.nonce), unhex(one.personalization));
      let last = '';
      for (const _ of one.calls) last = hex(await generator.generate(128));
      expect(last).toBe(one.returned);
    }
  });

  test.each([...stored.keys()])('hold as they are: %s', async (name) => {
    expect(await fault(stored.get(name)!, stored.get(name)!)).toEqual({ readable: true, at: '' });
  });

  const cases = tampering as unknown as Case[];
  test('are many', () => expect(cases.length).toBeGreaterThan(300));
  test.each(cases.map((one) => [`${one.document}: ${one.name}`, one] as const))(
    'name the same place: %s',
    async (_, one) => {
      const original = stored.get(one.document)!;
      const found = await fault(applied(original, one.changes), original);
      expect(found.readable).toBe(one.readable);
      // inside a scenario this reader says more than Python's
      expect(
        found.at === one.at || (!one.readable && one.at !== '' && found.at.startsWith(`${one.at}.`))
          ? one.at
          : found.at,
      ).toBe(one.at);
    },
  );
});

interface Lie extends Case {
  rests_on: string;
  kept_at?: string;
  kept_rests_on?: string;
  kept_changes?: Change[];
}
const keptFiles = import.meta.glob<Tree>('../../../tests/house/vectors/kept-*.json', {
  import: 'default',
  eager: true,
});
const keptOf = (name: string, changes: readonly Change[] = []): string[] =>
  Object.entries(keptFiles)
    .filter(([path]) => path.endsWith(`/kept-${name}.json`))
    .map(([, one]) => JSON.stringify(applied(one, changes)));

/** As in Python: the place of the first thing wrong, and on whose word it rests where nothing is. */
async function judged(changed: Tree, original: Tree, kept: readonly string[]): Promise<{ at: string; on: string }> {
  const made = original.commitment as { game: string; sheet: string };
  const { sheet } = sheets.find((one) => one.sheet.game.id === made.game)!;
  try {
    const dossier = read(JSON.stringify(changed), games);
    const verdict = await verify(
      dossier,
      { sheet, hash: made.sheet },
      '',
      () => undefined,
      [...CHAINS, ownChain],
      kept.map(readKept),
    );
    return { at: '', on: verdict.restsOn };
  } catch (no) {
    if (no instanceof Unreadable || no instanceof Unproven) return { at: no.at, on: '' };
    throw no;
  }
}

describe('X-24: a house that lies and signs', () => {
  const lies = liar as unknown as Lie[];
  test('is tried in every field', () => expect(lies.length).toBeGreaterThan(250));
  test.each(lies.map((one) => [`${one.document}: ${one.name}`, one] as const))(
    'is named, or told as the weaker verdict: %s',
    async (_, one) => {
      const original = stored.get(one.document)!;
      const told = applied(original, one.changes);
      const found = await judged(told, original, []);
      if (one.readable) expect(found).toEqual({ at: one.at, on: one.rests_on });
      else expect(found.at.startsWith(one.at)).toBe(true);
      if (one.kept_at === undefined || !one.readable) return;
      expect(await judged(told, original, keptOf(one.document, one.kept_changes))).toEqual({
        at: one.kept_at,
        on: one.kept_rests_on,
      });
    },
  );

  test('a promise written after an honest reveal is told by the list of promises alone', async () => {
    const written = lies.filter((one) => one.name.endsWith('after an honest reveal'));
    expect(written.length).toBe(4);
    for (const one of written) {
      const original = stored.get(one.document)!;
      const kept = keptOf(one.document, [...one.kept_changes!, [['promise_list']]]);
      expect(await judged(applied(original, one.changes), original, kept), one.name).toEqual({ at: '', on: 'you' });
    }
  });

  test.each(['ventuno-2', 'duello-2'])('and an honest one is verified by you: %s', async (name) => {
    const original = stored.get(name)!;
    expect(await judged(original, original, keptOf(name))).toEqual({ at: '', on: 'you' });
  });

  test('a chain that continues another is told by the proof that Python makes', async () => {
    const roots = construction.roots.map(unhex);
    for (const [old, size, proof] of construction.consistency as [number, number, string[]][]) {
      expect(await consistent(old, roots[old]!, size, roots[size]!, proof.map(unhex))).toBe(true);
      expect(await consistent(old, roots[0]!, size, roots[size]!, proof.map(unhex))).toBe(false);
    }
  });
});

describe('X-01: several shoes against each other', () => {
  const cases = sequences.cases as unknown as {
    name: string;
    shoes: number[];
    changes: Change[][];
    at: string;
    missing: number[];
  }[];
  test.each(cases.map((one) => [one.name, one] as const))('as Python says: %s', async (_, one) => {
    const told = one.shoes.map((number, i) => applied(sequences.documents[number] as unknown as Tree, one.changes[i]!));
    const found = await checkSequence(told.map((document) => read(JSON.stringify(document), games)));
    expect(found.fault?.at ?? '').toBe(one.at);
    if (!one.at) expect(found.missing).toEqual(one.missing);
  });

  test('each of them holds by itself', async () => {
    for (const document of sequences.documents as unknown as Tree[])
      expect(await fault(document, document)).toEqual({ readable: true, at: '' });
  });
});

describe('canonical JSON', () => {
  test('is written as Python writes it', () => {
    expect(encode({ b: [1, -2, true, null], ä: '\u007f€😀"\\\n', '\u{1f600}': 1, '\uffff': 2 })).toBe(
      '{"b":[1,-2,true,null],"\\u00e4":"\\u007f\\u20ac\\ud83d\\ude00\\"\\\\\\n","\\uffff":2,"\\ud83d\\ude00":1}',
    );
  });

  test.each([
    '{"a":1,"a":2}',
    '1.5',
    '1e3',
    '01',
    '-0',
    '9007199254740993',
    '[1,]',
    '{"a"}',
    '"\n"',
    '1 2',
    '',
    'tru',
    '['.repeat(500),
  ])('refuses %s', (text) => {
    expect(() => decode(text)).toThrow(Unreadable);
  });

  test('reads what JSON.parse reads', () => {
    const text = '\ufeff {"a": [1, "\\u00e9\\n", {"b": null}], "c": {}, "d": [], "e": true} ';
    expect(JSON.parse(JSON.stringify(decode(text)))).toEqual(JSON.parse(text.trim().replace('\ufeff', '')));
  });
});
