import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, anySequence, DAY, failedLogin, HOUR, last, MINUTE, pay, START, sdk, times } from '../test/subjects.ts';
import { countedRelations, ENTITY_KINDS, type EntityKind, RELATIONS } from './entity.ts';
import { FACT_NAMES, fact, makeFacts, makeFound, measure } from './facts.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { replay } from './replay.ts';
import { makeSlab } from './slab.ts';
import type { Subject } from './subject.ts';
import { WINDOWS } from './windows.ts';

const told = (...subjects: Subject[]): ((name: string) => number) => {
  const { facts } = last(subjects);
  return (name) => facts[fact(name)] as number;
};
const namesOf = (kind: EntityKind): string[] =>
  FACT_NAMES.filter((name) => name.startsWith(`${kind}.`) && !/\.(?:this|travel)_/.test(name));

const everyEntity = {
  ip_address: '198.51.100.1',
  device_token: 'phone',
  payment_fingerprint: 'card',
  email: 'ada@example.com',
  counterparty_id: 'shop',
};

const TOKEN = sdk('laptop', 'token');

describe('the names of facts', () => {
  test('are each there once and found where they stand', () => {
    expect(new Set(FACT_NAMES).size).toBe(FACT_NAMES.length);
    expect(FACT_NAMES.map(fact)).toEqual(FACT_NAMES.map((_, i) => i));
    expect(makeFacts()).toHaveLength(FACT_NAMES.length);
  });

  test.each(['', 'user', 'user.transactions', 'user.transactions.2h', 'Dollars', 'toString', '__proto__'])(
    'never hide a mistake: %j is no fact and asking for it throws',
    (name) => {
      expect(() => fact(name)).toThrow(`no fact is named ${name}`);
    },
  );

  test.each(ENTITY_KINDS)('cover %s: payments, amounts and relations in every window', (kind) => {
    for (const { name } of WINDOWS) {
      expect(FACT_NAMES).toContain(`${kind}.transactions.${name}`);
      expect(FACT_NAMES).toContain(`${kind}.amount.${name}`);
      for (const other of countedRelations(kind)) expect(FACT_NAMES).toContain(`${kind}.distinct_${other}.${name}`);
    }
  });
});

describe('nothing is claimed of what is not known', () => {
  test.each(ENTITY_KINDS.filter((kind) => kind !== 'user'))('every fact of %s is NaN where none is named', (kind) => {
    const fact = told(pay(0, everyEntity, TOKEN), pay(MINUTE));
    for (const name of namesOf(kind)) expect(fact(name), name).toBeNaN();
    if (kind !== 'domain') expect(fact(`user.this_${kind}_age_ms`)).toBeNaN();
  });

  test.each(ENTITY_KINDS)('a new %s has counts of 0, and no age, mean or maximum', (kind) => {
    const fact = told(pay(0, everyEntity, TOKEN));
    for (const name of namesOf(kind)) {
      const unknown = /_ms$|\.amount_(?:mean|deviation|max)$/.test(name);
      expect(fact(name), name).toBe(unknown ? Number.NaN : 0);
    }
  });

  test('the deviation of one payment is not known, though its mean and maximum are', () => {
    const fact = told(pay(0, { amount: 30 }), pay(1));
    expect(fact('user.amount_mean')).toBe(30);
    expect(fact('user.amount_max')).toBe(30);
    expect(fact('user.amount_deviation')).toBeNaN();
  });

  test('an event has no amount, and neither has a payment without a rate', () => {
    expect(told(act(0, 'login'))('dollars')).toBeNaN();
    expect(told(pay(0, { currency: 'XAU' }))('dollars')).toBeNaN();
    expect(told(pay(0, { amount: 154, currency: 'JPY' }))('dollars')).toBe(1);
  });
});

