import { beforeEach, describe, expect, test, vi } from 'vitest';
import { ascii, hex, unhex } from '../verifier/bytes';
import { digest as digestOf, encode } from '../verifier/canonical';
import { promiseMessage } from '../verifier/promise';
import { signed } from '../verifier/signature';
import { findKept, getKept, keep, type KeptShoe, MOST_KEPT } from '../wire/kept_shoes';
import type { OwnKey } from '../wire/own_key';
import { findSealBasis } from '../table/dialogs/seal_basis';
import { Cut, digest } from '../wire/shoe_cut.svelte';
import { toasts } from '../wire/toasts.svelte';
import type { Asked, ReceiptResponse, ShoeMessage } from '../wire/types';

const COMMITMENT = {
  table: 'T7',
  shoe: 3,
  game: 'duello',
  sheet: '00',
  decks: 6,
  root: 'ab',
  previous: '00',
  version: 2,
};
const shoe = (phase: string, more: Partial<ShoeMessage> = {}): ShoeMessage => ({
  type: 'shoe',
  table: 'T7',
  phase,
  commitment: COMMITMENT,
  players: ['7'],
  promised: [],
  revealed: [],
  deadline: null,
  promises: null,
  receipt: null,
  ...more,
});
const receipt = (height: number): ReceiptResponse => ({
  checkpoint: { house: 'h', table: 'T7', height, head: '00', root: '00', at: 1 },
  key: '00',
  signature: '00',
});

async function makeKey(): Promise<OwnKey> {
  const pair = (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair;
  return {
    public: hex(new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))),
    sign: async (message) => hex(new Uint8Array(await crypto.subtle.sign('Ed25519', pair.privateKey, message))),
  };
}

/** The list of promises as the house signs it before the reveals. */
async function listPromises(
  promises: Readonly<Record<string, string>>,
  commitment = COMMITMENT,
): Promise<NonNullable<ShoeMessage['promises']>> {
  const key = await makeKey();
  const listed = {
    house: 'h',
    table: 'T7',
    shoe: 3,
    commitment: hex(await digestOf(commitment)),
    promises: Object.entries(promises).map(([player, promise]) => ({ player, promise })),
  };
  const signature = await key.sign(ascii(`ventuno/promises/1\n${encode(listed)}`));
  return { listed, key: key.public, signature };
}

