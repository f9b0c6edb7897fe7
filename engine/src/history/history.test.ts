import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyGap, anySequence, DAY, HOUR, MINUTE, pay, SECOND, START, times, upTo } from '../../test/subjects.ts';
import { ENTITY_KINDS, type EntityKind, kindIndex } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';
import { type Arena, makeArena } from './arena.ts';
import {
  checkOf,
  entityCount,
  entityGroupWords,
  historyAt,
  historyEnd,
  keyOf,
  kindOf,
  newEntityGroup,
  readEntityGroup,
} from './entity-group.ts';
import { fact, makeFacts } from './facts.ts';
import { addHistory, observe } from './history.ts';
import { type HistoryLocations, makeHistoryLocations } from './locations.ts';
import { measure } from './measure.ts';
import { decodeProfile, newProfile } from './profile.ts';
import { RELATED_MAX } from './related.ts';
import { WINDOWS } from './windows.ts';

interface HistoriesByKind {
  readonly arena: Arena;
  readonly locations: HistoryLocations;
}
/** One history per kind, updated with every subject that has an entity of the kind. */
const fold = (subjects: readonly Subject[], arena = makeArena(64)): HistoriesByKind => {
  const locations = makeHistoryLocations();
  for (const subject of subjects) {
    ENTITY_KINDS.forEach((_, kind) => {
      if (subject.hashes[kind] === 0) return;
      const group = locations.group[kind] || addHistory(arena, newEntityGroup(arena), kind, 1, 2, subject.at);
      locations.group[kind] = observe(arena, group, 0, kind, subject, subject.activity);
    });
  }
  return { arena, locations };
};
/** The words of a user's history, without the header of its group. */
const wordsOf = ({ arena, locations }: HistoriesByKind, kind: EntityKind = 'user'): number[] => {
  const group = locations.group[kindIndex[kind]] as number;
  return group === 0 ? [] : [...arena.u32.subarray(2 * historyAt(arena, group, 0), 2 * historyEnd(arena, group, 0))];
};
const bytesOf = ({ arena }: { arena: Arena }, group: number): Uint8Array =>
  arena.bytes.slice(group * 8, (group + entityGroupWords(arena, group)) * 8);

const factsAt = (subject: Subject, { arena, locations }: HistoriesByKind) => {
  const facts = makeFacts();
  measure(arena, locations, subject, facts);
  return (name: string): number => facts[fact(name)] as number;
};

describe('amounts', () => {
  test('have the mean, deviation and maximum of a two-pass computation', () => {
    const amounts = fc.array(fc.double({ min: 0.01, max: 1e9, noNaN: true }), { ...upTo(200), minLength: 2 });
    fc.assert(
      fc.property(amounts, (all) => {
        const histories = fold(all.map((amount, i) => pay(i, { amount })));
        const factOf = factsAt(pay(all.length), histories);
        const mean = all.reduce((sum, amount) => sum + amount, 0) / all.length;
        const squares = all.reduce((sum, amount) => sum + (amount - mean) ** 2, 0);
        const deviation = Math.sqrt(squares / (all.length - 1));
        const largest = Math.max(...all);
        expect(Math.abs(factOf('user.amount_mean') - mean)).toBeLessThanOrEqual(1e-12 * largest * all.length);
        expect(Math.abs(factOf('user.amount_deviation') - deviation)).toBeLessThanOrEqual(1e-9 * largest);
        expect(factOf('user.amount_max')).toBe(largest);
        expect(factOf('user.payments')).toBe(all.length);
      }),
    );
  });

  test('that are all equal have a deviation of 0, however large', () => {
    const factOf = factsAt(pay(1000), fold(times(1000, (i) => pay(i, { amount: 1e14 + 0.1 }))));
    expect([factOf('user.amount_mean'), factOf('user.amount_deviation')]).toEqual([1e14 + 0.1, 0]);
  });

  test('without a market rate count as payments but not as amounts', () => {
    const factOf = factsAt(pay(2), fold([pay(0, { amount: 10 }), pay(1, { amount: 1e9, currency: 'XTS' })]));
    expect([factOf('user.actions'), factOf('user.payments')]).toEqual([2, 1]);
    expect([factOf('user.amount_mean'), factOf('user.amount_max')]).toEqual([10, 10]);
    expect(factOf('user.transactions.1h')).toBe(2);
    expect(factOf('user.amount.1h')).toBe(10);
  });

  test('of different currencies have one mean, in dollars', () => {
    const factOf = factsAt(pay(2), fold([pay(0, { amount: 100 }), pay(1, { amount: 15_400, currency: 'JPY' })]));
    expect(factOf('user.amount_mean')).toBeCloseTo(100, 9);
  });
});

