import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, anySequence, DAY, HOUR, pay, START, times } from '../test/subjects.ts';
import { addToProfile, newProfile, type Profile, riskAt, type Seen } from './profile.ts';
import type { Subject } from './subject.ts';

const WEEK = 7 * DAY;
const add = (profile: Profile, subject: Subject, score = 0, signals: string[] = []): void =>
  addToProfile(profile, subject, score, score >= 80 ? 'block' : score >= 50 ? 'review' : 'allow', signals);
const folded = (...subjects: Subject[]): Profile => {
  const profile = newProfile(START);
  for (const subject of subjects) add(profile, subject);
  return profile;
};
const valuesOf = (seen: readonly Seen[]): string[] => seen.map(({ value }) => value);

describe('the risk of a user', () => {
  test('is nothing before anything is known', () => {
    expect(riskAt(newProfile(START), START)).toBe(0);
  });

  test('is the score just given, and half of it after each quiet week', () => {
    const profile = newProfile(START);
    add(profile, pay(0), 80);
    expect([0, 1, 2, 3].map((weeks) => riskAt(profile, START + weeks * WEEK))).toEqual([80, 40, 20, 10]);
  });

  test('is the higher of what is left and what is new', () => {
    const profile = newProfile(START);
    add(profile, pay(0), 80);
    add(profile, pay(WEEK), 10);
    expect(profile.risk).toBe(40);
    add(profile, pay(2 * WEEK), 30);
    expect(profile.risk).toBe(30);
  });

  test('never grows by waiting, and never leaves 0 to 100', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 60 * DAY }), fc.integer({ min: 0, max: 100 })));
    fc.assert(
      fc.property(steps, fc.integer({ min: -DAY, max: 60 * DAY }), (all, rest) => {
        const profile = newProfile(START);
        let time = 0;
        for (const [gap, score] of all) {
          time += gap;
          const before = riskAt(profile, START + time);
          add(profile, pay(time), score);
          expect(profile.risk).toBe(Math.max(before, score));
        }
        expect(riskAt(profile, profile.lastAt + rest)).toBeLessThanOrEqual(profile.risk);
        expect(profile.risk).toBeLessThanOrEqual(100);
        expect(profile.risk).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('what is counted', () => {
  test('payments by decision and currency, events by type', () => {
    const profile = newProfile(START);
    add(profile, pay(0, { amount: 10, currency: 'EUR' }), 0);
    add(profile, pay(1, { amount: 2.5, currency: 'EUR' }), 60);
    add(profile, pay(2, { amount: 1000, currency: 'JPY' }), 90);
    add(profile, act(3, 'login'), 90);
    add(profile, act(4, 'login'), 0);
    add(profile, act(5, 'signup'), 0);
    expect(profile).toMatchObject({
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
      pay(1, { billing_address: { country: 'DE' }, shipping_address: { country: 'FR' } }),
      pay(2, { billing_address: {}, shipping_address: { country: 'US' } }),
    );
    expect(profile.countries).toEqual([
      { value: 'DE', firstAt: START, lastAt: START + 1, count: 2 },
      { value: 'FR', firstAt: START + 1, lastAt: START + 1, count: 1 },
      { value: 'US', firstAt: START + 2, lastAt: START + 2, count: 1 },
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
    const profile = folded(...times(30, (i) => pay(i, { device_token: `device_${i}`, ip_address: `192.0.2.${i}` })));
    expect(valuesOf(profile.devices)).toEqual(times(20, (i) => `device_${i + 10}`));
    expect(valuesOf(profile.ips)).toEqual(times(20, (i) => `192.0.2.${i + 10}`));
  });

  test('seen again counts as newest and is kept before others that were not', () => {
    const seen = times(20, (i) => pay(i, { device_token: `device_${i}` }));
    const profile = folded(...seen, pay(50, { device_token: 'device_0' }), pay(51, { device_token: 'new' }));
    expect(valuesOf(profile.devices).slice(-2)).toEqual(['device_0', 'new']);
    expect(valuesOf(profile.devices)).not.toContain('device_1');
    expect(profile.devices.at(-2)).toEqual({ value: 'device_0', firstAt: START, lastAt: START + 50, count: 2 });
  });

  test('may have any name, even one that every object has, and keeps its order through JSON', () => {
    const names = ['__proto__', '7', 'constructor', '1', 'toString', 'b', '0', 'hasOwnProperty', 'a', '😀'];
    const profile = folded(...names.map((device_token, i) => pay(i, { device_token })));
    expect(valuesOf(profile.devices)).toEqual(names);
    const stored = JSON.parse(JSON.stringify(profile)) as Profile;
    expect(stored).toEqual(profile);
    expect(valuesOf(stored.devices)).toEqual(names);
    add(stored, pay(99, { device_token: '__proto__' }));
    expect(stored.devices.at(-1)).toEqual({ value: '__proto__', firstAt: START, lastAt: START + 99, count: 2 });
  });

  test('of signals is their count and last time', () => {
    const profile = newProfile(START);
    add(profile, pay(0), 10, ['new_device', 'ip_mismatch']);
    add(profile, pay(5), 10, ['new_device']);
    expect(profile.signals).toEqual([
      { value: 'ip_mismatch', firstAt: START, lastAt: START, count: 1 },
      { value: 'new_device', firstAt: START, lastAt: START + 5, count: 2 },
    ]);
  });

  test('of a device is never longer than a name of it may be', () => {
    const [device] = folded(pay(0, { device_token: 'd'.repeat(4096) })).devices;
    expect(device?.value.length).toBeLessThanOrEqual(128);
  });
});

describe('a stored profile', () => {
  test('goes on as if it had never been stored, and agrees with a count that forgets nothing', () => {
    fc.assert(
      fc.property(anySequence(60), (subjects) => {
        const kept = newProfile(START);
        let stored = newProfile(START);
        for (const subject of subjects) {
          add(kept, subject, 5);
          add(stored, subject, 5);
          stored = JSON.parse(JSON.stringify(stored)) as Profile;
        }
        expect(stored).toEqual(kept);
        expect(kept.transactions + kept.events).toBe(subjects.length);
        for (const { value, firstAt, lastAt, count } of kept.devices) {
          const own = subjects.filter((subject) => subject.request.device_token === value);
          expect([firstAt, lastAt, count]).toEqual([own[0]?.at, own.at(-1)?.at, own.length]);
        }
      }),
      { numRuns: 50 },
    );
  });
});