describe('X-24: what a browser sends to a cut, and keeps of it', () => {
  beforeEach(() => localStorage.clear());

  test('a promise is signed with its key over this very commitment; bytes and receipts are kept', async () => {
    const sent: Asked[] = [];
    const key = await makeKey();
    const readReceipt = vi.fn(async () => Promise.resolve(receipt(9)));
    const cut = new Cut((message) => sent.push(message) > 0, {
      findKey: async () => Promise.resolve(key),
      readReceipt,
    });
    await cut.asked(shoe('promises'), '7');
    await cut.asked(shoe('promises'), '7');
    const [promise] = sent;
    if (promise?.type !== 'promise') throw new Error('a promise first');
    const promises = await listPromises({ '8': '00'.repeat(32), '7': promise.digest });
    await cut.asked(shoe('reveals', { promised: ['7'], promises }), '7');
    const reveal = sent[1];
    expect(sent.length).toBe(2);
    if (reveal?.type !== 'reveal') throw new Error('a promise, then a reveal');
    expect(await digest(reveal.entropy)).toBe(promise.digest);
    const message = await promiseMessage(COMMITMENT, '7', unhex(promise.digest));
    expect(await signed(unhex(promise.key!), unhex(promise.signature!), message)).toBe(true);

    const taken = { shoe: 3, player: '7', kind: 'reveal' };
    cut.acknowledged({ type: 'acknowledged', table: 'T7', taken, key: 'aa', signature: 'bb' });
    await cut.asked(shoe('cut', { receipt: { ...receipt(7) } }), '7');
    await cut.asked(shoe('cut', { receipt: { ...receipt(8) } }), '7');
    await cut.settled('T7', 3, '7');
    const kept = getKept('T7', 3, '7')!;
    expect(kept.commitment).toBe(hex(await digestOf(COMMITMENT)));
    expect([kept.entropy, kept.promise, kept.key]).toEqual([reveal.entropy, promise.digest, key.public]);
    expect(kept.promise_list).toEqual(promises);
    expect(kept.acknowledgements).toEqual([{ taken, key: 'aa', signature: 'bb' }]);
    expect(kept.receipts?.map((one) => one.checkpoint.height)).toEqual([7, 9]);
    await cut.settled('T7', 4, '7');
    expect(readReceipt).toHaveBeenCalledTimes(1);
  });

  test('nothing is revealed before the house has signed a list of all promises with one’s own in it', async () => {
    const other = '11'.repeat(32);
    const listings: Record<string, (own: string) => Promise<ShoeMessage['promises']>> = {
      none: async () => Promise.resolve(null),
      'without one’s own': async () => listPromises({ '8': other }),
      'with another of one’s own': async () => listPromises({ '7': other }),
      'of another commitment': async (own) => listPromises({ '7': own }, { ...COMMITMENT, root: 'cd' }),
      'not signed': async (own) => ({ ...(await listPromises({ '7': own })), signature: '00'.repeat(64) }),
      'no list': async () => Promise.resolve({ listed: 7 }),
    };
    for (const [name, list] of Object.entries(listings)) {
      toasts.list = [];
      const sent: Asked[] = [];
      const cut = new Cut((message) => sent.push(message) > 0, { findKey: async () => Promise.resolve(null) });
      await cut.asked(shoe('promises'), '7');
      const [promise] = sent;
      const promises = await list(promise?.type === 'promise' ? promise.digest : '');
      await cut.asked(shoe('reveals', { promised: ['7'], promises }), '7');
      expect(
        sent.map((one) => one.type),
        name,
      ).toEqual(['promise']);
      expect(toasts.list.map((one) => one.tone)).toEqual(['bad']);
      expect(getKept('T7', 3, '7')!.promise_list ?? null).toEqual(promises);
    }
  });

  test('who has no key promises without one, and who is not asked sends nothing', async () => {
    const sent: Asked[] = [];
    const cut = new Cut((message) => sent.push(message) > 0, { findKey: async () => Promise.resolve(null) });
    await cut.asked(shoe('promises'), '8');
    expect(sent).toEqual([]);
    await cut.asked(shoe('promises'), '7');
    expect(Object.keys(sent[0]!)).toEqual(['type', 'id', 'table', 'digest']);
    expect('key' in getKept('T7', 3, '7')!).toBe(false);
  });

  test('only so many shoes are kept, the oldest go first', () => {
    const one = (number: number): KeptShoe => ({
      format: 'ventuno-kept/1',
      table: 'T7',
      shoe: number,
      player: '7',
      commitment: '00',
      entropy: '00',
    });
    for (let number = 1; number <= MOST_KEPT + 2; number += 1) keep(one(number));
    expect(getKept('T7', 2, '7')).toBeNull();
    expect(findKept('T7', 3)).toEqual([one(3)]);
    expect(localStorage.length).toBe(MOST_KEPT + 1);
  });
});

describe('X-24: what the seal says that a verdict will rest on', () => {
  const mine = { shoe: COMMITMENT.root, entropy: '00', promised: true, revealed: true };
  const beacon = { chain: '52db9ba7'.repeat(8), round: 35_000_000 };
  test.each([
    ['a beacon that was named', shoe('promises', { commitment: { ...COMMITMENT, beacon } }), mine, 'beacon'],
    ['me, while I am asked', shoe('promises'), mine, 'you'],
    ['me, once my bytes are in', shoe('cut', { players: ['7', '8'], revealed: ['7', '8'] }), mine, 'you'],
    ['others, where mine did not come', shoe('cut', { players: ['7', '8'], revealed: ['8'] }), mine, 'players'],
    ['others, where mine were of another shoe', shoe('cut', { revealed: ['7'] }), { ...mine, shoe: 'cd' }, 'players'],
    ['the house, where nobody cut', shoe('cut'), undefined, 'house'],
    ['the house, where nobody is asked', shoe('promises', { players: [] }), undefined, 'house'],
  ] as const)('%s', (_, told, sent, due) => {
    const basis = findSealBasis(told, sent, '7');
    expect(basis.restsOn).toBe(due);
    expect(basis.beacon).toEqual(due === 'beacon' ? beacon : null);
  });
});
