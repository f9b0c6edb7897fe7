import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyGap, anySequence, DAY, HOUR, MINUTE, pay, START, times, upTo } from '../test/subjects.ts';
import { ENTITY_KINDS, kindIndex } from './entity.ts';
import { fact, makeFacts, measure } from './facts.ts';
import { ACTIONS, type History, M2, MAXIMUM, MEAN, newHistory, observe, PAYMENTS, RELATED_MAX } from './history.ts';
import type { Subject } from './subject.ts';
import { WINDOWS } from './windows.ts';

/** One history per kind, all of which see every subject that names an entity of the kind. */
const fold = (subjects: readonly Subject[]): (History | undefined)[] => {
  const histories = ENTITY_KINDS.map((): History | undefined => undefined);
  for (const subject of subjects) {
    const involved = histories.map((history, kind) =>
      subject.entities[kind] === undefined ? undefined : (history ?? newHistory(subject.at)),
    );
    observe(subject, involved);
    involved.forEach((history, kind) => {
      histories[kind] = history ?? histories[kind];
    });
  }
  return histories;
};
const userOf = (subjects: readonly Subject[]): History => fold(subjects)[kindIndex.user] as History;

const factsAt = (subject: Subject, histories: readonly (History | undefined)[]) => {
  const facts = makeFacts();
  measure(subject, histories, facts);
  return (name: string): number => facts[fact(name)] as number;
};

describe('amounts', () => {
  test('have the mean, deviation and maximum that two passes over all of them give', () => {
    const amounts = fc.array(fc.double({ min: 0.01, max: 1e9, noNaN: true }), { ...upTo(200), minLength: 2 });
    fc.assert(
      fc.property(amounts, (all) => {
        const histories = fold(all.map((amount, i) => pay(i, { amount })));
        const told = factsAt(pay(all.length), histories);
        const mean = all.reduce((sum, amount) => sum + amount, 0) / all.length;
        const squares = all.reduce((sum, amount) => sum + (amount - mean) ** 2, 0);
        const deviation = Math.sqrt(squares / (all.length - 1));
        const largest = Math.max(...all);
        expect(Math.abs(told('user.amount_mean') - mean)).toBeLessThanOrEqual(1e-12 * largest * all.length);
        expect(Math.abs(told('user.amount_deviation') - deviation)).toBeLessThanOrEqual(1e-9 * largest);
        expect(told('user.amount_max')).toBe(largest);
        expect(told('user.payments')).toBe(all.length);
      }),
    );
  });

  test('that are all alike deviate by nothing, however large', () => {
    const history = userOf(times(1000, (i) => pay(i, { amount: 1e14 + 0.1 })));
    expect([history[MEAN], history[M2]]).toEqual([1e14 + 0.1, 0]);
  });

  test('without a market rate are counted as payments made but never as amounts', () => {
    const histories = fold([pay(0, { amount: 10 }), pay(1, { amount: 1e9, currency: 'XTS' })]);
    const history = histories[kindIndex.user] as History;
    expect([history[ACTIONS], history[PAYMENTS], history[MEAN], history[MAXIMUM]]).toEqual([2, 1, 10, 10]);
    const told = factsAt(pay(2), histories);
    expect(told('user.transactions.1h')).toBe(2);
    expect(told('user.amount.1h')).toBe(10);
  });

  test('of different currencies are one mean, in dollars', () => {
    const history = userOf([pay(0, { amount: 100 }), pay(1, { amount: 15_400, currency: 'JPY' })]);
    expect(history[MEAN]).toBeCloseTo(100, 9);
  });
});

