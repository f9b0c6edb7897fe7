import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { Signed } from './token.ts';

/** Whether a signature is that of the key. Never throws: a key that is no point of the curve signs nothing. */

/** What stands before the 65 bytes of a P-256 point in a SubjectPublicKeyInfo. */
const BEFORE_POINT = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');

/** A browser sends several tokens a visit, and to read a key takes a fifth of what checking a signature does. */
const KEPT_KEYS = 1024;
const kept = new Map<string, KeyObject | undefined>();

const readKey = (point: Buffer): KeyObject | undefined => {
  try {
    return createPublicKey({ key: Buffer.concat([BEFORE_POINT, point]), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
};
const keyOf = (point: Buffer): KeyObject | undefined => {
  const name = point.toString('latin1');
  const known = kept.get(name);
  const key = known ?? readKey(point);
  if (key === undefined) return undefined;
  // The last asked for stands last: the first is the one that was not for longest.
  kept.delete(name);
  kept.set(name, key);
  if (kept.size > KEPT_KEYS) kept.delete(kept.keys().next().value as string);
  return key;
};

const dataOf = ({ text }: Signed): Buffer => Buffer.from(text, 'latin1');

/** At once, for those who read files and lists. */
export const verifyNow = (signed: Signed): boolean => {
  const key = keyOf(signed.key);
  return key !== undefined && verify('sha256', dataOf(signed), { key, dsaEncoding: 'ieee-p1363' }, signed.signature);
};

/** In the thread pool: a signature takes as long to check as all the rest of a screening, and nobody else should wait for it. */
export const verifyAside = (signed: Signed): Promise<boolean> =>
  new Promise((resolve) => {
    const key = keyOf(signed.key);
    if (key === undefined) return resolve(false);
    verify('sha256', dataOf(signed), { key, dsaEncoding: 'ieee-p1363' }, signed.signature, (error, fits) =>
      resolve(error === null && fits),
    );
  });
