import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyGap, anySequence, DAY, HOUR, MINUTE, pay, SECOND, START, times, upTo } from '../test/subjects.ts';
import { ENTITY_KINDS, type EntityKind, kindIndex } from './entity.ts';
import { type Found, fact, makeFacts, makeFound, measure } from './facts.ts';
import { addHistory, observe, RELATED_MAX } from './history.ts';
import { newProfile, tellProfile } from './profile.ts';
import { entityCount, historyAt, historyEnd, keyOf, newShelf, readShelf, shelfWords } from './shelf.ts';
import { makeSlab, type Slab, sizeOf } from './slab.ts';
import type { Subject } from './subject.ts';
import { WINDOWS } from './windows.ts';

interface Folded {
  readonly slab: Slab;
  readonly found: Found;
}
/** One history per kind, all of which see every subject that names an entity of the kind. */
const fold = (subjects: readonly Subject[], slab = makeSlab(64)): Folded => {
  const found = makeFound();
  for (const subject of subjects) {
    ENTITY_KINDS.forEach((_, kind) => {
      if (subject.hashes[kind] === 0) return;
      const shelf = found.shelf[kind] || addHistory(slab, newShelf(slab), kind, subject.at);
      found.shelf[kind] = observe(slab, shelf, 0, kind, subject, subject.counted);
    });
  }
  return { slab, found };
};
/** The words of a user's history, without its shelf's. */
const wordsOf = ({ slab, found }: Folded, kind: EntityKind = 'user'): number[] => {
  const shelf = found.shelf[kindIndex[kind]] as number;
  return shelf === 0 ? [] : [...slab.u32.subarray(2 * historyAt(slab, shelf, 0), 2 * historyEnd(slab, shelf, 0))];
};
const bytesOf = ({ slab }: { slab: Slab }, shelf: number): Uint8Array =>
  slab.bytes.slice(shelf * 8, (shelf + shelfWords(slab, shelf)) * 8);

const factsAt = (subject: Subject, { slab, found }: Folded) => {
  const facts = makeFacts();
  measure(slab, found, subject, facts);
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
    const told = factsAt(pay(1000), fold(times(1000, (i) => pay(i, { amount: 1e14 + 0.1 }))));
    expect([told('user.amount_mean'), told('user.amount_deviation')]).toEqual([1e14 + 0.1, 0]);
  });

  test('without a market rate are counted as payments made but never as amounts', () => {
    const told = factsAt(pay(2), fold([pay(0, { amount: 10 }), pay(1, { amount: 1e9, currency: 'XTS' })]));
    expect([told('user.actions'), told('user.payments')]).toEqual([2, 1]);
    expect([told('user.amount_mean'), told('user.amount_max')]).toEqual([10, 10]);
    expect(told('user.transactions.1h')).toBe(2);
    expect(told('user.amount.1h')).toBe(10);
  });

  test('of different currencies are one mean, in dollars', () => {
    const told = factsAt(pay(2), fold([pay(0, { amount: 100 }), pay(1, { amount: 15_400, currency: 'JPY' })]));
    expect(told('user.amount_mean')).toBeCloseTo(100, 9);
  });
});

