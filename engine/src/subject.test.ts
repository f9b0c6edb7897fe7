import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, pay, sdk } from '../test/subjects.ts';
import { deviceId, ENTITY_KINDS, hash53, kindIndex, RELATED_KINDS, RELATIONS } from './entity.ts';
import { countryNumber, knownIndex, makeKnowledge, UNAVAILABLE } from './knowledge.ts';
import { placeNumber } from './place.ts';
import { COUNTED, subjectOf, transactionSubject } from './subject.ts';

describe('a subject', () => {
  test('names one entity per kind, in the order everything is stored in', () => {
    const members = {
      ip_address: '198.51.100.24',
      device_token: 'phone',
      payment_fingerprint: 'card',
      email: 'Ada@Example.COM',
      counterparty_id: 'shop',
    };
    expect(RELATED_KINDS.map((kind) => kindIndex[kind])).toEqual(RELATED_KINDS.map((_, index) => index));
    expect(RELATED_KINDS.slice(0, ENTITY_KINDS.length)).toEqual(ENTITY_KINDS);
    const subject = pay(0, members, sdk('laptop', 'a token'));
    expect(subject.hashes).toEqual([
      ...['u', '198.51.100.24', '198.51.100.0/24', 'phone', 'card', 'ada@example.com', 'shop'].map(hash53),
      64_500,
      hash53('example.com'),
      hash53('laptop'),
      countryNumber('DE'),
      placeNumber(subject.knowledge),
      hash53('a token'),
    ]);
  });

  test('names nothing the request does not', () => {
    for (const subject of [pay(0), act(0, 'login')]) {
      expect(subject.hashes).toEqual(RELATED_KINDS.map((kind) => (kind === 'user' ? hash53('u') : 0)));
    }
  });

  test('is not followed by a country, network, place or domain whose source is out of order', () => {
    const request = { user_id: 'u', amount: 1, currency: 'USD', ip_address: '198.51.100.24', email: 'a@example.com' };
    const { hashes } = transactionSubject(request, 0, makeKnowledge().fill(UNAVAILABLE));
    for (const kind of ['asn', 'domain', 'country', 'place', 'likeness', 'token'] as const)
      expect(hashes[kindIndex[kind]]).toBe(0);
  });

  test('has no domain where anybody gets an address', () => {
    const knowledge = makeKnowledge();
    knowledge[knownIndex.email_free] = 1;
    const request = { user_id: 'u', amount: 1, currency: 'USD', email: 'ada@example.com' };
    expect(transactionSubject(request, 0, knowledge).hashes[kindIndex.domain]).toBe(0);
    expect(transactionSubject(request, 0, knowledge).hashes[kindIndex.email]).not.toBe(0);
  });

  test.each([
    [4.99, 'USD', 'small_transactions'],
    [5, 'USD', 'transactions'],
    [4.99, 'GBP', 'transactions'],
    [700, 'JPY', 'small_transactions'],
    [800, 'JPY', 'transactions'],
    // An unknown amount is never a small one.
    [0.01, 'XAU', 'transactions'],
  ])('of %d %s counts as one of %s', (amount, currency, counted) => {
    expect(COUNTED[pay(0, { amount, currency }).counted]).toBe(counted);
  });

  test.each([
    ['login', 'succeeded', 'logins'],
    ['login', undefined, 'logins'],
    ['login', 'failed', 'failed_logins'],
    ['signup', 'succeeded', 'signups'],
    ['password_reset', 'succeeded', 'changes'],
    ['password_change', 'succeeded', 'changes'],
    ['email_change', 'succeeded', 'changes'],
    ['phone_change', 'succeeded', 'changes'],
    ['address_change', 'succeeded', 'changes'],
    ['mfa_change', 'succeeded', 'changes'],
    ['payment_method_added', 'succeeded', 'methods_added'],
    ['payout_request', 'succeeded', 'other_events'],
    ['logout', 'succeeded', 'other_events'],
    ['other', 'failed', 'other_events'],
  ] as const)('of a %s that %s counts as one of %s', (type, outcome, counted) => {
    expect(COUNTED[act(0, type, outcome === undefined ? {} : { outcome }).counted]).toBe(counted);
  });

  test('counts what is stored in an order that only grows at its end', () => {
    expect(COUNTED.slice(0, 8)).toEqual([
      'transactions',
      'small_transactions',
      'logins',
      'failed_logins',
      'signups',
      'changes',
      'methods_added',
      'other_events',
    ]);
  });

  test('is made anew from what was stored of it', () => {
    const [payment, login] = [pay(5, { ip_address: '2001:db8::7' }), act(6, 'login', { outcome: 'failed' })];
    expect(subjectOf('transaction', payment.request, payment.at, payment.knowledge)).toEqual(payment);
    expect(subjectOf('event', login.request, login.at)).toEqual(login);
  });

  test('relates every kind to others, never to itself', () => {
    for (const kind of ENTITY_KINDS) expect(RELATIONS[kind]).not.toContain(kind);
  });
});

describe('the hash of a name', () => {
  test('is a whole number of 53 bits, always the same', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        const hash = hash53(value);
        expect(Number.isInteger(hash) && hash >= 0 && hash <= Number.MAX_SAFE_INTEGER).toBe(true);
        expect(hash53(value)).toBe(hash);
      }),
    );
  });

  test.each([
    ['', 7_688_432_333_468_444],
    ['a', 3_932_935_528_283_279],
    ['user_1842', 5_220_868_033_722_808],
    ['198.51.100.0/24', 2_928_963_727_656_619],
    ['Ünïcode 😀', 5_780_874_760_431_126],
  ])('of %j stays what it is, for histories are stored with it', (value, hash) => {
    expect(hash53(value)).toBe(hash);
  });

  test('tells a hundred thousand names apart that differ in few characters', () => {
    const hashes = new Set<number>();
    for (let i = 0; i < 50_000; i++) hashes.add(hash53(`user_${i}`));
    for (let i = 0; i < 50_000; i++) hashes.add(hash53(`10.0.${i >> 8}.${i & 255}`));
    expect(hashes.size).toBe(100_000);
  });
});

describe('the name of a device', () => {
  test('stays what it is, for histories are stored under it', () => {
    expect(deviceId('0123456789'.repeat(20))).toBe(`${'0123456789'.repeat(7).slice(0, 64)}~8icsggq32v~200`);
  });

  test('is its token where that is short, and bounded where it is not', () => {
    expect(deviceId('d'.repeat(128))).toBe('d'.repeat(128));
    expect(deviceId('d'.repeat(129)).length).toBeLessThanOrEqual(128);
    expect(deviceId('d'.repeat(4096)).length).toBeLessThanOrEqual(128);
  });

  test('differs for long tokens that differ only at their end or in their length', () => {
    const token = 'd'.repeat(2000);
    expect(new Set([token, `${token}d`, `${token}e`, `${token.slice(0, -1)}e`].map(deviceId)).size).toBe(4);
  });

  test('never holds half a character', () => {
    for (const before of ['', 'x']) expect(deviceId(before + '😀'.repeat(500)).isWellFormed()).toBe(true);
  });
});
