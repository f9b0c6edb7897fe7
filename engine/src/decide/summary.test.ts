import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyFacts, wideModel } from '../../test/any-model.ts';
import {
  act,
  anySequence,
  anySubject,
  DAY,
  failedLogin,
  HOUR,
  label,
  last,
  MINUTE,
  pay,
  SECOND,
  START,
  type Step,
  times,
} from '../../test/subjects.ts';
import { makeInMemoryHistory } from '../history/in-memory.ts';
import { decide } from './decide.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { summarize } from './summary.ts';
import { OTHER_FEATURES } from './verdict.ts';

const HOME = {
  ip_address: '198.51.100.1',
  device_token: 'phone',
  payment_fingerprint: 'card',
  counterparty_id: 'shop',
};
const AWAY = { ...HOME, ip_address: '192.0.2.1', device_token: 'stolen' };
const EUROS = { currency: 'EUR' };
/** Twenty days with one payment of EUR 75 each. */
const life = times(20, (i) => pay(i * DAY, { ...HOME, ...EUROS, amount: 75 }));
const now = 20 * DAY;
const someone = (i: number) => ({ user_id: `user_${i}` });

/** Each active signal contributes, in the order of their definition. */
const summaryOf = (steps: readonly Step[]): string => {
  const { subject, facts, verdict } = last(steps);
  return summarize({ ...verdict, decision: 'review' }, subject, facts);
};

const THEFT = pay(0, { ...someone(9), device_token: 'stolen' });
const SCENES: Readonly<Record<string, readonly [summary: string, steps: readonly Step[]]>> = {
  'a takeover': [
    'New device in a new country (the United States), within 4 minutes of a credential change; amount 12 times the usual',
    [...life, act(now, 'password_reset', HOME), pay(now + 4 * MINUTE, { ...AWAY, ...EUROS, amount: 900 })],
  ],
  'a new device on a new network at home': [
    'New device on a new network',
    [...life, pay(now, { ...HOME, ...EUROS, amount: 75, ip_address: '10.0.0.1', device_token: 'new' })],
  ],
  'a large first payment': ['First payment, of EUR 900.00', [pay(0, { amount: 900, ...EUROS })]],
  'a burst of payments': [
    '5 payments in 10 minutes',
    [...life, ...times(5, (i) => pay(now + i * 90 * SECOND, { ...HOME, ...EUROS, amount: 75 }))],
  ],
  'guessed passwords': [
    '5 failed logins in an hour',
    [...times(5, (i) => failedLogin(i * MINUTE)), act(6 * MINUTE, 'login')],
  ],
  'a payout after a change': [
    'New device in a new country (the United States), within 30 minutes of a credential change',
    [...life, act(now, 'email_change', AWAY), act(now + HOUR / 2, 'payout_request', AWAY)],
  ],
  'a payout after a new payment method': [
    'Payout within an hour of a new payment method',
    [...life, act(now, 'payment_method_added', HOME), act(now + 30 * MINUTE, 'payout_request', HOME)],
  ],
  'a takeover after three quiet months': [
    'New device in a new country (the United States); first activity in 91 days; amount 12 times the usual',
    [...life, pay(now + 90 * DAY, { ...AWAY, ...EUROS, amount: 900, counterparty_id: 'payee' })],
  ],
  "a thief's device": [
    'Confirmed fraud on this device',
    [THEFT, label(DAY, THEFT), pay(2 * DAY, { device_token: 'stolen' })],
  ],
  'a usual payment': [
    'Unusual in many small ways; no single reason stands out',
    [...life, pay(now, { ...HOME, ...EUROS, amount: 75 })],
  ],
};

