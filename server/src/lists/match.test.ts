import { type ListKind, normalizeIp, type TransactionRequest } from '@portcullis/contract';
import {
  countryNumber,
  deviceId,
  eventSubject,
  formerDeviceId,
  identifyOffline,
  knowledgeIndex,
  makeKnowledge,
  type Subject,
  transactionSubject,
} from '@portcullis/engine';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeKeyedHash } from './keyed-hash.ts';
import { makeMatcher } from './match.ts';
import { parseValue } from './parse-value.ts';

const NOW = Date.parse('2026-11-14T09:30:00Z');

interface Entry {
  readonly list: string;
  readonly kind: ListKind;
  /** Any accepted spelling. */
  readonly text: string;
  readonly until: number | null;
}
const LISTS = ['block', 'review', 'trusted', 'l1', 'l2'];

const stored = (kind: ListKind, text: string): string => {
  const read = parseValue(kind, text, () => 'tag');
  if ('error' in read) throw new Error(`${kind} ${text} ${read.error}`);
  return read.value;
};
const matcherOf = (entries: readonly Entry[], tenant = 1) => {
  const matcher = makeMatcher(() => identifyOffline);
  for (const id of LISTS) matcher.putList(tenant, { id, name: id });
  for (const { list, kind, text, until } of entries) matcher.add(tenant, list, kind, stored(kind, text), until);
  return matcher;
};

/** All bits of an address, IPv4 mapped into IPv6, computed in the simplest way. */
const bitsOf = (ip: string): string => {
  if (!ip.includes(':')) {
    const v4 = ip.split('.').map((part) => Number(part).toString(2).padStart(8, '0'));
    return '0'.repeat(80) + '1'.repeat(16) + v4.join('');
  }
  const [head = '', tail] = ip.split('::');
  const groups = (text: string | undefined): string[] => (text === undefined || text === '' ? [] : text.split(':'));
  const [before, behind] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - before.length - behind.length }, () => '0');
  return [...before, ...zeros, ...behind]
    .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0'))
    .join('');
};
const isWithin = (ip: string, network: string): boolean => {
  const [start = '', prefix] = network.split('/');
  // An IPv6 network contains no IPv4 address.
  if (ip.includes(':') !== start.includes(':')) return false;
  const bits = prefix === undefined ? 128 : start.includes(':') ? Number(prefix) : 96 + Number(prefix);
  return bitsOf(ip).slice(0, bits) === bitsOf(start).slice(0, bits);
};

/** The meaning of an entry, without any index. */
const isMatch = ({ kind, text }: Entry, subject: Subject): boolean => {
  const { request, knowledge } = subject;
  const of = (subject.type === 'transaction' ? request : {}) as Partial<TransactionRequest>;
  const value = stored(kind, text);
  switch (kind) {
    case 'user':
      return request.user_id === value;
    case 'ip_address':
      return request.ip_address !== undefined && isWithin(request.ip_address, value);
    case 'device':
      return request.device_token !== undefined && deviceId(request.device_token) === value;
    case 'email':
      return request.email?.toLowerCase() === value;
    case 'email_domain':
      return request.email !== undefined && `.${request.email.toLowerCase().split('@')[1]}`.endsWith(`.${value}`);
    case 'payment_fingerprint':
      return of.payment_fingerprint === value;
    case 'counterparty':
      return of.counterparty_id === value;
    case 'country':
      return (
        of.billing_address?.country === value ||
        of.shipping_address?.country === value ||
        knowledge[knowledgeIndex.ip_country] === countryNumber(value)
      );
  }
};
const expected = (entries: readonly Entry[], subject: Subject): string[] => {
  // The last entry of a list with the same value counts.
  const newest = new Map(
    entries.map((entry) => [`${entry.list} ${entry.kind} ${stored(entry.kind, entry.text)}`, entry]),
  );
  const met = [...newest.values()].filter(
    (entry) => (entry.until === null || entry.until > subject.at) && isMatch(entry, subject),
  );
  return LISTS.filter((list) => met.some((entry) => entry.list === list));
};