describe('the number of different things seen', () => {
  const which = fc.integer({ min: 0, max: RELATED_MAX - 1 });
  const step = fc.record({ gap: anyGap, user: which, card: which });

  test('agrees in every window with a list that forgets nothing, as long as it fits', () => {
    fc.assert(
      fc.property(fc.array(step, upTo(100)), anyGap, (steps, rest) => {
        const ip_address = '198.51.100.1';
        const users = new Map<string, number>();
        const cards = new Map<string, number>();
        let at = 0;
        const subjects = steps.map(({ gap, user, card }) => {
          at += gap;
          const members = { user_id: `user_${user}`, payment_fingerprint: `card_${card}` };
          users.set(members.user_id, at);
          cards.set(members.payment_fingerprint, at);
          return pay(at, { ip_address, ...members });
        });
        const told = factsAt(pay(at + rest, { ip_address }), fold(subjects));
        for (const { name, granule, granules } of WINDOWS) {
          const within = (seen: Map<string, number>) =>
            [...seen.values()].filter((time) => at + rest - time < granule * granules).length;
          expect(told(`ip.distinct_user.${name}`), name).toBe(within(users));
          expect(told(`network.distinct_user.${name}`), name).toBe(within(users));
          expect(told(`ip.distinct_fingerprint.${name}`), name).toBe(within(cards));
          expect(told(`ip.distinct_email.${name}`), name).toBe(0);
        }
      }),
      { numRuns: 60 },
    );
  });

  test(`stops at ${RELATED_MAX} and means "this many or more"`, () => {
    const ip_address = '198.51.100.1';
    const crowd = times(5 * RELATED_MAX, (i) => pay(i, { user_id: `user_${i}`, ip_address }));
    for (const count of [RELATED_MAX - 1, RELATED_MAX, RELATED_MAX + 1, 5 * RELATED_MAX]) {
      const told = factsAt(pay(count, { ip_address }), fold(crowd.slice(0, count)));
      expect(told('ip.distinct_user.1m')).toBe(Math.min(count, RELATED_MAX));
      expect(told('ip.distinct_user.30d')).toBe(Math.min(count, RELATED_MAX));
    }
  });

  test('keeps the most recently seen, not the first or the most often seen', () => {
    const shops = times(RELATED_MAX, (i) => pay(i, { counterparty_id: `shop_${i}` }));
    // The first shop is seen once more, so the second is now the one not seen for longest.
    const histories = fold([...shops, pay(100, { counterparty_id: 'shop_0' }), pay(101, { counterparty_id: 'new' })]);
    const age = (counterparty_id: string) =>
      factsAt(pay(200, { counterparty_id }), histories)('user.this_counterparty_age_ms');
    expect(age('shop_1')).toBeNaN();
    expect(age('shop_0')).toBe(200);
    expect(age('shop_2')).toBe(198);
    expect(age('new')).toBe(99);
  });

  test('of one kind takes no room from another', () => {
    const card = pay(0, { payment_fingerprint: 'card', device_token: 'phone' });
    const shops = times(100, (i) => pay(i + 1, { counterparty_id: `shop_${i}` }));
    const told = factsAt(pay(200, { payment_fingerprint: 'card' }), fold([card, ...shops]));
    expect(told('user.distinct_counterparty.30d')).toBe(RELATED_MAX);
    expect(told('user.distinct_fingerprint.30d')).toBe(1);
    expect(told('user.distinct_device.30d')).toBe(1);
    expect(told('user.this_fingerprint_age_ms')).toBe(200);
  });
});

describe('a clock set back', () => {
  test('changes nothing but the time: the history is the one of a clock that stood still', () => {
    const times = fc.array(fc.integer({ min: 0, max: 3 * DAY }), upTo(60));
    fc.assert(
      fc.property(times, (moments) => {
        const subjects = moments.map((time, i) => pay(time, { amount: i + 1, device_token: `device_${i % 5}` }));
        let latest = 0;
        const stood = subjects.map((subject) => {
          latest = Math.max(latest, subject.at);
          return { ...subject, at: latest };
        });
        expect(fold(subjects)).toEqual(fold(stood));
      }),
      { numRuns: 60 },
    );
  });

  test('still counts what came before, and gives no age below zero', () => {
    const phone = { device_token: 'phone' };
    const told = factsAt(pay(0, phone), fold([pay(HOUR, phone), pay(HOUR + MINUTE, phone)]));
    expect(told('user.transactions.10m')).toBe(2);
    expect(told('device.transactions.10m')).toBe(2);
    expect(told('user.distinct_device.10m')).toBe(1);
    expect(told('user.idle_ms')).toBe(0);
    expect(told('user.age_ms')).toBe(MINUTE);
    expect(told('user.this_device_age_ms')).toBeGreaterThanOrEqual(0);
  });
});

describe('a stored history', () => {
  const store = (history: History): History => [...Float64Array.from(history)];

  test('is nothing but finite numbers, which read back exactly', () => {
    fc.assert(
      fc.property(anySequence(60), (subjects) => {
        for (const history of fold(subjects)) {
          if (history === undefined) continue;
          expect(history.every(Number.isFinite)).toBe(true);
          expect(store(history)).toEqual(history);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('goes on as if it had never been stored', () => {
    fc.assert(
      fc.property(anySequence(40), (subjects) => {
        const kept = newHistory(START);
        let stored = newHistory(START);
        for (const subject of subjects) {
          observe(subject, [kept]);
          observe(subject, [stored]);
          stored = store(stored);
        }
        expect(stored).toEqual(kept);
      }),
      { numRuns: 60 },
    );
  });
});