describe('the number of distinct related entities', () => {
  // Related entities are stored to the second.
  const secondsOf = (time: number): number => Math.floor((START + time) / SECOND);
  const which = fc.integer({ min: 0, max: RELATED_MAX - 1 });
  const step = fc.record({ gap: anyGap, user: which, card: which });

  test('agrees in every window with a complete list, up to the limit', () => {
    fc.assert(
      fc.property(fc.array(step, upTo(100)), anyGap, (steps, rest) => {
        const ip_address = '198.51.100.1';
        const users = new Map<string, number>();
        const cards = new Map<string, number>();
        let at = 0;
        const subjects = steps.map(({ gap, user, card }) => {
          at += gap;
          const fields = { user_id: `user_${user}`, payment_fingerprint: `card_${card}` };
          users.set(fields.user_id, at);
          cards.set(fields.payment_fingerprint, at);
          return pay(at, { ip_address, ...fields });
        });
        const factOf = factsAt(pay(at + rest, { ip_address }), fold(subjects));
        for (const { name, granule, granules } of WINDOWS) {
          const within = (seen: Map<string, number>) =>
            [...seen.values()].filter((time) => secondsOf(at + rest) - secondsOf(time) < (granule * granules) / SECOND)
              .length;
          expect(factOf(`ip.distinct_user.${name}`), name).toBe(within(users));
          expect(factOf(`network.distinct_user.${name}`), name).toBe(within(users));
          expect(factOf(`ip.distinct_fingerprint.${name}`), name).toBe(within(cards));
          expect(factOf(`ip.distinct_email.${name}`), name).toBe(0);
        }
      }),
      { numRuns: 60 },
    );
  });

  test(`stops at ${RELATED_MAX} and means "this many or more"`, () => {
    const ip_address = '198.51.100.1';
    const crowd = times(5 * RELATED_MAX, (i) => pay(i, { user_id: `user_${i}`, ip_address }));
    for (const count of [RELATED_MAX - 1, RELATED_MAX, RELATED_MAX + 1, 5 * RELATED_MAX]) {
      const factOf = factsAt(pay(count, { ip_address }), fold(crowd.slice(0, count)));
      expect(factOf('ip.distinct_user.1m')).toBe(Math.min(count, RELATED_MAX));
      expect(factOf('ip.distinct_user.30d')).toBe(Math.min(count, RELATED_MAX));
    }
  });

  test('keeps the most recently seen, not the first or most frequent', () => {
    const shops = times(RELATED_MAX, (i) => pay(i * SECOND, { counterparty_id: `shop_${i}` }));
    // The first shop is seen again, so the second is now the least recently seen.
    const folded = fold([
      ...shops,
      pay(100 * SECOND, { counterparty_id: 'shop_0' }),
      pay(101 * SECOND, { counterparty_id: 'new' }),
    ]);
    const age = (counterparty_id: string) =>
      factsAt(pay(200 * SECOND, { counterparty_id }), folded)('user.this_counterparty_age_ms');
    expect(age('shop_1')).toBeNaN();
    expect(age('shop_0')).toBe(200 * SECOND);
    expect(age('shop_2')).toBe(198 * SECOND);
    expect(age('new')).toBe(99 * SECOND);
  });

  test('of one kind does not displace another kind', () => {
    const card = pay(0, { payment_fingerprint: 'card', device_token: 'phone' });
    const shops = times(100, (i) => pay(i + 1, { counterparty_id: `shop_${i}` }));
    const factOf = factsAt(pay(200 * SECOND, { payment_fingerprint: 'card' }), fold([card, ...shops]));
    expect(factOf('user.distinct_counterparty.30d')).toBe(RELATED_MAX);
    expect(factOf('user.distinct_fingerprint.30d')).toBe(1);
    expect(factOf('user.distinct_device.30d')).toBe(1);
    expect(factOf('user.this_fingerprint_age_ms')).toBe(200 * SECOND);
  });
});

