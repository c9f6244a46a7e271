import type { Bytes } from './bytes';

/** Whether an Ed25519 signature holds; null where this browser has no Ed25519, so that nobody takes silence for yes. */
export async function signed(key: Bytes, signature: Bytes, message: Bytes): Promise<boolean | null> {
  let held: CryptoKey;
  try {
    held = await crypto.subtle.importKey('raw', key, { name: 'Ed25519' }, false, ['verify']);
  } catch (fault) {
    return fault instanceof DOMException && fault.name === 'NotSupportedError' ? null : false;
  }
  return crypto.subtle.verify({ name: 'Ed25519' }, held, signature, message);
}
