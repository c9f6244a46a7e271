import { ascii, big, type Bytes, same, sha256, unhex } from './bytes';

/**
 * Rounds of a public beacon (docs/fairness.md, Beacon). The curve is loaded when a document names one, and not before.
 */
export interface BeaconChain {
  hash: Bytes;
  key: Bytes;
}

const DOMAIN = 'BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_';
const QUICKNET: BeaconChain = {
  hash: unhex('52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971'),
  key: unhex(
    '83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451' +
      '0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a',
  ),
};
/** The beacons that this verifier trusts: one that the house runs itself would prove nothing. */
export const CHAINS: readonly BeaconChain[] = [QUICKNET];

/** Whether this is the one signature of the round, in the one way to write it. */
export async function isSigned(chain: BeaconChain, round: number, signature: Bytes): Promise<boolean> {
  const { bls12_381: curve } = await import('@noble/curves/bls12-381.js');
  const { hash, verify } = curve.shortSignatures;
  try {
    const point = curve.G1.Point.fromBytes(signature);
    point.assertValidity();
    if (!same(point.toBytes(true), signature)) return false;
    const message = hash(await sha256(big(round, 8)), ascii(DOMAIN));
    return verify(point, message, chain.key);
  } catch {
    // bytes that are no point of the curve, or not of its group
    return false;
  }
}