describe('a clock set back', () => {
  test('gives the same history as a clock that stood still', () => {
    const times = fc.array(fc.integer({ min: 0, max: 3 * DAY }), upTo(60));
    fc.assert(
      fc.property(times, (moments) => {
        const subjects = moments.map((time, i) => pay(time, { amount: i + 1, device_token: `device_${i % 5}` }));
        let latest = 0;
        const stood = subjects.map((subject) => {
          latest = Math.max(latest, subject.at);
          return { ...subject, at: latest };
        });
        for (const kind of ENTITY_KINDS) expect(wordsOf(fold(subjects), kind)).toEqual(wordsOf(fold(stood), kind));
      }),
      { numRuns: 60 },
    );
  });

  test('still counts earlier subjects, and gives no negative age', () => {
    const phone = { device_token: 'phone' };
    const factOf = factsAt(pay(0, phone), fold([pay(HOUR, phone), pay(HOUR + MINUTE, phone)]));
    expect(factOf('user.transactions.10m')).toBe(2);
    expect(factOf('device.transactions.10m')).toBe(2);
    expect(factOf('user.distinct_device.10m')).toBe(1);
    expect(factOf('user.idle_ms')).toBe(0);
    expect(factOf('user.age_ms')).toBe(MINUTE);
    expect(factOf('user.this_device_age_ms')).toBeGreaterThanOrEqual(0);
  });
});

describe('an entity group', () => {
  const keys = fc.array(fc.integer({ min: 0, max: 5 }), upTo(80));

  test('keeps its histories separate: each equals a history alone in a group', () => {
    fc.assert(
      fc.property(anySequence(80), keys, (subjects, who) => {
        const arena = makeArena(64);
        let group = newEntityGroup(arena);
        const order: number[] = [];
        const alone = new Map<number, Subject[]>();
        subjects.forEach((subject, i) => {
          const key = who[i] ?? 0;
          if (!order.includes(key)) {
            order.push(key);
            group = addHistory(arena, group, kindIndex.user, key, 2 ** 53 - 1 - key, subject.at);
            // Added in the middle, so that later histories have to move it.
            if (order.length === 2) group = newProfile(arena, group, subject.at);
          }
          group = observe(arena, group, order.indexOf(key), kindIndex.user, subject, subject.activity);
          alone.set(key, [...(alone.get(key) ?? []), subject]);
        });
        expect(entityCount(arena, group)).toBe(order.length);
        order.forEach((key, index) => {
          expect([keyOf, checkOf, kindOf].map((of) => of(arena, group, index))).toEqual([key, 2 ** 53 - 1 - key, 0]);
          const words = [
            ...arena.u32.subarray(2 * historyAt(arena, group, index), 2 * historyEnd(arena, group, index)),
          ];
          expect(words).toEqual(wordsOf(fold(alone.get(key) ?? [])));
        });
        if (order.length >= 2) expect(decodeProfile(arena, group)).toMatchObject({ transactions: 0, devices: [] });
      }),
      { numRuns: 100 },
    );
  });

  test('continues after a save and load as if it stayed in memory', () => {
    fc.assert(
      fc.property(anySequence(40), (subjects) => {
        const kept = makeArena(64);
        let keptShelf = addHistory(kept, newEntityGroup(kept), 0, 7, 8, START);
        let stored = makeArena(64);
        let storedShelf = addHistory(stored, newEntityGroup(stored), 0, 7, 8, START);
        for (const subject of subjects) {
          keptShelf = observe(kept, keptShelf, 0, kindIndex.user, subject, subject.activity);
          storedShelf = observe(stored, storedShelf, 0, kindIndex.user, subject, subject.activity);
          const bytes = bytesOf({ arena: stored }, storedShelf);
          stored = makeArena(64);
          storedShelf = readEntityGroup(stored, bytes);
        }
        // All but the size of its block.
        expect(bytesOf({ arena: stored }, storedShelf).subarray(4)).toEqual(
          bytesOf({ arena: kept }, keptShelf).subarray(4),
        );
      }),
      { numRuns: 60 },
    );
  });
});
