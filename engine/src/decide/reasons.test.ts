import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyFacts, wideModel } from '../../test/any-model.ts';
import { act, anySequence, anySubject, DAY, pay, START, times } from '../../test/subjects.ts';
import { makeInMemoryHistory } from '../history/in-memory.ts';
import { SIGNALS } from '../signals/signals.ts';
import type { Subject } from '../subject/subject.ts';
import { decide } from './decide.ts';
import { explain } from './explain.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { byContribution, OTHER_FEATURES, type Verdict } from './verdict.ts';

const HOME = { ip_address: '198.51.100.1', device_token: 'phone', counterparty_id: 'shop' };
/** Ten days with one payment of EUR 20 each. */
const life = times(10, (i) => pay(i * DAY, { ...HOME, amount: 20, currency: 'EUR' }));
const factsAfter = (subjects: readonly Subject[], subject: Subject) => {
  const history = makeInMemoryHistory();
  for (const before of subjects) history.observe(before);
  return history.measure(subject).slice();
};
const verdictWith = (features: Readonly<Record<string, number>>, signals: readonly string[] = []): Verdict => {
  const factors = Object.entries(features).map(([name, contribution]) => ({
    of: 'feature' as const,
    name,
    contribution,
  }));
  const score = factors.reduce((sum, { contribution }) => sum + contribution, 2);
  return {
    score,
    decision: 'review',
    signals,
    factors: factors.sort(byContribution),
    baseScore: 2,
    modelVersion: 'mdl_a',
    probability: 0.2,
    lists: [],
    rules: [],
    shadow: [],
    isForced: false,
  };
};
const explained = (verdict: Verdict, subject: Subject, before: readonly Subject[] = life) =>
  explain(verdict, subject, factsAfter(before, subject));