describe('the summary of a decision', () => {
  test.each(Object.entries(SCENES))('is one line for %s', (_, [summary, steps]) => {
    expect(summaryOf(steps)).toBe(summary);
  });

  test('of an allowed item says that nothing is unusual', () => {
    const { subject, facts, verdict } = last([...life, pay(now, { ...HOME, ...EUROS, amount: 75 })]);
    expect(summarize(verdict, subject, facts)).toBe('Nothing unusual');
  });

  test('says in one thought that device and network are recent', () => {
    const theft = pay(now + 9 * MINUTE, { ...HOME, ...EUROS, amount: 75, ip_address: '10.0.0.1', device_token: 'new' });
    const { subject, facts, verdict } = last([...life, act(now, 'login', theft.request), theft]);
    const factors = ['user.this_device_age_ms', 'user.this_network_age_ms'].map((name) => ({
      of: 'feature' as const,
      name,
      contribution: 20,
    }));
    expect(summarize({ ...verdict, signals: [], factors }, subject, facts)).toBe(
      'Device and network first used 9 minutes ago',
    );
  });

  test('names confirmed fraud even if the model gives it no points', () => {
    const theft = pay(0, { ...someone(9), payment_fingerprint: 'stolen' });
    const { subject, facts, verdict } = last([
      ...life,
      theft,
      label(DAY, theft),
      pay(now, { ...AWAY, ...EUROS, amount: 900, payment_fingerprint: 'stolen' }),
    ]);
    const factors = verdict.signals
      .filter((name) => !name.startsWith('fraud_on_'))
      .map((name) => ({ of: 'signal' as const, name, contribution: 10 }));
    expect(summarize({ ...verdict, factors }, subject, facts)).toMatch(
      /^Confirmed fraud with this payment instrument; /,
    );
  });

  test('names a rule of the account first', () => {
    const { subject, facts, verdict } = last([...life, pay(now, { ...AWAY, amount: 75, ...EUROS })]);
    const ruled = { ...verdict, factors: [{ of: 'signal' as const, name: 'rule.abroad', contribution: 20 }] };
    expect(summarize(ruled, subject, facts)).toMatch(/^Rule abroad; new device in a new country/);
  });

  const factor = (name: string, contribution: number) => ({ of: 'feature' as const, name, contribution });

  test('names signals where only the sum of all factors is stored, and no signal without points beside one with points', () => {
    const { subject, facts, verdict } = last([...life, pay(now, { ...AWAY, ...EUROS, amount: 75 })]);
    expect(verdict.signals).toContain('new_device');
    const summed = { ...verdict, factors: [factor(OTHER_FEATURES, 12)] };
    expect(summarize(summed, subject, facts)).toMatch(/^New device in a new country/);
    const scored = { of: 'signal' as const, name: 'new_country', contribution: 12 };
    expect(summarize({ ...verdict, factors: [scored] }, subject, facts)).toBe('New country (the United States)');
  });

  test('compares an amount once, with the own payments of the user if it can', () => {
    const { subject, facts, verdict } = last([...life, pay(now, { ...HOME, ...EUROS, amount: 900 })]);
    const factors = ['amount_over_account.amount_typical', 'amount_over_user.amount_mean'].map((name) =>
      factor(name, 9),
    );
    expect(summarize({ ...verdict, signals: [], factors }, subject, facts)).toBe('Amount 12 times the usual');
  });

  test('tells a credential change apart from what is neither a device nor a place', () => {
    const steps = [...life, act(now, 'password_reset', HOME), ...times(5, (i) => failedLogin(now + i * MINUTE, HOME))];
    const { subject, facts, verdict } = last([...steps, pay(now + 6 * MINUTE, { ...HOME, ...EUROS, amount: 75 })]);
    expect(summarize({ ...verdict, decision: 'review' }, subject, facts)).toBe(
      '5 failed logins in an hour; within 6 minutes of a credential change',
    );
  });

  test('has at most four parts and no gaps, for any history', () => {
    const model = wideModel(1);
    fc.assert(
      fc.property(anySequence(30), (subjects) => {
        const history = makeInMemoryHistory();
        for (const subject of subjects) {
          const facts = history.measure(subject);
          const summary = summarize(decide({ ...DEFAULT_POLICY, model }, subject, facts), subject, facts);
          expect(summary).toMatch(/^[A-Z0-9]/);
          expect(summary).not.toMatch(
            /\n|NaN|undefined|Infinity|\$|feature|likeness|fingerprint|(?<![.,\d])1 [a-z-]+s\b/,
          );
          expect(summary.split('; ').length).toBeLessThanOrEqual(4);
          history.observe(subject);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('exists for any facts', () => {
    fc.assert(
      fc.property(fc.nat(9), anySubject(START), anyFacts, (seed, subject, facts) => {
        const verdict = decide({ ...DEFAULT_POLICY, model: wideModel(seed) }, subject, facts);
        expect(summarize(verdict, subject, facts).length).toBeGreaterThan(5);
      }),
      { numRuns: 100 },
    );
  });
});
