import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, anySequence, DAY, HOUR, MINUTE, pay, START } from '../../test/subjects.ts';
import { makeInMemoryHistory } from '../history/in-memory.ts';
import { evaluateSignals, makeActiveSignals } from '../signals/evaluate.ts';
import { SIGNALS } from '../signals/signals.ts';
import type { Subject } from '../subject/subject.ts';
import { FEATURE_NAMES, type FillFeatures, makeFeatureReader } from './features.ts';

const makeFeatures = (): Float64Array => new Float64Array(FEATURE_NAMES.length);
const fillFeatures = makeFeatureReader(FEATURE_NAMES) as FillFeatures;

const NO_SIGNALS = makeActiveSignals();

/** The features of the last subject after all others. A label of a subject becomes known an hour after it. */
const featuresOf = (subjects: readonly Subject[], labels: Readonly<Record<number, boolean>> = {}) => {
  const stream = makeInMemoryHistory();
  const features = makeFeatures();
  subjects.forEach((subject, i) => {
    fillFeatures(stream.measure(subject), subject, NO_SIGNALS, features);
    stream.observe(subject);
    if (labels[i] !== undefined) stream.label(subject.hashes, { fraud: labels[i], at: subject.at + HOUR });
  });
  return (name: string): number => {
    const at = FEATURE_NAMES.indexOf(name);
    if (at < 0) throw new Error(`no feature is named ${name}`);
    return features[at] as number;
  };
};

