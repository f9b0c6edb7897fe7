import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, anySequence, DAY, failedLogin, HOUR, last, MINUTE, pay, START, sdk, times } from '../../test/subjects.ts';
import { DEFAULT_POLICY } from '../decide/policy.ts';
import { replay } from '../replay.ts';
import { countedRelations, DETAILED_KINDS, type DetailedKind, RELATIONS } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';
import { makeArena } from './arena.ts';
import { FACT_NAMES, fact, makeFacts } from './facts.ts';
import { makeHistoryLocations } from './locations.ts';
import { measure } from './measure.ts';
import { WINDOWS } from './windows.ts';

const factsOf = (...subjects: Subject[]): ((name: string) => number) => {
  const { facts } = last(subjects);
  return (name) => facts[fact(name)] as number;
};
const namesOf = (kind: DetailedKind): string[] =>
  FACT_NAMES.filter((name) => name.startsWith(`${kind}.`) && !/\.(?:this|travel)_/.test(name));

const everyEntity = {
  ip_address: '198.51.100.1',
  device_token: 'phone',
  payment_fingerprint: 'card',
  email: 'ada@example.com',
  counterparty_id: 'shop',
  shipping_address: { country: 'DE', postal_code: '10115', line1: '1 Main Street' },
};

const TOKEN = sdk('laptop', 'token');

describe('the names of facts', () => {
  test('are unique, and `fact` returns their positions', () => {
    expect(new Set(FACT_NAMES).size).toBe(FACT_NAMES.length);
    expect(FACT_NAMES.map(fact)).toEqual(FACT_NAMES.map((_, i) => i));
    expect(makeFacts()).toHaveLength(FACT_NAMES.length);
  });

  test.each(['', 'user', 'user.transactions', 'user.transactions.2h', 'Dollars', 'toString', '__proto__'])(
    'do not include %j, for which `fact` throws',
    (name) => {
      expect(() => fact(name)).toThrow(`no fact is named ${name}`);
    },
  );

  test.each(DETAILED_KINDS)('cover %s: payments, amounts and relations in every window', (kind) => {
    for (const { name } of WINDOWS) {
      expect(FACT_NAMES).toContain(`${kind}.transactions.${name}`);
      expect(FACT_NAMES).toContain(`${kind}.amount.${name}`);
      for (const other of countedRelations(kind)) expect(FACT_NAMES).toContain(`${kind}.distinct_${other}.${name}`);
    }
  });
});

describe('facts of unknown entities', () => {
  test.each(DETAILED_KINDS.filter((kind) => kind !== 'user'))(
    'every fact of %s is NaN if the request has none',
    (kind) => {
      const fact = factsOf(pay(0, everyEntity, TOKEN), pay(MINUTE));
      for (const name of namesOf(kind)) expect(fact(name), name).toBeNaN();
      if (kind !== 'domain') expect(fact(`user.this_${kind}_age_ms`)).toBeNaN();
    },
  );

  test.each(DETAILED_KINDS)('a new %s has counts of 0, and an unknown age, mean and maximum', (kind) => {
    const fact = factsOf(pay(0, everyEntity, TOKEN));
    for (const name of namesOf(kind)) {
      const unknown = /_ms$|\.other_\w+_days$|\.amount_(?:mean|deviation|max)$/.test(name);
      expect(fact(name), name).toBe(unknown ? Number.NaN : 0);
    }
  });

  test('after one payment the deviation is unknown, but mean and maximum are known', () => {
    const fact = factsOf(pay(0, { amount: 30 }), pay(1));
    expect(fact('user.amount_mean')).toBe(30);
    expect(fact('user.amount_max')).toBe(30);
    expect(fact('user.amount_deviation')).toBeNaN();
  });

  test('an event, and a payment without a rate, have no amount', () => {
    expect(factsOf(act(0, 'login'))('dollars')).toBeNaN();
    expect(factsOf(pay(0, { currency: 'XAU' }))('dollars')).toBeNaN();
    expect(factsOf(pay(0, { amount: 154, currency: 'JPY' }))('dollars')).toBe(1);
  });
});

