import { randomBytes } from 'node:crypto';

/** A random odd number below 2³², for a hash index of keys that callers choose. */
export const randomSpread = (): number => (randomBytes(4).readUInt32LE() | 1) >>> 0;