describe('features', () => {
  test('have unique names', () => {
    expect(new Set(FEATURE_NAMES).size).toBe(FEATURE_NAMES.length);
  });

  test('compare the amount with the usual payments of the user', () => {
    const feature = featuresOf([
      pay(0, { amount: 10 }),
      pay(DAY + 2 * HOUR, { amount: 30 }),
      pay(2 * DAY, { amount: 80 }),
    ]);
    expect(feature('dollars')).toBe(80);
    expect(feature('user.amount_mean.30d')).toBe(20);
    expect(feature('amount_over_user.amount_mean.30d')).toBe(4);
    expect(feature('amount_over_user.amount_max')).toBeCloseTo(80 / 30, 12);
    expect(feature('user.amount_deviations')).toBeCloseTo(60 / (Math.sqrt(200) + 1), 12);
    expect(feature('user.burst.24h')).toBe(0.5);
  });

  test('leave the payments of the last day out of what is usual, so that a burst earns nothing', () => {
    const before = [pay(0, { amount: 10 }), pay(DAY, { amount: 30 })];
    const burst = Array.from({ length: 9 }, (_, i) => pay(3 * DAY + i * MINUTE, { amount: 500 }));
    const [first, last] = [burst.slice(0, 1), burst].map((payments) => featuresOf([...before, ...payments]));
    for (const feature of [first, last]) {
      expect(feature?.('user.payments_before_24h')).toBe(2);
      expect(feature?.('amount_over_user.amount_mean_before_24h')).toBe(25);
    }
    expect(featuresOf(burst)('amount_over_user.amount_mean_before_24h')).toBeNaN();
  });

  test('compare with the payments of any age, and count up to 30 of them', () => {
    const before = Array.from({ length: 40 }, (_, i) => pay(i * DAY, { amount: 10 }));
    const feature = featuresOf([...before, pay(90 * DAY, { amount: 20 })]);
    expect(feature('user.payments_before_24h')).toBe(30);
    expect(feature('amount_over_user.amount_mean_before_24h')).toBeCloseTo(2);
  });

  test.each([
    ['a new user', undefined, 0],
    ['a user first seen ten minutes ago', 10 * MINUTE, 0],
    ['a user first seen two hours ago', 2 * HOUR, HOUR],
    ['a user first seen a year ago', 365 * DAY, 30 * DAY],
  ])('give no credit for the first hour: %s', (_, age, seen) => {
    const feature = featuresOf([...(age === undefined ? [] : [act(0, 'signup')]), pay(age ?? 0)]);
    expect(feature('user.seen_ms')).toBe(seen);
  });

  test.each([
    ['an hour', HOUR, DAY],
    ['a week', 7 * DAY, 7 * DAY],
    ['a year', 365 * DAY, 30 * DAY],
  ])('know a business for at least a day and at most 30: %s', (_, age, known) => {
    const paid = Array.from({ length: 20 }, (_, i) => pay(i, { user_id: `user_${i}`, amount: 10 }));
    expect(featuresOf([...paid, pay(age)])('account.known_ms')).toBe(known);
  });

  test('say nothing about an account before its twentieth payment', () => {
    const paid = Array.from({ length: 20 }, (_, i) => pay(i * HOUR, { user_id: `user_${i}`, amount: 10 }));
    const next = pay(DAY, { user_id: 'next' });
    const ofAccount = FEATURE_NAMES.filter((name) => /(?:^|_over_)account\./.test(name));
    expect(ofAccount.length).toBeGreaterThan(3);
    const [early, later] = [featuresOf([...paid.slice(1), next]), featuresOf([...paid, next])];
    expect(ofAccount.filter((name) => !Number.isNaN(early(name)))).toEqual([]);
    expect(ofAccount.filter((name) => Number.isNaN(later(name)))).toEqual([]);
    expect([later('account.payments'), later('account.age_ms')]).toEqual([20, DAY]);
  });

  test('include the share of fraud among the labelled items of a counterparty', () => {
    const shop = { counterparty_id: 'shop' };
    const paid = [0, 1, 2, 3].map((i) => pay(i * MINUTE, { ...shop, user_id: `user_${i}` }));
    const feature = featuresOf([...paid, pay(DAY / 2, shop)], { 0: true, 1: false, 2: false, 3: false });
    expect(feature('counterparty.fraud_share.24h')).toBe(0.25);
    expect(feature('counterparty.known_frauds')).toBe(1);
    expect(feature('user.fraud_share.24h')).toBeNaN();
  });

  test.each([
    ['noon on a Sunday', 12 * HOUR, { hour: 12, is_night: 0, is_weekend: 1 }],
    ['half past five on a Monday', DAY + 5.5 * HOUR, { hour: 5.5, is_night: 1, is_weekend: 0 }],
    ['six on a Friday', 5 * DAY + 6 * HOUR, { hour: 6, is_night: 0, is_weekend: 0 }],
    ['a minute before midnight on a Saturday', 7 * DAY - MINUTE, { is_night: 0, is_weekend: 1 }],
  ])('include the time: %s', (_, time, expected) => {
    expect(new Date(START).getUTCDay()).toBe(0);
    const feature = featuresOf([pay(time)]);
    for (const [name, value] of Object.entries(expected)) expect(feature(name), name).toBe(value);
  });

  test.each([
    ['of a device never seen before', undefined, 0],
    ['of one that paid first an hour ago', HOUR, 0],
    ['of one that paid first two hours ago', 2 * HOUR, HOUR],
    ['of one that paid first a year ago', 365 * DAY, 30 * DAY],
  ])('include how long something has been known: %s', (_, age, known) => {
    const device = { device_token: 'phone' };
    const feature = featuresOf([...(age === undefined ? [] : [pay(0, device)]), pay(age ?? 0, device)]);
    expect(feature('device.known_ms')).toBe(known);
    expect(feature('email.known_ms')).toBeNaN();
  });

  test('let nothing be known for longer just because a thief logs in before the payment', () => {
    const device = { device_token: 'stolen' };
    const soon = fc.integer({ min: 0, max: 40 * DAY });
    fc.assert(
      fc.property(soon, (wait) => {
        const [once, twice] = [[], [act(0, 'login', device)]].map((before) =>
          featuresOf([...before, pay(wait, device)]),
        );
        expect(twice?.('device.known_ms')).toBe(once?.('device.known_ms'));
      }),
      { numRuns: 20 },
    );
  });

  test('of an event have no amount, nor a value derived from one', () => {
    const feature = featuresOf([pay(0, { amount: 10 }), act(1, 'login')]);
    expect([feature('is_event'), feature('dollars'), feature('amount_over_user.amount_mean')]).toEqual([
      1,
      Number.NaN,
      Number.NaN,
    ]);
  });

  test('are finite or unknown, for any history', () => {
    fc.assert(
      fc.property(anySequence(40), (subjects) => {
        const stream = makeInMemoryHistory();
        const features = makeFeatures();
        for (const subject of subjects) {
          features.fill(77);
          fillFeatures(stream.measure(subject), subject, NO_SIGNALS, features);
          const odd = FEATURE_NAMES.filter((_, i) => !Number.isFinite(features[i]) && !Number.isNaN(features[i]));
          expect(odd).toEqual([]);
          stream.observe(subject);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('are written from the given position on, and nowhere else', () => {
    const stream = makeInMemoryHistory();
    const subject = pay(0);
    const facts = stream.measure(subject);
    const alone = makeFeatures();
    fillFeatures(facts, subject, NO_SIGNALS, alone);
    const wide = new Float64Array(FEATURE_NAMES.length + 2).fill(5);
    fillFeatures(facts, subject, NO_SIGNALS, wide, 1);
    expect(wide.slice(1, -1)).toEqual(alone);
    expect([wide[0], wide.at(-1)]).toEqual([5, 5]);
  });
});

test('a signal is a feature: its grade, or else 1 where it is active and 0 where it is not', () => {
  fc.assert(
    fc.property(anySequence(30), (subjects) => {
      const stream = makeInMemoryHistory();
      const active = makeActiveSignals();
      const features = makeFeatures();
      for (const subject of subjects) {
        const facts = stream.measure(subject);
        evaluateSignals(facts, subject, active);
        fillFeatures(facts, subject, active, features);
        for (const { name, on, active: isActive, grade } of SIGNALS) {
          const isOn = on === 'both' || on === subject.type;
          const value = features[FEATURE_NAMES.indexOf(`signal.${name}`)];
          expect(value, name).toBe(grade?.(facts, subject) ?? Number(isOn && isActive(facts, subject)));
        }
        stream.observe(subject);
      }
    }),
    { numRuns: 20 },
  );
});
