import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  act,
  anySequence,
  DAY,
  failedLogin,
  HOUR,
  last,
  MINUTE,
  pay,
  type Step,
  sdk,
  times,
} from '../../test/subjects.ts';
import { type Facts, fact, makeFacts } from '../history/facts.ts';
import { makeInMemoryHistory } from '../history/in-memory.ts';
import type { Subject } from '../subject/subject.ts';
import { SIGNALS } from './signals.ts';

const GRADED = SIGNALS.flatMap(({ name, active, grade }) => (grade === undefined ? [] : [{ name, active, grade }]));
const gradeOf = (name: string, subject: Subject, facts: Facts): number | undefined =>
  GRADED.find((signal) => signal.name === name)?.grade(facts, subject);
const gradeAfter = (name: string, steps: readonly Step[]): number | undefined => {
  const { subject, facts } = last(steps);
  return gradeOf(name, subject, facts);
};

const HOME = { ip_address: '198.51.100.1', device_token: 'phone' };
const AWAY = { ip_address: '192.0.2.1', device_token: 'laptop' };
const life = times(20, (i) => pay(i * DAY, HOME));
const now = 20 * DAY;

describe('the grade of a signal', () => {
  test('exists for what is new to a user, for credential changes, and for the pace of payments', () => {
    expect(GRADED.map(({ name }) => name).sort()).toEqual([
      'ip_mismatch',
      'new_country',
      'new_device',
      'recent_credential_change',
      'takeover_pattern',
      'velocity_spike',
    ]);
  });

  test('is from 0 to 1, and not near 0 where the signal is active, for any history', () => {
    fc.assert(
      fc.property(anySequence(40), (subjects) => {
        const stream = makeInMemoryHistory();
        for (const subject of subjects) {
          const facts = stream.measure(subject);
          for (const { name, active, grade } of GRADED) {
            const value = grade(facts, subject);
            expect(value, name).toBeGreaterThanOrEqual(active(facts, subject) ? 0.07 : 0);
            expect(value, name).toBeLessThanOrEqual(1);
          }
          stream.observe(subject);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('falls with every wait, whatever was done before it', () => {
    const use = fc.record({
      gap: fc.integer({ min: 0, max: 3 * DAY }),
      does: fc.constantFrom('pay', 'login', 'failed', 'change'),
    });
    const wait = fc.integer({ min: 0, max: 40 * DAY });
    fc.assert(
      fc.property(fc.array(use, { maxLength: 5 }), wait, wait, (uses, one, other) => {
        const stream = makeInMemoryHistory();
        for (const subject of life) stream.observe(subject);
        let time = now;
        for (const { gap, does } of uses) {
          time += gap;
          if (does === 'pay') stream.observe(pay(time, AWAY));
          else if (does === 'failed') stream.observe(failedLogin(time, AWAY));
          else stream.observe(act(time, does === 'login' ? 'login' : 'email_change', AWAY));
        }
        const [sooner, later] = [Math.min(one, other), Math.max(one, other)].map((more) => {
          const subject = pay(time + more, AWAY);
          const facts = stream.measure(subject);
          return GRADED.map(({ grade }) => grade(facts, subject));
        });
        GRADED.forEach(({ name }, i) => {
          expect(later?.[i], name).toBeLessThanOrEqual(sooner?.[i] as number);
        });
      }),
      { numRuns: 300 },
    );
  });

  test('of a new device and network falls by half every four months after a quiet month, of a new country not', () => {
    const lastAt = 19 * DAY;
    const gradesOf = (name: string) =>
      [1, 30, 90, 150, 270].map((days) => gradeAfter(name, [...life, pay(lastAt + days * DAY, AWAY)]));
    const fading = [1, 1, 2 ** -0.5, 0.5, 0.25];
    expect(gradesOf('new_device')).toEqual(fading);
    expect(gradesOf('ip_mismatch')).toEqual(fading);
    expect(gradesOf('new_country')).toEqual([1, 1, 1, 1, 1]);
  });

  test('has no edge where the signal ends: an hour takes off a tenth at most, and 8 % of a change', () => {
    // Just before the end of a granule of six hours and of a day, where the time of a change is least exact.
    const used = now + DAY - MINUTE;
    const stream = makeInMemoryHistory();
    for (const subject of [...life, pay(used, AWAY), act(used, 'email_change', AWAY)]) stream.observe(subject);
    const gradesAt = times(24 * 9, (hour) => {
      const subject = pay(used + hour * HOUR, AWAY);
      const facts = stream.measure(subject);
      return GRADED.map(({ grade }) => grade(facts, subject));
    });
    GRADED.forEach(({ name }, i) => {
      for (let hour = 1; hour < gradesAt.length; hour++) {
        const [before, after] = [gradesAt[hour - 1]?.[i], gradesAt[hour]?.[i]] as [number, number];
        // The time of a change of more than a day ago is known to six hours.
        const isCoarse = /change|takeover/.test(name) && hour >= 23;
        expect(before - after, `${name} after ${hour} hours`).toBeLessThan(isCoarse ? 0.18 : 0.11);
      }
    });
  });
});

test('the grade of a pace grows with the number of payments, up to forty in 10 minutes', () => {
  const gradesOf = (count: number) =>
    gradeAfter('velocity_spike', [...life, ...times(count, (i) => pay(now + i * 10_000, HOME))]);
  expect([4, 5, 10, 20, 40, 50].map(gradesOf)).toEqual([0, 0.25, 0.5, 0.75, 1, 1]);
});

/** Payments for which a signal cannot apply. */
const NOT_APPLICABLE: readonly [name: string, what: string, steps: readonly Step[]][] = [
  ['new_device', 'no device', [...life, pay(now, { ip_address: AWAY.ip_address })]],
  ['new_device', 'the first device', [...times(9, (i) => pay(i * DAY)), pay(9 * DAY, AWAY)]],
  ['new_device', 'a user of one hour', [...times(3, (i) => pay(i, HOME)), pay(HOUR, AWAY)]],
  [
    'new_device',
    'the profile of an earlier device',
    [...life, pay(now - DAY, {}, sdk('x', '1')), pay(now, AWAY, sdk('x', '2'))],
  ],
  ['ip_mismatch', 'no address', [...life, pay(now, { device_token: 'laptop' })]],
  [
    'ip_mismatch',
    'a user who roams',
    [...times(9, (i) => pay(i * DAY, { ip_address: `10.0.${i}.1` })), pay(9 * DAY, AWAY)],
  ],
  ['new_country', 'an address of a VPN', [...life, pay(now, AWAY, { ip_vpn: 1 })]],
  ['recent_credential_change', 'a login', [...life, act(now, 'email_change', HOME), act(now, 'login', HOME)]],
  ['recent_credential_change', 'no change', [...life, pay(now, HOME)]],
  ['recent_credential_change', 'a change of last month', [act(-31 * DAY, 'email_change'), ...life, pay(now, HOME)]],
  ['takeover_pattern', 'a login', [...life, act(now, 'email_change', HOME), act(now, 'login', AWAY)]],
  ['takeover_pattern', 'no change', [...life, pay(now, AWAY)]],
];

describe('the grade is 0 for', () => {
  test.each(NOT_APPLICABLE)('%s with %s', (name, _, steps) => {
    expect(gradeAfter(name, steps)).toBe(0);
  });

  test.each(GRADED)('$name while the history of the user is unavailable', ({ grade }) => {
    const facts = makeFacts().fill(Number.NaN);
    for (const subject of [pay(0, AWAY), act(0, 'payout_request', AWAY)]) expect(grade(facts, subject)).toBe(0);
  });
});

test('a credential change in a decision without its time counts as one of a day ago', () => {
  const { subject, facts } = last([...life, act(now, 'email_change', HOME), pay(now + HOUR, AWAY)]);
  facts[fact('user.change_age_ms')] = Number.NaN;
  expect(gradeOf('recent_credential_change', subject, facts)).toBeCloseTo(2 ** -0.25, 12);
  expect(gradeOf('takeover_pattern', subject, facts)).toBeCloseTo(2 ** -0.25, 12);
});