describe('facts tell what was before the subject', () => {
  test('and never the subject itself', () => {
    const first = told(pay(0, everyEntity));
    expect(first('user.transactions.30d')).toBe(0);
    const second = told(pay(0, everyEntity, TOKEN), pay(0, everyEntity, TOKEN));
    for (const kind of ENTITY_KINDS) expect(second(`${kind}.transactions.1m`), kind).toBe(1);
    for (const kind of RELATIONS.user) expect(second(`user.this_${kind}_age_ms`), kind).toBe(0);
  });

  test('with the age of the entity and of each pair, and the time since it was last seen', () => {
    const fact = told(act(0, 'login'), pay(HOUR, everyEntity, TOKEN), pay(DAY), pay(2 * DAY, everyEntity, TOKEN));
    expect(fact('user.age_ms')).toBe(2 * DAY);
    expect(fact('user.idle_ms')).toBe(DAY);
    expect(fact('user.actions')).toBe(3);
    expect(fact('user.payments')).toBe(2);
    for (const kind of RELATIONS.user) expect(fact(`user.this_${kind}_age_ms`), kind).toBe(2 * DAY - HOUR);
    expect(fact('device.age_ms')).toBe(2 * DAY - HOUR);
    for (const kind of ['device', 'likeness']) expect(fact(`${kind}.this_token_age_ms`), kind).toBe(2 * DAY - HOUR);
  });

  test('counting small payments among the payments, and each kind of event by itself', () => {
    const fact = told(
      pay(0, { amount: 4.99 }),
      pay(1, { amount: 5 }),
      act(2, 'login'),
      failedLogin(3),
      failedLogin(4),
      act(5, 'email_change'),
      act(6, 'payment_method_added'),
      act(7, 'logout'),
      pay(8),
    );
    expect(fact('user.transactions.1m')).toBe(2);
    expect(fact('user.small_transactions.1m')).toBe(1);
    expect(fact('user.logins.1m')).toBe(1);
    expect(fact('user.failed_logins.1m')).toBe(2);
    expect(fact('user.changes.1m')).toBe(1);
    expect(fact('user.methods_added.1m')).toBe(1);
    expect(fact('user.actions')).toBe(8);
    expect(fact('user.amount.1m')).toBeCloseTo(9.99, 9);
  });

  test('counting a payment large for its user among the payments, for all who take part', () => {
    const usual = times(4, (i) => pay(i * DAY, everyEntity));
    const fact = told(
      ...usual,
      pay(5 * DAY, { ...everyEntity, amount: 50 }),
      pay(5 * DAY, { ...everyEntity, amount: 65.1 }),
      pay(5 * DAY),
    );
    // 50 is 2.5 times the mean of 20 and 65.1 is a little more than that of 26.
    expect(fact('user.large_transactions.24h')).toBe(1);
    expect(fact('user.transactions.24h')).toBe(2);
    const later = told(...usual, pay(5 * DAY, { ...everyEntity, amount: 51 }), pay(6 * DAY, everyEntity));
    for (const kind of ['user', 'fingerprint', 'counterparty']) expect(later(`${kind}.large_transactions.7d`)).toBe(1);
  });

  test('with how far at least the user has come, and in what time', () => {
    const [berlin, newYork] = [{ ip_address: '198.51.100.1' }, { ip_address: '192.0.2.1' }];
    const fact = told(act(0, 'login', berlin), pay(HOUR, newYork));
    // 6,385 km apart, less what either may be off.
    expect(fact('user.travel_km')).toBeGreaterThan(6200);
    expect(fact('user.travel_km')).toBeLessThan(6300);
    expect(fact('user.travel_ms')).toBe(HOUR);
    expect(told(act(0, 'login', berlin), pay(HOUR, berlin))('user.travel_km')).toBe(0);
    expect(told(act(0, 'login', berlin), act(1, 'login', newYork), pay(HOUR, newYork))('user.travel_km')).toBe(0);
    expect(told(act(0, 'login', berlin), pay(HOUR))('user.travel_km')).toBeNaN();
    expect(told(act(0, 'login'), pay(HOUR, berlin))('user.travel_km')).toBeNaN();
  });

  test('by the network for addresses that differ in their last part', () => {
    const fact = told(
      ...times(5, (i) => act(i, 'signup', { user_id: `user_${i}`, ip_address: `198.51.100.${i}` })),
      act(9, 'signup', { ip_address: '198.51.100.200' }),
    );
    expect(fact('network.signups.1h')).toBe(5);
    expect(fact('network.distinct_user.1h')).toBe(5);
    expect(fact('ip.signups.1h')).toBe(0);
  });

  test('so that a wider window never holds less than a narrower one', () => {
    fc.assert(
      fc.property(anySequence(40), (subjects) => {
        for (const { facts } of replay(DEFAULT_POLICY, subjects)) {
          for (const name of FACT_NAMES.filter((of) => of.endsWith('.1m'))) {
            const stem = name.slice(0, -'1m'.length);
            const values = WINDOWS.map((window) => facts[fact(stem + window.name)] as number);
            if (Number.isNaN(values[0])) expect(values.every(Number.isNaN)).toBe(true);
            else expect(values.toSorted((a, b) => a - b)).toEqual(values);
          }
        }
      }),
      { numRuns: 15 },
    );
  });

  test('whatever the array held before', () => {
    const subject = pay(0, { device_token: 'phone' });
    const clean = makeFacts();
    measure(makeSlab(8), makeFound(), subject, clean);
    const used = makeFacts().fill(77);
    measure(makeSlab(8), makeFound(), subject, used);
    expect(used).toEqual(clean);
    expect(subject.at).toBe(START);
  });
});
