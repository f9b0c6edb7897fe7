import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, anySequence, DAY, HOUR, pay, SECOND, START, times } from '../test/subjects.ts';
import { addToProfile, newProfile, type Profile, riskAt, type Seen, tellProfile } from './profile.ts';
import { newShelf, readShelf, shelfWords } from './shelf.ts';
import { makeSlab, type Slab } from './slab.ts';
import type { Subject } from './subject.ts';

const WEEK = 7 * DAY;
interface Kept {
  slab: Slab;
  shelf: number;
}
const keep = (): Kept => {
  const slab = makeSlab(64);
  return { slab, shelf: newProfile(slab, newShelf(slab), START) };
};
const add = (kept: Kept, subject: Subject, score = 0, signals: string[] = []): void => {
  const decision = score >= 80 ? 'block' : score >= 50 ? 'review' : 'allow';
  kept.shelf = addToProfile(kept.slab, kept.shelf, subject, score, decision, signals);
};
const tell = ({ slab, shelf }: Kept): Profile => tellProfile(slab, shelf);
const folded = (...subjects: Subject[]): Profile => {
  const kept = keep();
  for (const subject of subjects) add(kept, subject);
  return tell(kept);
};
const valuesOf = (seen: readonly Seen[]): string[] => seen.map(({ value }) => value);

