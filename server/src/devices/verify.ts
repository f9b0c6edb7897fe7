import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import type { SignedPart } from './token.ts';

/** Checks signatures. Never throws: a key that is not a point on the curve verifies nothing. */

/** DER header of a SubjectPublicKeyInfo with a P-256 point; the 65 bytes of the point follow. */
const SPKI_HEADER = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d030107034200', 'hex');

/** A browser sends several tokens per visit, and parsing a key takes a fifth of the time of checking a signature. */
const MAX_CACHED_KEYS = 1024;
const cache = new Map<string, KeyObject | undefined>();

const parseKey = (point: Buffer): KeyObject | undefined => {
  try {
    return createPublicKey({ key: Buffer.concat([SPKI_HEADER, point]), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
};
const keyOf = (point: Buffer): KeyObject | undefined => {
  const name = point.toString('latin1');
  const key = cache.get(name) ?? parseKey(point);
  if (key === undefined) return undefined;
  // Moves the key to the end of the map: the first entry is the least recently used one.
  cache.delete(name);
  cache.set(name, key);
  if (cache.size > MAX_CACHED_KEYS) cache.delete(cache.keys().next().value as string);
  return key;
};

const dataOf = ({ text }: SignedPart): Buffer => Buffer.from(text, 'latin1');

/** Checks a signature on this thread. For readers of files and lists. */
export const verifySync = (signed: SignedPart): boolean => {
  const key = keyOf(signed.key);
  return key !== undefined && verify('sha256', dataOf(signed), { key, dsaEncoding: 'ieee-p1363' }, signed.signature);
};

/**
 * Checks a signature in the thread pool: it takes as long as the rest of a screening and must not delay other
 * requests.
 */
export const verifyInPool = (signed: SignedPart): Promise<boolean> =>
  new Promise((resolve) => {
    const key = keyOf(signed.key);
    if (key === undefined) return resolve(false);
    verify('sha256', dataOf(signed), { key, dsaEncoding: 'ieee-p1363' }, signed.signature, (error, isValid) =>
      resolve(error === null && isValid),
    );
  });
