import { type Bytes, hex } from '../verifier/bytes';

/**
 * This browser's own Ed25519 key, which signs what it promises for a cut. Made once and kept in IndexedDB; its
 * private half cannot be read, not even by this page.
 */
export interface OwnKey {
  readonly public: string;
  sign(message: Bytes): Promise<string>;
}

const STORE = 'keys';
const NAME = 'cut';

/** The key, or null where this browser has no Ed25519 or keeps nothing: then promises go unsigned. */
export async function findOwnKey(): Promise<OwnKey | null> {
  try {
    const base = await openBase();
    const pair = (await getPair(base)) ?? (await makePair(base));
    base.close();
    return {
      public: hex(new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))),
      sign: async (message) => hex(new Uint8Array(await crypto.subtle.sign('Ed25519', pair.privateKey, message))),
    };
  } catch {
    return null;
  }
}

function openBase(): Promise<IDBDatabase> {
  const opening = indexedDB.open('ventuno', 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore(STORE);
  };
  return ended(opening);
}

const getPair = (base: IDBDatabase): Promise<CryptoKeyPair | undefined> =>
  ended<CryptoKeyPair | undefined>(base.transaction(STORE).objectStore(STORE).get(NAME));

/** Two tabs may make one at once: the first that is written stays, and both use it. */
async function makePair(base: IDBDatabase): Promise<CryptoKeyPair> {
  const made = (await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair;
  try {
    await ended(base.transaction(STORE, 'readwrite').objectStore(STORE).add(made, NAME));
    return made;
  } catch (fault) {
    const first = await getPair(base);
    if (first) return first;
    throw fault;
  }
}

const ended = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('indexedDB'));
  });