// Few values, so that subjects match often; addresses that differ in bits at the edges of prefixes.
const id = fc.constantFrom('a', 'b', 'c', 'A', 'a ', '😀', 'a'.repeat(255));
const word = fc.constantFrom(0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 0xc0000200, 0xc0000201);
const dotted = (value: number): string => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
const v6 = fc
  .tuple(word, word, word, word)
  .map((words) =>
    normalizeIp(words.map((one) => `${(one >>> 16).toString(16)}:${(one & 0xffff).toString(16)}`).join(':')),
  );
const address = fc.oneof(word.map(dotted), v6);
const masked = (ip: string, prefix: number): string => {
  const bits = bitsOf(ip);
  const kept = bits.slice(0, prefix).padEnd(128, '0');
  const groups = kept.match(/.{16}/g)?.map((group) => Number.parseInt(group, 2).toString(16)) ?? [];
  return normalizeIp(groups.join(':'));
};
const network = fc.tuple(address, fc.integer({ min: 0, max: 128 })).map(([ip, wanted]) => {
  if (ip.includes(':')) {
    const prefix = Math.max(16, wanted);
    return `${masked(ip, prefix)}/${prefix}`;
  }
  const prefix = 8 + (wanted % 25);
  return `${masked(ip, 96 + prefix)}/${prefix}`;
});
const email = fc
  .tuple(fc.constantFrom('ada', 'Bob'), fc.constantFrom('example.com', 'mail.Example.com', 'ample.com', 'a.b.c.de'))
  .map((parts) => parts.join('@'));
const country = fc.constantFrom('DE', 'FR', 'AD', 'ZW');

const value = (kind: ListKind): fc.Arbitrary<string> => {
  if (kind === 'ip_address') return fc.oneof(address, network);
  if (kind === 'email') return email;
  if (kind === 'email_domain')
    return fc.constantFrom('example.com', 'EXAMPLE.com', 'mail.example.com', 'c.de', 'b.c.de');
  if (kind === 'country') return country;
  if (kind === 'device') return fc.oneof(id, fc.constantFrom('d'.repeat(129), 'd'.repeat(4096)));
  return id;
};
const until = fc.constantFrom(null, null, NOW - 1, NOW, NOW + 1);
const kinds: ListKind[] = [
  'user',
  'ip_address',
  'device',
  'email',
  'email_domain',
  'payment_fingerprint',
  'counterparty',
  'country',
];
const entry: fc.Arbitrary<Entry> = fc
  .constantFrom(...kinds)
  .chain((kind) => fc.record({ list: fc.constantFrom(...LISTS), kind: fc.constant(kind), text: value(kind), until }));

const maybe = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(of, { nil: undefined });
const subject: fc.Arbitrary<Subject> = fc
  .record({
    isEvent: fc.boolean(),
    user: id,
    ip: maybe(address),
    token: maybe(value('device')),
    mail: maybe(email),
    fingerprint: maybe(id),
    counterparty: maybe(id),
    billing: maybe(country),
    shipping: maybe(country),
    ipCountry: maybe(country),
  })
  .map((of) => {
    const knowledge = makeKnowledge();
    if (of.ipCountry !== undefined) knowledge[knowledgeIndex.ip_country] = countryNumber(of.ipCountry);
    const common = {
      user_id: of.user,
      ...(of.ip === undefined ? {} : { ip_address: of.ip }),
      ...(of.token === undefined ? {} : { device_token: of.token }),
      ...(of.mail === undefined ? {} : { email: of.mail }),
    };
    if (of.isEvent) return eventSubject(identifyOffline, { ...common, type: 'login' }, NOW, knowledge);
    const request: TransactionRequest = {
      ...common,
      amount: 1,
      currency: 'EUR',
      ...(of.fingerprint === undefined ? {} : { payment_fingerprint: of.fingerprint }),
      ...(of.counterparty === undefined ? {} : { counterparty_id: of.counterparty }),
      ...(of.billing === undefined ? {} : { billing_address: { country: of.billing } }),
      ...(of.shipping === undefined ? {} : { shipping_address: { country: of.shipping } }),
    };
    return transactionSubject(identifyOffline, request, NOW, knowledge);
  });