describe('the factors of a decision', () => {
  test('add up to the score with the base score, largest first, for any model, facts and policy', () => {
    const points = Object.fromEntries(SIGNALS.map(({ name }, i) => [name, i % 20]));
    fc.assert(
      fc.property(fc.nat(9), anySubject(START), anyFacts, fc.boolean(), (seed, subject, facts, hasPoints) => {
        const policy = { ...DEFAULT_POLICY, model: wideModel(seed), ...(hasPoints ? { points } : {}) };
        const verdict = decide(policy, subject, facts);
        for (const known of [facts, undefined]) {
          const factors = explain(verdict, subject, known);
          expect(factors.reduce((sum, { contribution }) => sum + contribution, verdict.baseScore)).toBe(verdict.score);
          const contributions = factors.map(({ contribution }) => contribution);
          expect(contributions).toEqual(contributions.toSorted((a, b) => b - a));
          for (const { feature, theme, contribution } of factors) {
            if (feature === undefined) continue;
            expect(Number.isInteger(contribution) && contribution !== 0).toBe(true);
            expect(theme === null).toBe(feature === OTHER_FEATURES);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  test('have one reason for each active signal and topic, for the facts of any history', () => {
    const model = wideModel(1);
    fc.assert(
      fc.property(anySequence(30), (subjects) => {
        const history = makeInMemoryHistory();
        for (const subject of subjects) {
          const facts = history.measure(subject);
          const verdict = decide({ ...DEFAULT_POLICY, model }, subject, facts);
          const factors = explain(verdict, subject, facts);
          const own = new Set(SIGNALS.map(({ name }) => name));
          const signals = factors.flatMap(({ signal = '' }) => (own.has(signal) ? [signal] : []));
          expect(signals.toSorted()).toEqual(verdict.signals.filter((name) => own.has(name)).toSorted());
          const texts = factors.filter(({ feature }) => feature !== undefined).map(({ description }) => description);
          expect(new Set(texts).size).toBe(texts.length);
          for (const { description } of factors)
            expect(description).not.toMatch(/NaN|undefined|Infinity|\$|unknown|feature|likeness|fingerprint/i);
          history.observe(subject);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('tell one amount once, with the sum of its contributions', () => {
    const amounts = {
      'amount_over_user.amount_mean.30d': 12,
      'amount_over_user.amount_mean': 9,
      'amount_over_user.amount_max': 7,
      'user.amount_deviations': -2,
      'user.transactions.1h': 3,
    };
    const factors = explained(verdictWith(amounts), pay(10 * DAY, { ...HOME, amount: 240, currency: 'EUR' }));
    expect(factors).toEqual([
      {
        feature: 'amount_over_user.amount_mean.30d',
        theme: 'money',
        description: 'EUR 240.00, 12 times the usual payment by this user (EUR 20.00)',
        contribution: 26,
      },
      {
        feature: 'user.transactions.1h',
        theme: 'pace',
        description: 'No earlier payments by this user in the last hour',
        contribution: 3,
      },
    ]);
  });

  test('give an active signal the contribution of features that say the same', () => {
    const thief = pay(10 * DAY, { ...HOME, device_token: 'new' });
    const verdict = verdictWith(
      { 'user.this_device_age_ms': 11, 'signal.new_device': 6, 'user.this_network_age_ms': -1 },
      ['new_device', 'amount_spike'],
    );
    expect(explained(verdict, thief).map(({ signal, contribution }) => [signal, contribution])).toEqual([
      ['new_device', 17],
      ['amount_spike', 0],
      [undefined, -1],
    ]);
  });

  test('do not let an active signal speak for the user', () => {
    const spree = [...life, ...times(4, (i) => pay(10 * DAY + i, HOME))];
    const verdict = verdictWith({ 'user.transactions.7d': -8 }, ['velocity_spike']);
    const factors = explained(verdict, pay(10 * DAY + 9, HOME), spree);
    expect(factors.map(({ signal, feature, contribution }) => [signal ?? feature, contribution])).toEqual([
      ['velocity_spike', 0],
      [OTHER_FEATURES, -8],
    ]);
  });

  test('tell that a thing is new once, whether to the user or at all', () => {
    const features = { 'user.this_device_age_ms': 5, 'device.transactions.30d': 7, 'device.distinct_user.24h': -2 };
    const factors = explained(verdictWith(features), pay(10 * DAY, { ...HOME, device_token: 'new' }));
    expect(factors).toMatchObject([
      { theme: 'device', description: 'First payment by this user from this device', contribution: 10 },
    ]);
  });

  test('count a sum that is hardly more than the amount as the amount', () => {
    const features = { 'user.amount_with_this.24h': 5, 'amount_over_user.amount_mean': 7 };
    const factors = explained(verdictWith(features), pay(11 * DAY, { ...HOME, amount: 240, currency: 'EUR' }));
    expect(factors).toMatchObject([{ feature: 'amount_over_user.amount_mean', contribution: 12 }]);
  });

  test('tell what was not sent once', () => {
    const features = { 'user.this_device_age_ms': 5, 'device.distinct_user.24h': 2, 'device.transactions.7d': 1 };
    expect(explained(verdictWith(features), pay(10 * DAY))).toEqual([
      {
        feature: 'user.this_device_age_ms',
        theme: 'device',
        description: 'No device identifier was sent',
        contribution: 8,
      },
    ]);
  });

  test.each([
    ['the type of an item', { is_login: 9 }, act(10 * DAY, 'login', { ip_address: '198.51.100.1' })],
    ['an unknown value', { 'user.fraud_share.7d': 9 }, pay(10 * DAY, HOME)],
    ['the accuracy of a location', { ip_radius_km: 9 }, pay(10 * DAY, HOME)],
    ['an ordinary amount that counts against the user', { dollars: 9 }, pay(10 * DAY, { ...HOME, amount: 17.5 })],
    [
      'a new device that counts for the user',
      { 'user.this_device_age_ms': -9 },
      pay(10 * DAY, { device_token: 'new' }),
    ],
  ])('count %s among everything else', (_, features, subject) => {
    const contribution = Object.values(features)[0];
    expect(explained(verdictWith(features as Record<string, number>), subject)).toEqual([
      { feature: OTHER_FEATURES, theme: null, description: 'Everything else taken together', contribution },
    ]);
  });

  test('name rules and lists of the account, and the test address', () => {
    const verdict: Verdict = {
      ...verdictWith({}),
      factors: [
        { of: 'signal', name: 'rule.gift_cards', contribution: 9 },
        { of: 'signal', name: 'list.watched', contribution: 3 },
        { of: 'signal', name: 'test_address', contribution: 1 },
      ],
    };
    expect(explained(verdict, pay(10 * DAY, HOME)).map(({ theme, description }) => [theme, description])).toEqual([
      ['your_rules', 'Rule gift_cards of this account matched'],
      ['your_rules', 'On list watched of this account'],
      ['place', 'Test IP address: the decision is always review'],
    ]);
  });
});
