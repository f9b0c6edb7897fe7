import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, anySequence, DAY, pay, SECOND, START, times } from '../../test/subjects.ts';
import type { Subject } from '../subject/subject.ts';
import { type Arena, makeArena } from './arena.ts';
import { entityGroupWords, newEntityGroup, readEntityGroup } from './entity-group.ts';
import { addToProfile, decodeProfile, newProfile, type Profile, type ProfileEntry, riskAt } from './profile.ts';

const WEEK = 7 * DAY;
interface StoredProfile {
  arena: Arena;
  group: number;
}
const keep = (): StoredProfile => {
  const arena = makeArena(64);
  return { arena, group: newProfile(arena, newEntityGroup(arena), START) };
};
const add = (kept: StoredProfile, subject: Subject, score = 0, signals: string[] = []): void => {
  const decision = score >= 80 ? 'block' : score >= 50 ? 'review' : 'allow';
  kept.group = addToProfile(kept.arena, kept.group, subject, score, decision, signals);
};
const decode = ({ arena, group }: StoredProfile): Profile => decodeProfile(arena, group);
const folded = (...subjects: Subject[]): Profile => {
  const kept = keep();
  for (const subject of subjects) add(kept, subject);
  return decode(kept);
};
const valuesOf = (seen: readonly ProfileEntry[]): string[] => seen.map(({ value }) => value);

describe('the risk of a user', () => {
  test('is 0 before the first screening', () => {
    expect(riskAt(decode(keep()), START)).toBe(0);
  });

  test('is the latest score, and halves after each quiet week', () => {
    const kept = keep();
    add(kept, pay(0), 80);
    expect([0, 1, 2, 3].map((weeks) => riskAt(decode(kept), START + weeks * WEEK))).toEqual([80, 40, 20, 10]);
  });

  test('is the higher of the decayed and the new score', () => {
    const kept = keep();
    add(kept, pay(0), 80);
    add(kept, pay(WEEK), 10);
    expect(decode(kept).risk).toBe(40);
    add(kept, pay(2 * WEEK), 30);
    expect(decode(kept).risk).toBe(30);
  });

  test('never grows by waiting, and stays between 0 and 100', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 60 * DAY }), fc.integer({ min: 0, max: 100 })));
    fc.assert(
      fc.property(steps, fc.integer({ min: -DAY, max: 60 * DAY }), (all, rest) => {
        const kept = keep();
        let time = 0;
        for (const [gap, score] of all) {
          time += gap;
          const before = riskAt(decode(kept), START + time);
          add(kept, pay(time), score);
          expect(decode(kept).risk).toBe(Math.max(before, score));
        }
        const profile = decode(kept);
        expect(riskAt(profile, profile.lastAt + rest)).toBeLessThanOrEqual(profile.risk);
        expect(profile.risk).toBeLessThanOrEqual(100);
        expect(profile.risk).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe('a profile counts', () => {
  test('payments by decision and currency, events by type', () => {
    const kept = keep();
    add(kept, pay(0, { amount: 10, currency: 'EUR' }), 0);
    add(kept, pay(1, { amount: 2.5, currency: 'EUR' }), 60);
    add(kept, pay(2, { amount: 1000, currency: 'JPY' }), 90);
    add(kept, act(3, 'login'), 90);
    add(kept, act(4, 'login'), 0);
    add(kept, act(5, 'signup'), 0);
    expect(decode(kept)).toMatchObject({
      firstAt: START,
      lastAt: START + 5,
      transactions: 3,
      totals: { EUR: 12.5, JPY: 1000 },
      decisions: { allow: 1, review: 1, block: 1 },
      events: 3,
      eventTypes: { login: 2, signup: 1 },
    });
  });

  test('a country once per payment, for billing, shipping or both', () => {
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

  test('a country once per payment, if the IP address is there too', () => {
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

  test('the same in whichever order its screenings are added', () => {
    const screening = fc.record({
      at: fc.integer({ min: 0, max: 60 * DAY }),
      device_token: fc.constantFrom('phone', 'laptop', 'tablet'),
      score: fc.integer({ min: 0, max: 100 }),
    });
    const comparable = (screenings: { at: number; device_token: string; score: number }[]) => {
      const kept = keep();
      for (const { at, device_token, score } of screenings)
        add(kept, pay(at, { device_token }), score, [`${score % 3}`]);
      const profile = decode(kept);
      const byValue = (list: readonly ProfileEntry[]) => list.toSorted((a, b) => (a.value < b.value ? -1 : 1));
      const [devices, signals] = [byValue(profile.devices), byValue(profile.signals)];
      return { ...profile, devices, signals, risk: Number(profile.risk.toPrecision(9)) };
    };
    fc.assert(
      fc.property(fc.array(screening, { minLength: 1, maxLength: 12 }), (screenings) => {
        expect(comparable(screenings.toReversed())).toEqual(comparable(screenings));
      }),
    );
  });
});

describe('the values in a profile', () => {
  test('are the newest 20 of each list, the most recent last', () => {
    const profile = folded(
      ...times(30, (i) => pay(i * SECOND, { device_token: `device_${i}`, ip_address: `192.0.2.${i}` })),
    );
    expect(valuesOf(profile.devices)).toEqual(times(20, (i) => `device_${i + 10}`));
    expect(valuesOf(profile.ips)).toEqual(times(20, (i) => `192.0.2.${i + 10}`));
  });

  test('become the newest when seen again', () => {
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

  test('may be any text, of one or two bytes per character, up to the longest', () => {
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
    expect(decode(kept).signals).toEqual(
      names.map((value, i) => ({
        value,
        firstAt: START + i * SECOND,
        lastAt: START + (names.length + i) * SECOND,
        count: 2,
      })),
    );
  });

  test('include signals with their count and last time', () => {
    const kept = keep();
    add(kept, pay(0), 10, ['new_device', 'ip_mismatch']);
    add(kept, pay(5 * SECOND), 10, ['new_device']);
    expect(decode(kept).signals).toEqual([
      { value: 'ip_mismatch', firstAt: START, lastAt: START, count: 1 },
      { value: 'new_device', firstAt: START, lastAt: START + 5 * SECOND, count: 2 },
    ]);
  });

  test('include devices by an identifier of bounded length', () => {
    const [device] = folded(pay(0, { device_token: 'd'.repeat(4096) })).devices;
    expect(device?.value.length).toBeLessThanOrEqual(128);
  });
});

describe('a stored profile', () => {
  const toSecond = (at = Number.NaN): number => Math.floor(at / SECOND) * SECOND;

  test('continues as if it stayed in memory, and agrees with a complete count', () => {
    fc.assert(
      fc.property(anySequence(60), (subjects) => {
        const whole = keep();
        const stored = keep();
        for (const subject of subjects) {
          add(whole, subject, 5);
          add(stored, subject, 5);
          const { arena, group } = stored;
          const bytes = arena.bytes.slice(group * 8, (group + entityGroupWords(arena, group)) * 8);
          stored.arena = makeArena(64);
          stored.group = readEntityGroup(stored.arena, bytes);
        }
        const kept = decode(whole);
        expect(decode(stored)).toEqual(kept);
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
