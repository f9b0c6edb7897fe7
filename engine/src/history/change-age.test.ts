import type { EventType } from '@portcullis/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, anyGap, DAY, failedLogin, HOUR, MINUTE, pay, SECOND, upTo } from '../../test/subjects.ts';
import type { Subject } from '../subject/subject.ts';
import { fact } from './facts.ts';
import { makeInMemoryHistory } from './in-memory.ts';

const CHANGE_AGE = fact('user.change_age_ms');
type Stream = ReturnType<typeof makeInMemoryHistory>;
const ageAt = (stream: Stream, time: number): number => stream.measure(pay(time))[CHANGE_AGE] as number;
const after = (...subjects: Subject[]): Stream => {
  const stream = makeInMemoryHistory();
  for (const subject of subjects) stream.observe(subject);
  return stream;
};

/** How exact an age is: as the granule of the narrowest window that includes it. */
const exactness = (age: number): number => {
  if (age < 55 * SECOND) return 5 * SECOND;
  if (age < 9 * MINUTE) return MINUTE;
  if (age < 55 * MINUTE) return 5 * MINUTE;
  if (age < 23 * HOUR) return HOUR;
  return age < 6.75 * DAY ? 6 * HOUR : DAY;
};
const step = (gap: fc.Arbitrary<number>) =>
  fc.record({ gap, does: fc.constantFrom('change', 'reset', 'pay', 'login', 'failed login') });
const CHANGES: Readonly<Record<string, EventType>> = { change: 'email_change', reset: 'password_reset' };
const subjectOf = (does: string, time: number): Subject => {
  const type = CHANGES[does];
  if (type !== undefined) return act(time, type);
  if (does === 'pay') return pay(time);
  return does === 'login' ? act(time, 'login') : failedLogin(time);
};

describe('the age of the last credential change', () => {
  test('is the same whatever else the user did, and as exact as its window', () => {
    fc.assert(
      fc.property(fc.array(step(anyGap), upTo(80)), anyGap, (steps, rest) => {
        const [everything, changes] = [makeInMemoryHistory(), makeInMemoryHistory()];
        let [time, last] = [0, Number.NaN];
        const expectSame = (now: number): void => {
          const [age, alone] = [ageAt(everything, now), ageAt(changes, now)];
          expect(age).toBe(alone);
          const exact = now - last;
          if (Number.isNaN(age)) expect(!(exact < 29 * DAY)).toBe(true);
          else {
            expect(age).toBeGreaterThanOrEqual(exact);
            expect(age - exact).toBeLessThan(exactness(exact));
          }
        };
        for (const { gap, does } of steps) {
          time += gap;
          expectSame(time);
          const subject = subjectOf(does, time);
          everything.observe(subject);
          if (!(does in CHANGES)) continue;
          changes.observe(subject);
          last = time;
        }
        expectSame(time + rest);
      }),
      { numRuns: 100 },
    );
  });

  test('is never in the future, also if items arrive late', () => {
    const anyTime = fc.integer({ min: 0, max: 40 * DAY });
    fc.assert(
      fc.property(fc.array(step(anyTime), upTo(40)), anyTime, (steps, now) => {
        const stream = makeInMemoryHistory();
        for (const { gap, does } of steps) {
          expect(ageAt(stream, gap)).not.toBeLessThan(0);
          stream.observe(subjectOf(does, gap));
        }
        expect(ageAt(stream, now)).not.toBeLessThan(0);
      }),
      { numRuns: 100 },
    );
  });

  test('is unknown without a change in 30 days', () => {
    expect(ageAt(after(), 0)).toBeNaN();
    expect(ageAt(after(pay(0), act(1, 'login')), DAY)).toBeNaN();
    expect(ageAt(after(act(0, 'email_change')), 30 * DAY - HOUR)).toBe(30 * DAY - HOUR);
    expect(ageAt(after(act(0, 'email_change')), 30 * DAY)).toBeNaN();
  });

  test('is that of the user alone', () => {
    const stream = after(act(0, 'email_change'));
    expect(stream.measure(pay(HOUR, { user_id: 'another' }))[CHANGE_AGE]).toBeNaN();
    expect(stream.measure(pay(HOUR))[CHANGE_AGE]).toBe(HOUR);
  });
});
