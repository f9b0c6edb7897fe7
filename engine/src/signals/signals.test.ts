import { describe, expect, test } from 'vitest';
import { act, pay } from '../../test/subjects.ts';
import { DEFAULT_POLICY } from '../decide/policy.ts';
import { fact, makeFacts } from '../history/facts.ts';
import { featureTopic } from '../model/feature-descriptions.ts';
import { NUMERIC_FEATURES } from '../model/features.ts';
import { KNOWLEDGE, UNAVAILABLE } from '../subject/lookup-facts.ts';
import { ACCOUNT_SIGNALS } from './account.ts';
import { DEVICE_SIGNALS } from './device.ts';
import { DEVICE_TOKEN_SIGNALS } from './device-token.ts';
import { EMAIL_DOMAIN_SIGNALS, EMAIL_SIGNALS } from './email.ts';
import { INSTRUMENT_SIGNALS } from './instrument.ts';
import { FRAUD_SIGNALS } from './known-fraud.ts';
import { NETWORK_SIGNALS } from './network.ts';
import { ORIGIN_SIGNALS } from './origin.ts';
import { PAYMENT_SIGNALS } from './payment.ts';
import { SIGNALS, TEST_ADDRESS_SIGNAL } from './signals.ts';
import { TAKEOVER_SIGNALS } from './takeover.ts';

const names = SIGNALS.map(({ name }) => name);

describe('the signals', () => {
  // Each file of signals has a test with a table of sequences, which fails for a missing signal.
  test('are those of the tested lists, and no others', () => {
    const shown = [
      PAYMENT_SIGNALS,
      INSTRUMENT_SIGNALS,
      NETWORK_SIGNALS,
      DEVICE_SIGNALS,
      EMAIL_SIGNALS,
      DEVICE_TOKEN_SIGNALS,
      ORIGIN_SIGNALS,
      ACCOUNT_SIGNALS,
      EMAIL_DOMAIN_SIGNALS,
      TAKEOVER_SIGNALS,
      FRAUD_SIGNALS,
    ].flat();
    expect(new Set(SIGNALS)).toEqual(new Set(shown));
  });

  test('are at least fifty, with unique names', () => {
    expect(names.length).toBeGreaterThanOrEqual(50);
    expect(new Set([...names, TEST_ADDRESS_SIGNAL]).size).toBe(names.length + 1);
  });

  test.each(['velocity_spike', 'ip_mismatch', 'card_testing_pattern'])(
    'include %s, which the API documentation names',
    (name) => {
      expect(names).toContain(name);
    },
  );

  test.each(SIGNALS)(
    '$name is listed by the default policy, without points, and has a sentence as its meaning',
    (signal) => {
      expect(DEFAULT_POLICY.points[signal.name]).toBe(0);
      expect(signal.name).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
      expect(signal.meaning).toMatch(/^[A-Z].{20,}\.$/);
    },
  );

  test.each(SIGNALS)('$name is not active if all facts are unknown, or all data sources unavailable', (signal) => {
    const facts = makeFacts().fill(Number.NaN);
    for (const subject of [pay(0), act(0, 'login'), act(0, 'payout_request')]) {
      expect(signal.active(facts, subject)).toBe(false);
      for (const name of KNOWLEDGE) facts[fact(name)] = UNAVAILABLE;
      expect(signal.active(facts, subject)).toBe(false);
    }
  });

  test('speak only for topics that features have', () => {
    const topics = new Set(NUMERIC_FEATURES.map((name) => featureTopic(name).split(' ')[0]));
    for (const signal of SIGNALS) for (const topic of signal.topics) expect(topics, signal.name).toContain(topic);
  });

  test('do not block alone', () => {
    const { baseScore, points, thresholds } = DEFAULT_POLICY;
    expect(baseScore + Math.max(...Object.values(points))).toBeLessThan(thresholds.block);
    expect(baseScore).toBeLessThan(thresholds.review);
  });
});
