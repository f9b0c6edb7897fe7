import { LIST_KINDS, type ListKind } from '@portcullis/contract';
import { countryNumber, hash53, TWO_32 } from '@portcullis/engine';
import { makeKeyedHash } from './keyed-hash.ts';
import type { Key } from './table.ts';
import { networkOfValue } from './value.ts';

/** Groups of entries: the kinds, and one for networks of each length of prefix, so that nothing is looked for that no list holds. */
export const GROUP = Object.fromEntries(LIST_KINDS.map((kind, index) => [kind, index])) as Record<ListKind, number>;
export const FIRST_V4 = LIST_KINDS.length;
export const FIRST_V6 = FIRST_V4 + 32;
export const GROUPS = FIRST_V6 + 128;

const HIGH_BITS = 0x1fffff;

/** The only number of a network of IPv4 within its group. 0 is kept for what is empty. */
export const v4Number = (word: number): number => word + 1;
/** Of a network of IPv6, 53 bits of its 128. */
export const v6Number = (a: number, b: number, c: number, d: number): number => {
  let low = Math.imul(a ^ 0x811c9dc5, 0x01000193) ^ b;
  let high = Math.imul(c ^ 0x9e3779b9, 0x85ebca6b) ^ d;
  low = Math.imul(low ^ (low >>> 15) ^ high, 0x7feb352d);
  high = Math.imul(high ^ (high >>> 13) ^ low, 0x846ca68b);
  return (high & HIGH_BITS) * TWO_32 + ((low ^ (low >>> 16)) >>> 0) || 1;
};
export const countryKeyNumber = (country: number): number => country + 1;

/** How entries are known in memory. What is wholly told by its number needs no check. */
export const makeKeys = () => {
  const hash = makeKeyedHash();
  const networkKey = (value: string): Key => {
    const { family, words, prefix } = networkOfValue(value);
    const [a = 0, b = 0, c = 0, d = 0] = words;
    return family === 4
      ? { group: FIRST_V4 + prefix, number: v4Number(a), check: 0 }
      : { group: FIRST_V6 + prefix, number: v6Number(a, b, c, d), check: hash.words(a, b, c, d) };
  };
  return {
    hash,
    /** Of a value that was read before. */
    keyOf: (kind: ListKind, value: string): Key => {
      if (kind === 'ip_address' && value.includes('/')) return networkKey(value);
      if (kind === 'country') return { group: GROUP.country, number: countryKeyNumber(countryNumber(value)), check: 0 };
      return { group: GROUP[kind], number: hash53(value), check: hash.text(value) };
    },
  };
};
export type Keys = ReturnType<typeof makeKeys>;
