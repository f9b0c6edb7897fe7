import { LIST_KINDS, type ListKind } from '@portcullis/contract';
import { countryNumber, type Identify, kindIndex } from '@portcullis/engine';
import type { Key } from './hash-table.ts';
import { makeKeyedHash } from './keyed-hash.ts';
import { networkOfValue } from './parse-value.ts';

/** Groups of entries: one per kind and one per prefix length of networks, so that empty groups are not searched. */
export const GROUP = Object.fromEntries(LIST_KINDS.map((kind, index) => [kind, index])) as Record<ListKind, number>;
export const FIRST_V4 = LIST_KINDS.length;
export const FIRST_V6 = FIRST_V4 + 32;
export const GROUPS = FIRST_V6 + 128;

/** The kind of the entity that an entry names. Its identity is the one that a subject has. */
const ENTITY_OF = {
  user: kindIndex.user,
  ip_address: kindIndex.ip,
  device: kindIndex.device,
  email: kindIndex.email,
  email_domain: kindIndex.domain,
  payment_fingerprint: kindIndex.fingerprint,
  counterparty: kindIndex.counterparty,
} as const satisfies Partial<Record<ListKind, number>>;

/** The unique number of an IPv4 network within its group. 0 means empty. */
export const v4Number = (word: number): number => word + 1;
export const countryKeyNumber = (country: number): number => country + 1;
/** The part of an identity's check that an entry keeps. */
export const entryCheck = (check: number): number => check | 0;

/**
 * Computes the keys of entries in memory: keyed hashes, since a list can force an `allow`, and an unlucky choice of
 * values would slow down every screening. A value with a unique number needs no check.
 */
export const makeKeys = () => {
  const [place, check] = [makeKeyedHash(), makeKeyedHash()];
  const [keys, checks]: [number[], number[]] = [[], []];
  const v6Number = (a: number, b: number, c: number, d: number): number => (place(a, b, c, d) >>> 0) + 1;
  const networkKey = (value: string): Key => {
    const { family, words, prefix } = networkOfValue(value);
    const [a = 0, b = 0, c = 0, d = 0] = words;
    return family === 4
      ? { group: FIRST_V4 + prefix, number: v4Number(a), check: 0 }
      : { group: FIRST_V6 + prefix, number: v6Number(a, b, c, d), check: check(a, b, c, d) };
  };
  return {
    v6Number,
    v6Check: check,
    /** `value` must be in its stored spelling. */
    keyOf: (identify: Identify, kind: ListKind, value: string): Key => {
      if (kind === 'ip_address' && value.includes('/')) return networkKey(value);
      if (kind === 'country') return { group: GROUP.country, number: countryKeyNumber(countryNumber(value)), check: 0 };
      const entity = ENTITY_OF[kind];
      identify(entity, value, keys, checks);
      return { group: GROUP[kind], number: keys[entity] as number, check: entryCheck(checks[entity] as number) };
    },
  };
};
export type Keys = ReturnType<typeof makeKeys>;