describe('the number of different things seen', () => {
  // Whom an entity was seen with is remembered to the second.
  const secondsOf = (time: number): number => Math.floor((START + time) / SECOND);
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
            [...seen.values()].filter((time) => secondsOf(at + rest) - secondsOf(time) < (granule * granules) / SECOND)
              .length;
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
    const shops = times(RELATED_MAX, (i) => pay(i * SECOND, { counterparty_id: `shop_${i}` }));
    // The first shop is seen once more, so the second is now the one not seen for longest.
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

  test('of one kind takes no room from another', () => {
    const card = pay(0, { payment_fingerprint: 'card', device_token: 'phone' });
    const shops = times(100, (i) => pay(i + 1, { counterparty_id: `shop_${i}` }));
    const told = factsAt(pay(200 * SECOND, { payment_fingerprint: 'card' }), fold([card, ...shops]));
    expect(told('user.distinct_counterparty.30d')).toBe(RELATED_MAX);
    expect(told('user.distinct_fingerprint.30d')).toBe(1);
    expect(told('user.distinct_device.30d')).toBe(1);
    expect(told('user.this_fingerprint_age_ms')).toBe(200 * SECOND);
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
        for (const kind of ENTITY_KINDS) expect(wordsOf(fold(subjects), kind)).toEqual(wordsOf(fold(stood), kind));
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

describe('a shelf', () => {
  const keys = fc.array(fc.integer({ min: 0, max: 5 }), upTo(80));

  test('keeps its histories apart: each is what it would be alone, whatever its neighbours do', () => {
    fc.assert(
      fc.property(anySequence(80), keys, (subjects, who) => {
        const slab = makeSlab(64);
        let shelf = newShelf(slab);
        const order: number[] = [];
        const alone = new Map<number, Subject[]>();
        subjects.forEach((subject, i) => {
          const key = who[i] ?? 0;
          if (!order.includes(key)) {
            order.push(key);
            shelf = addHistory(slab, shelf, key, subject.at);
            // In the middle of the folding, so that later histories have to move it.
            if (order.length === 2) shelf = newProfile(slab, shelf, subject.at);
          }
          shelf = observe(slab, shelf, order.indexOf(key), kindIndex.user, subject, subject.counted);
          alone.set(key, [...(alone.get(key) ?? []), subject]);
        });
        expect(entityCount(slab, shelf)).toBe(order.length);
        order.forEach((key, index) => {
          expect(keyOf(slab, shelf, index)).toBe(key);
          const words = [...slab.u32.subarray(2 * historyAt(slab, shelf, index), 2 * historyEnd(slab, shelf, index))];
          expect(words).toEqual(wordsOf(fold(alone.get(key) ?? [])));
        });
        if (order.length >= 2) expect(tellProfile(slab, shelf)).toMatchObject({ transactions: 0, devices: [] });
      }),
      { numRuns: 100 },
    );
  });

  test('goes on as if it had never been stored', () => {
    fc.assert(
      fc.property(anySequence(40), (subjects) => {
        const kept = makeSlab(64);
        let keptShelf = addHistory(kept, newShelf(kept), 7, START);
        let stored = makeSlab(64);
        let storedShelf = addHistory(stored, newShelf(stored), 7, START);
        for (const subject of subjects) {
          keptShelf = observe(kept, keptShelf, 0, kindIndex.user, subject, subject.counted);
          storedShelf = observe(stored, storedShelf, 0, kindIndex.user, subject, subject.counted);
          const bytes = bytesOf({ slab: stored }, storedShelf);
          stored = makeSlab(64);
          storedShelf = readShelf(stored, bytes);
        }
        // All but the size of the block it stands in.
        expect(bytesOf({ slab: stored }, storedShelf).subarray(4)).toEqual(
          bytesOf({ slab: kept }, keptShelf).subarray(4),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('a slab', () => {
  test('never gives out a word twice, keeps what is written through growth, and takes freed blocks again', () => {
    const sizes = fc.array(fc.tuple(fc.integer({ min: 1, max: 600 }), fc.boolean()), upTo(200));
    fc.assert(
      fc.property(sizes, (steps) => {
        const slab = makeSlab(8);
        const live = new Map<number, { size: number; mark: number }>();
        let mark = 0;
        for (const [words, alsoFree] of steps) {
          const at = slab.allocate(words);
          const size = sizeOf(slab, at);
          expect(size).toBeGreaterThanOrEqual(words);
          for (const [other, { size: theirs }] of live) expect(at + size <= other || other + theirs <= at).toBe(true);
          slab.f64.fill(++mark, at + 1, at + size);
          live.set(at, { size, mark });
          const [first] = live.keys();
          if (alsoFree && first !== undefined) {
            slab.free(first);
            live.delete(first);
          }
        }
        for (const [at, { size, mark: own }] of live) {
          expect(slab.f64.subarray(at + 1, at + size).every((value) => value === own)).toBe(true);
        }
        expect(slab.used()).toBe([...live.values()].reduce((sum, { size }) => sum + size, 0));
        const before = slab.f64.length;
        for (const at of live.keys()) slab.free(at);
        expect(slab.used()).toBe(0);
        for (const { size } of live.values()) slab.allocate(size);
        expect(slab.f64.length).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  test('moves blocks together without changing what is in them, and gives out what became free', () => {
    const kept = fc.array(fc.tuple(fc.integer({ min: 1, max: 100 }), fc.boolean()), { ...upTo(60), minLength: 1 });
    fc.assert(
      fc.property(kept, (steps) => {
        const slab = makeSlab(8);
        const blocks = steps.map(([words, keep], mark) => {
          const at = slab.allocate(words);
          slab.f64.fill(mark, at + 1, at + sizeOf(slab, at));
          return { at, keep, mark };
        });
        for (const { at, keep } of blocks) if (!keep) slab.free(at);
        const live = blocks.filter(({ keep }) => keep);
        const places = Float64Array.from(live, ({ at }) => at).sort();
        const before = new Map(live.map(({ at, mark }) => [at, mark]));
        const marks = [...places].map((at) => before.get(at));
        slab.compact(places);
        expect(slab.extent() - 1).toBe(slab.used());
        places.forEach((at, i) => {
          expect(slab.f64.subarray(at + 1, at + sizeOf(slab, at)).every((value) => value === marks[i])).toBe(true);
        });
        const after = slab.allocate(5);
        expect([...places].every((at) => at + sizeOf(slab, at) <= after)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('refuses a block larger than any shelf can become', () => {
    expect(() => makeSlab(8).allocate(10_000)).toThrow(RangeError);
  });
});