describe('the risk of a user', () => {
  test('is nothing before anything is known', () => {
    expect(riskAt(tell(keep()), START)).toBe(0);
  });

  test('is the score just given, and half of it after each quiet week', () => {
    const kept = keep();
    add(kept, pay(0), 80);
    expect([0, 1, 2, 3].map((weeks) => riskAt(tell(kept), START + weeks * WEEK))).toEqual([80, 40, 20, 10]);
  });

  test('is the higher of what is left and what is new', () => {
    const kept = keep();
    add(kept, pay(0), 80);
    add(kept, pay(WEEK), 10);
    expect(tell(kept).risk).toBe(40);
    add(kept, pay(2 * WEEK), 30);
    expect(tell(kept).risk).toBe(30);
  });

  test('never grows by waiting, and never leaves 0 to 100', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 60 * DAY }), fc.integer({ min: 0, max: 100 })));
    fc.assert(
      fc.property(steps, fc.integer({ min: -DAY, max: 60 * DAY }), (all, rest) => {
        const kept = keep();
        let time = 0;
        for (const [gap, score] of all) {
          time += gap;
          const before = riskAt(tell(kept), START + time);
          add(kept, pay(time), score);
          expect(tell(kept).risk).toBe(Math.max(before, score));
        }
        const profile = tell(kept);
        expect(riskAt(profile, profile.lastAt + rest)).toBeLessThanOrEqual(profile.risk);
        expect(profile.risk).toBeLessThanOrEqual(100);
        expect(profile.risk).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('what is counted', () => {
  test('payments by decision and currency, events by type', () => {
    const kept = keep();
    add(kept, pay(0, { amount: 10, currency: 'EUR' }), 0);
    add(kept, pay(1, { amount: 2.5, currency: 'EUR' }), 60);
    add(kept, pay(2, { amount: 1000, currency: 'JPY' }), 90);
    add(kept, act(3, 'login'), 90);
    add(kept, act(4, 'login'), 0);
    add(kept, act(5, 'signup'), 0);
    expect(tell(kept)).toMatchObject({
      firstAt: START,
      lastAt: START + 5,
      transactions: 3,
      totals: { EUR: 12.5, JPY: 1000 },
      decisions: { allow: 1, review: 1, block: 1 },
      events: 3,
      eventTypes: { login: 2, signup: 1 },
    });
  });

  test('a country once a payment, whether it is billed there, shipped there or both', () => {
    const profile = folded(
      pay(0, { billing_address: { country: 'DE' }, shipping_address: { country: 'DE' } }),
      pay(SECOND, { billing_address: { country: 'DE' }, shipping_address: { country: 'FR' } }),
      pay(2 * SECOND, { billing_address: {}, shipping_address: { country: 'US' } }),
    );
    expect(profile.countries).toEqual([
      { value: 'DE', firstAt: START, lastAt: START + SECOND, count: 2 },
      { value: 'FR', firstAt: START + SECOND, lastAt: START + SECOND, count: 1 },
      { value: 'US', firstAt: START + 2 * SECOND, lastAt: START + 2 * SECOND, count: 1 },
    ]);
  });

  test('a country once a payment too where the address is there', () => {
    const profile = folded(
      pay(0, {
        ip_address: '198.51.100.7',
        billing_address: { country: 'DE' },
        shipping_address: { country: 'FR' },
      }),
      act(SECOND, 'login', { ip_address: '192.0.2.7' }),
    );
    expect(profile.countries.map(({ value, count }) => [value, count])).toEqual([
      ['DE', 1],
      ['FR', 1],
      ['US', 1],
    ]);
  });

  test('a clock set back makes nothing older than it was', () => {
    const profile = folded(pay(HOUR, { device_token: 'phone' }), pay(0, { device_token: 'phone' }));
    expect(profile.lastAt).toBe(START + HOUR);
    expect(profile.devices).toEqual([{ value: 'phone', firstAt: START + HOUR, lastAt: START + HOUR, count: 2 }]);
  });
});

describe('what was seen', () => {
  test('is the newest 20 of each, the last seen last', () => {
    const profile = folded(
      ...times(30, (i) => pay(i * SECOND, { device_token: `device_${i}`, ip_address: `192.0.2.${i}` })),
    );
    expect(valuesOf(profile.devices)).toEqual(times(20, (i) => `device_${i + 10}`));
    expect(valuesOf(profile.ips)).toEqual(times(20, (i) => `192.0.2.${i + 10}`));
  });

  test('seen again counts as newest and is kept before others that were not', () => {
    const seen = times(20, (i) => pay(i * SECOND, { device_token: `device_${i}` }));
    const profile = folded(
      ...seen,
      pay(50 * SECOND, { device_token: 'device_0' }),
      pay(51 * SECOND, { device_token: 'new' }),
    );
    expect(valuesOf(profile.devices).slice(-2)).toEqual(['device_0', 'new']);
    expect(valuesOf(profile.devices)).not.toContain('device_1');
    expect(profile.devices.at(-2)).toEqual({
      value: 'device_0',
      firstAt: START,
      lastAt: START + 50 * SECOND,
      count: 2,
    });
  });

  test('may have any name, of one byte a character or two, and be as long as any', () => {
    const names = [
      '__proto__',
      '7',
      'constructor',
      'b',
      'ä',
      'ÿ',
      'Ā',
      '😀',
      '語'.repeat(128),
      'x'.repeat(128),
      'ab\0c',
      '',
    ];
    const kept = keep();
    for (const round of [0, 1]) {
      names.forEach((name, i) => {
        add(kept, pay((round * names.length + i) * SECOND), 0, [name]);
      });
    }
    expect(tell(kept).signals).toEqual(
      names.map((value, i) => ({
        value,
        firstAt: START + i * SECOND,
        lastAt: START + (names.length + i) * SECOND,
        count: 2,
      })),
    );
  });

  test('of signals is their count and last time', () => {
    const kept = keep();
    add(kept, pay(0), 10, ['new_device', 'ip_mismatch']);
    add(kept, pay(5 * SECOND), 10, ['new_device']);
    expect(tell(kept).signals).toEqual([
      { value: 'ip_mismatch', firstAt: START, lastAt: START, count: 1 },
      { value: 'new_device', firstAt: START, lastAt: START + 5 * SECOND, count: 2 },
    ]);
  });

  test('of a device is never longer than a name of it may be', () => {
    const [device] = folded(pay(0, { device_token: 'd'.repeat(4096) })).devices;
    expect(device?.value.length).toBeLessThanOrEqual(128);
  });
});

describe('a stored profile', () => {
  const toSecond = (at = Number.NaN): number => Math.floor(at / SECOND) * SECOND;

  test('goes on as if it had never been stored, and agrees with a count that forgets nothing', () => {
    fc.assert(
      fc.property(anySequence(60), (subjects) => {
        const whole = keep();
        const stored = keep();
        for (const subject of subjects) {
          add(whole, subject, 5);
          add(stored, subject, 5);
          const { slab, shelf } = stored;
          const bytes = slab.bytes.slice(shelf * 8, (shelf + shelfWords(slab, shelf)) * 8);
          stored.slab = makeSlab(64);
          stored.shelf = readShelf(stored.slab, bytes);
        }
        const kept = tell(whole);
        expect(tell(stored)).toEqual(kept);
        expect(kept.transactions + kept.events).toBe(subjects.length);
        for (const { value, firstAt, lastAt, count } of kept.devices) {
          const own = subjects.filter((subject) => subject.request.device_token === value);
          expect([firstAt, lastAt, count]).toEqual([toSecond(own[0]?.at), toSecond(own.at(-1)?.at), own.length]);
        }
      }),
      { numRuns: 50 },
    );
  });
});