describe('facts before a subject', () => {
  test('exclude the subject itself', () => {
    const first = factsOf(pay(0, everyEntity));
    expect(first('user.transactions.30d')).toBe(0);
    const second = factsOf(pay(0, everyEntity, TOKEN), pay(0, everyEntity, TOKEN));
    for (const kind of DETAILED_KINDS) expect(second(`${kind}.transactions.1m`), kind).toBe(1);
    for (const kind of RELATIONS.user) expect(second(`user.this_${kind}_age_ms`), kind).toBe(0);
  });

  test('include the age of each entity and pair, and the time since the last activity', () => {
    const fact = factsOf(act(0, 'login'), pay(HOUR, everyEntity, TOKEN), pay(DAY), pay(2 * DAY, everyEntity, TOKEN));
    expect(fact('user.age_ms')).toBe(2 * DAY);
    expect(fact('user.idle_ms')).toBe(DAY);
    expect(fact('user.actions')).toBe(3);
    expect(fact('user.payments')).toBe(2);
    for (const kind of RELATIONS.user) expect(fact(`user.this_${kind}_age_ms`), kind).toBe(2 * DAY - HOUR);
    expect(fact('device.age_ms')).toBe(2 * DAY - HOUR);
    for (const kind of ['device', 'likeness']) expect(fact(`${kind}.this_token_age_ms`), kind).toBe(2 * DAY - HOUR);
  });

  test('count small payments among the payments, and each type of event separately', () => {
    const fact = factsOf(
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

  test('count a payment that is large for its user among the payments of all entities', () => {
    const usual = times(4, (i) => pay(i * DAY, everyEntity));
    const fact = factsOf(
      ...usual,
      pay(5 * DAY, { ...everyEntity, amount: 50 }),
      pay(5 * DAY, { ...everyEntity, amount: 65.1 }),
      pay(5 * DAY),
    );
    // 50 is 2.5 times the mean of 20 and 65.1 is a little more than that of 26.
    expect(fact('user.large_transactions.24h')).toBe(1);
    expect(fact('user.transactions.24h')).toBe(2);
    const later = factsOf(...usual, pay(5 * DAY, { ...everyEntity, amount: 51 }), pay(6 * DAY, everyEntity));
    for (const kind of ['user', 'fingerprint', 'counterparty']) expect(later(`${kind}.large_transactions.7d`)).toBe(1);
  });

  test('include the least distance the user travelled, and the time it took', () => {
    const [berlin, newYork] = [{ ip_address: '198.51.100.1' }, { ip_address: '192.0.2.1' }];
    const fact = factsOf(act(0, 'login', berlin), pay(HOUR, newYork));
    // 6,385 km apart, minus both accuracy radii.
    expect(fact('user.travel_km')).toBeGreaterThan(6200);
    expect(fact('user.travel_km')).toBeLessThan(6300);
    expect(fact('user.travel_ms')).toBe(HOUR);
    expect(factsOf(act(0, 'login', berlin), pay(HOUR, berlin))('user.travel_km')).toBe(0);
    const settled = [act(0, 'login', berlin), act(1, 'login', newYork), pay(DAY + 2, newYork)];
    expect(factsOf(...settled)('user.travel_km')).toBe(0);
    expect(factsOf(act(0, 'login', berlin), pay(HOUR))('user.travel_km')).toBeNaN();
    expect(factsOf(act(0, 'login'), pay(HOUR, berlin))('user.travel_km')).toBeNaN();
  });

  test('include a journey until the user has been at its end for a day: a login there does not hide it', () => {
    const [berlin, newYork] = [{ ip_address: '198.51.100.1' }, { ip_address: '192.0.2.1' }];
    const [home, arrived] = [act(0, 'login', berlin), act(HOUR, 'login', newYork)];
    const fact = factsOf(home, arrived, pay(2 * HOUR, newYork));
    expect(fact('user.travel_km')).toBeGreaterThan(6200);
    expect(fact('user.travel_ms')).toBe(2 * HOUR);
    expect(factsOf(home, arrived, pay(HOUR + DAY - 1, newYork))('user.travel_km')).toBeGreaterThan(6200);
    expect(factsOf(home, arrived, pay(HOUR + DAY, newYork))('user.travel_km')).toBe(0);
  });

  test('do not count a failed attempt as a journey', () => {
    const [berlin, newYork] = [{ ip_address: '198.51.100.1' }, { ip_address: '192.0.2.1' }];
    const attempt = failedLogin(HOUR, newYork);
    expect(factsOf(act(0, 'login', berlin), attempt, pay(2 * HOUR, berlin))('user.travel_km')).toBe(0);
    const fact = factsOf(act(0, 'login', berlin), attempt, pay(2 * HOUR, newYork));
    expect(fact('user.travel_km')).toBeGreaterThan(6200);
    expect(fact('user.travel_ms')).toBe(2 * HOUR);
  });

  test('share the network of addresses that differ in their last part', () => {
    const fact = factsOf(
      ...times(5, (i) => act(i, 'signup', { user_id: `user_${i}`, ip_address: `198.51.100.${i}` })),
      act(9, 'signup', { ip_address: '198.51.100.200' }),
    );
    expect(fact('network.signups.1h')).toBe(5);
    expect(fact('network.distinct_user.1h')).toBe(5);
    expect(fact('ip.signups.1h')).toBe(0);
  });

  test('never count less in a wider window than in a narrower one', () => {
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

  test('do not depend on the previous content of the array', () => {
    const subject = pay(0, { device_token: 'phone' });
    const clean = makeFacts();
    measure(makeArena(8), makeHistoryLocations(), subject, clean);
    const used = makeFacts().fill(77);
    measure(makeArena(8), makeHistoryLocations(), subject, used);
    expect(used).toEqual(clean);
    expect(subject.at).toBe(START);
  });
});
