import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, pay, sdk } from '../../test/subjects.ts';
import { deviceId, formerDeviceId } from './device-id.ts';
import { ENTITY_KINDS, kindIndex, RELATED_KINDS, RELATIONS, type RelatedKind } from './entity.ts';
import { hash53 } from './hash53.ts';
import { identifyOffline } from './identity.ts';
import { countryNumber, knowledgeIndex, makeKnowledge, UNAVAILABLE } from './lookup-facts.ts';
import { placeNumber } from './place.ts';
import { ACTIVITIES, subjectOf, transactionSubject } from './subject.ts';

const sha256Of = (text: string): Buffer => createHash('sha256').update(Buffer.from(text, 'utf16le')).digest();

const identityOf = (kind: RelatedKind, name: string): [number, number] => {
  const [keys, checks]: [number[], number[]] = [[], []];
  identifyOffline(kindIndex[kind], name, keys, checks);
  return [keys[kindIndex[kind]] as number, checks[kindIndex[kind]] as number];
};

describe('a subject', () => {
  test('has one identity per kind, in stored order', () => {
    const fields = {
      ip_address: '198.51.100.24',
      device_token: 'phone',
      payment_fingerprint: 'card',
      email: 'Ada+news@Example.COM',
      counterparty_id: 'shop',
      shipping_address: { country: 'DE', postal_code: '10 115', line1: '1, Main Street' },
    };
    expect(RELATED_KINDS.map((kind) => kindIndex[kind])).toEqual(RELATED_KINDS.map((_, index) => index));
    expect(RELATED_KINDS.slice(0, ENTITY_KINDS.length)).toEqual(ENTITY_KINDS);
    const subject = pay(0, fields, sdk('laptop', 'a token'));
    const identities = [
      identityOf('user', 'u'),
      identityOf('ip', '198.51.100.24'),
      identityOf('network', '198.51.100.0/24'),
      identityOf('device', 'phone'),
      identityOf('fingerprint', 'card'),
      identityOf('email', 'ada@example.com'),
      identityOf('counterparty', 'shop'),
      identityOf('asn', '64500'),
      identityOf('domain', 'example.com'),
      identityOf('likeness', String(hash53('laptop'))),
      identityOf('shipping', 'de 10115 1mainstreet'),
      identityOf('account', ''),
      [countryNumber('DE'), 0],
      [placeNumber(subject.knowledge), 0],
      identityOf('token', String(hash53('a token'))),
      identityOf('recurring', 'USD 20 shop'),
    ];
    expect(subject.hashes).toEqual(identities.map(([key]) => key));
    expect(subject.checks).toEqual(identities.map(([, check]) => check));
  });

  test('has no hash for a field the request leaves out', () => {
    const always = new Map<RelatedKind, number>([
      ['user', identityOf('user', 'u')[0]],
      ['account', identityOf('account', '')[0]],
    ]);
    for (const subject of [pay(0), act(0, 'login')])
      expect(subject.hashes).toEqual(RELATED_KINDS.map((kind) => always.get(kind) ?? 0));
  });

  test('has no hash of a country, network, place or domain whose data source is unavailable', () => {
    const request = { user_id: 'u', amount: 1, currency: 'USD', ip_address: '198.51.100.24', email: 'a@example.com' };
    const { hashes } = transactionSubject(identifyOffline, request, 0, makeKnowledge().fill(UNAVAILABLE));
    for (const kind of ['asn', 'domain', 'country', 'place', 'likeness', 'token'] as const)
      expect(hashes[kindIndex[kind]]).toBe(0);
  });

  test('has no hash of the domain of a free mail provider', () => {
    const knowledge = makeKnowledge();
    knowledge[knowledgeIndex.email_free] = 1;
    const request = { user_id: 'u', amount: 1, currency: 'USD', email: 'ada@example.com' };
    expect(transactionSubject(identifyOffline, request, 0, knowledge).hashes[kindIndex.domain]).toBe(0);
    expect(transactionSubject(identifyOffline, request, 0, knowledge).hashes[kindIndex.email]).not.toBe(0);
  });

  test.each([
    [4.99, 'USD', 'small_transactions'],
    [5, 'USD', 'transactions'],
    [4.99, 'GBP', 'transactions'],
    [700, 'JPY', 'small_transactions'],
    [800, 'JPY', 'transactions'],
    // An unknown amount is never small.
    [0.01, 'XAU', 'transactions'],
  ])('of %d %s counts under %s', (amount, currency, activity) => {
    expect(ACTIVITIES[pay(0, { amount, currency }).activity]).toBe(activity);
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
  ] as const)('of a %s with outcome %s counts under %s', (type, outcome, activity) => {
    expect(ACTIVITIES[act(0, type, outcome === undefined ? {} : { outcome }).activity]).toBe(activity);
  });

  test('counts activities in a stored order that only grows at the end', () => {
    expect(ACTIVITIES.slice(0, 8)).toEqual([
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

  test('is rebuilt identically from its stored request', () => {
    const [payment, login] = [pay(5, { ip_address: '2001:db8::7' }), act(6, 'login', { outcome: 'failed' })];
    expect(subjectOf(identifyOffline, 'transaction', payment.request, payment.at, payment.knowledge)).toEqual(payment);
    expect(subjectOf(identifyOffline, 'event', login.request, login.at)).toEqual(login);
  });

  test('relates every kind to other kinds, never to itself', () => {
    for (const kind of ENTITY_KINDS) expect(RELATIONS[kind]).not.toContain(kind);
  });
});

describe('hash53', () => {
  test('returns the same 53-bit integer every time', () => {
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
  ])('of %j stays what it is, for facts and model versions are stored with it', (value, hash) => {
    expect(hash53(value)).toBe(hash);
  });

  test('does not collide for a hundred thousand similar names', () => {
    const hashes = new Set<number>();
    for (let i = 0; i < 50_000; i++) hashes.add(hash53(`user_${i}`));
    for (let i = 0; i < 50_000; i++) hashes.add(hash53(`10.0.${i >> 8}.${i & 255}`));
    expect(hashes.size).toBe(100_000);
  });
});

describe('the device identifier', () => {
  test('of a long token has 128 bits of the SHA-256 of its UTF-16 units', () => {
    for (const token of ['0123456789'.repeat(20), '✓ check'.repeat(30), 'x'.repeat(4096)]) {
      const words = sha256Of(token).subarray(0, 16);
      const digest = [0, 4, 8, 12].map((at) => words.readUInt32BE(at).toString(36).padStart(7, '0')).join('');
      expect(deviceId(token)).toBe(`${token.slice(0, 64)}~${digest}~${token.length}`);
    }
  });

  test('of release 0.1 stays the same, since lists are stored with it', () => {
    expect(formerDeviceId('0123456789'.repeat(20))).toBe(`${'0123456789'.repeat(7).slice(0, 64)}~8icsggq32v~200`);
  });

  test('is the token if that is short, and of bounded length otherwise', () => {
    expect(deviceId('d'.repeat(128))).toBe('d'.repeat(128));
    expect(deviceId('d'.repeat(129)).length).toBeLessThanOrEqual(128);
    expect(deviceId('d'.repeat(4096)).length).toBeLessThanOrEqual(128);
  });

  test('differs for long tokens that differ only at the end or in length', () => {
    const token = 'd'.repeat(2000);
    expect(new Set([token, `${token}d`, `${token}e`, `${token.slice(0, -1)}e`].map(deviceId)).size).toBe(4);
  });

  test('never contains half a character', () => {
    for (const before of ['', 'x']) expect(deviceId(before + '😀'.repeat(500)).isWellFormed()).toBe(true);
  });
});