describe('the matching lists of a subject', () => {
  test('are those that a scan of every entry finds, in the order of the lists', () => {
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 40 }),
        fc.array(subject, { minLength: 1, maxLength: 10 }),
        (entries, subjects) => {
          const matcher = matcherOf(entries);
          for (const one of subjects) expect(matcher.matching(1, one)).toEqual(expected(entries, one));
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('are correct after any removals', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 60 }), fc.array(fc.nat(59)), subject, (entries, taken, one) => {
        const matcher = matcherOf(entries);
        let left = entries;
        for (const index of taken) {
          const gone = entries[index];
          if (gone === undefined) continue;
          const text = stored(gone.kind, gone.text);
          matcher.remove(1, gone.list, gone.kind, text);
          left = left.filter(
            ({ list, kind, text: other }) => list !== gone.list || kind !== gone.kind || stored(kind, other) !== text,
          );
        }
        expect(matcher.matching(1, one)).toEqual(expected(left, one));
      }),
      { numRuns: 500 },
    );
  });

  test('are correct after a list is dropped', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 60 }), fc.constantFrom(...LISTS), subject, (entries, gone, one) => {
        const matcher = matcherOf(entries);
        matcher.dropList(1, gone);
        const left = entries.filter(({ list }) => list !== gone);
        expect(matcher.matching(1, one)).toEqual(expected(left, one));
        // No entry is left for the next list that gets its number.
        const values = left.map(({ list, kind, text }) => `${list} ${kind} ${stored(kind, text)}`);
        expect(matcher.size(1)).toBe(new Set(values).size);
      }),
      { numRuns: 500 },
    );
  });

  test('are those of the tenant alone', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), subject, (entries, one) => {
        const matcher = matcherOf(entries, 1);
        expect(matcher.matching(2, one)).toEqual([]);
        for (const list of LISTS) matcher.putList(2, { id: list, name: list });
        expect(matcher.matching(2, one)).toEqual([]);
        expect(matcher.matching(1, one)).toEqual(expected(entries, one));
      }),
      { numRuns: 300 },
    );
  });

  test('are the same empty array if there are none: nothing is allocated', () => {
    const matcher = matcherOf([{ list: 'block', kind: 'user', text: 'a', until: null }]);
    const clean = eventSubject(identifyOffline, { user_id: 'b', type: 'login' }, NOW);
    expect(matcher.matching(1, clean)).toBe(matcher.matching(1, clean));
    expect(matcher.matching(2, clean)).toBe(matcher.matching(1, clean));
  });

  test('include an entry up to the millisecond before it expires', () => {
    const matcher = matcherOf([{ list: 'trusted', kind: 'user', text: 'a', until: NOW }]);
    const at = (time: number) =>
      matcher.matching(1, eventSubject(identifyOffline, { user_id: 'a', type: 'login' }, time));
    expect([at(NOW - 1), at(NOW), at(NOW + 1)]).toEqual([['trusted'], [], []]);
  });

  test('are correct among 100,000 entries, while the table grows and after most were removed', () => {
    const matcher = matcherOf([]);
    const is = (user: string) =>
      matcher.matching(1, eventSubject(identifyOffline, { user_id: user, type: 'login' }, NOW)).length === 1;
    for (let i = 0; i < 100_000; i++) matcher.add(1, 'block', 'user', `user_${i}`, null);
    expect(matcher.counts(1, NOW).get('block')).toBe(100_000);
    const numbers = Array.from({ length: 100_000 }, (_, i) => i);
    expect(numbers.filter((i) => !is(`user_${i}`) || is(`other_${i}`))).toEqual([]);
    for (let i = 0; i < 100_000; i++) if (i % 10 !== 0) matcher.remove(1, 'block', 'user', `user_${i}`);
    expect(matcher.size(1)).toBe(10_000);
    expect(numbers.filter((i) => is(`user_${i}`) !== (i % 10 === 0))).toEqual([]);
  });
});

test('the count of a list is correct at any time after any additions, replacements and removals', () => {
  const act = fc.record({
    what: fc.constantFrom('add', 'remove', 'sweep', 'count'),
    list: fc.constantFrom('block', 'review'),
    user: fc.constantFrom('a', 'b', 'c', 'd'),
    in: fc.constantFrom(null, -1, 0, 1, 2, 5),
    wait: fc.nat(2),
  });
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const matcher = matcherOf([]);
      const ends = new Map<string, number>();
      let now = NOW;
      for (const { what, list, user, in: ms, wait } of acts) {
        now += wait;
        const key = `${list} ${user}`;
        if (what === 'add') {
          matcher.add(1, list, 'user', user, ms === null ? null : now + ms);
          ends.set(key, ms === null ? Number.POSITIVE_INFINITY : now + ms);
        } else if (what === 'remove') {
          matcher.remove(1, list, 'user', user);
          ends.delete(key);
        } else if (what === 'sweep') {
          matcher.remove(1, list, 'user', user, now);
          if ((ends.get(key) ?? 0) <= now) ends.delete(key);
        } else {
          const held = [...ends].filter(([of, end]) => of.startsWith(list) && end > now).length;
          expect(matcher.counts(1, now).get(list)).toBe(held);
        }
        expect(matcher.size(1)).toBe(ends.size);
      }
    }),
    { numRuns: 1000 },
  );
});

describe('an entry', () => {
  test('added again has its new expiry and counts once', () => {
    const matcher = matcherOf([
      { list: 'block', kind: 'user', text: 'a', until: NOW - 1 },
      { list: 'block', kind: 'user', text: 'a', until: NOW + 1 },
    ]);
    expect(matcher.size(1)).toBe(1);
    expect(matcher.counts(1, NOW).get('block')).toBe(1);
    expect(matcher.counts(1, NOW + 1).get('block')).toBe(0);
  });

  test('is not swept if it was replaced by one that is not expired', () => {
    const matcher = matcherOf([{ list: 'block', kind: 'user', text: 'a', until: NOW + 5 }]);
    matcher.remove(1, 'block', 'user', 'a', NOW);
    expect(matcher.size(1)).toBe(1);
    matcher.remove(1, 'block', 'user', 'a', NOW + 5);
    expect(matcher.size(1)).toBe(0);
  });

  test('that was the last network of its prefix length removes the length from the search', () => {
    const matcher = matcherOf([{ list: 'block', kind: 'ip_address', text: '198.51.100.0/24', until: null }]);
    expect([matcher.prefixLengths(1, 4), matcher.prefixLengths(1, 6)]).toEqual([[24], []]);
    matcher.remove(1, 'block', 'ip_address', '198.51.100.0/24');
    expect(matcher.prefixLengths(1, 4)).toEqual([]);
  });

  test('does not match another value with the same key', () => {
    const matcher = matcherOf([{ list: 'trusted', kind: 'email', text: 'ceo@example.com', until: null }]);
    const login = (email: string) => eventSubject(identifyOffline, { user_id: 'u', type: 'login', email }, NOW);
    expect(matcher.matching(1, login('ceo@example.com'))).toEqual(['trusted']);
    const forged = { ...login('thief@example.org'), hashes: login('ceo@example.com').hashes };
    expect(matcher.matching(1, forged)).toEqual([]);
  });

  test('of a long device token that release 0.1 stored still matches', () => {
    const token = 'phone '.repeat(100);
    const matcher = matcherOf([]);
    matcher.add(1, 'block', 'device', formerDeviceId(token), null);
    const login = (device_token: string) =>
      eventSubject(identifyOffline, { user_id: 'u', type: 'login', device_token }, NOW);
    expect(matcher.matching(1, login(token))).toEqual(['block']);
    expect(matcher.matching(1, login(`${token} `))).toEqual([]);
  });

  test('takes less than 100 bytes', () => {
    const matcher = matcherOf([]);
    for (let i = 0; i < 50_000; i++) matcher.add(1, 'block', 'user', `user_${i}`, null);
    expect((matcher.bytes() / 50_000) * 1_000_000).toBeLessThan(100e6);
  });
});

test('the keyed hash differs with every key', () => {
  const [one, other] = [makeKeyedHash(), makeKeyedHash()];
  expect(one(1, 2, 3, 4)).toBe(one(1, 2, 3, 4));
  const numbers = Array.from({ length: 100 }, (_, i) => i);
  expect(numbers.filter((i) => one(i, 0, 0, 0) === other(i, 0, 0, 0)).length).toBeLessThan(2);
  expect(new Set(numbers.map((i) => one(0, 0, 0, i))).size).toBe(100);
});
