import { describe, expect, test } from 'vitest';
import { act, DAY, pay } from '../test/subjects.ts';
import type { Verdict } from './decide.ts';
import { explain } from './explain.ts';
import { fact, makeFacts } from './facts.ts';
import { featureInWords } from './feature-words.ts';
import { FEATURE_NAMES } from './features.ts';
import type { Subject } from './subject.ts';

const VALUES = [0, 1, 2, 0.5, -3.25, 1 / 3, 29, 30, 1e-7, 59_999, 86_400_000, 30 * DAY, 1e15];

describe('words', () => {
  test('are there for every feature, with any value and without', () => {
    for (const name of FEATURE_NAMES) {
      for (const value of [undefined, Number.NaN, ...VALUES]) {
        const words = featureInWords(name, value);
        expect(words, `${name} of ${value}`).toMatch(/^(?:…|[A-Z0-9$-]).* /);
        expect(words, `${name} of ${value}`).not.toMatch(/NaN|undefined|Infinity|null|_/);
        if (name.includes('.')) expect(words).not.toContain(name);
      }
    }
  });

  test('say so where the value is not known, and only there', () => {
    for (const name of FEATURE_NAMES) {
      expect(featureInWords(name, Number.NaN)).toMatch(/not known|never seen/i);
      expect(featureInWords(name, 1)).not.toMatch(/not known|never seen/i);
    }
  });

  test('tell features apart', () => {
    for (const value of [undefined, 1, Number.NaN])
      expect(new Set(FEATURE_NAMES.map((name) => featureInWords(name, value))).size).toBe(FEATURE_NAMES.length);
  });

  test.each([
    ['dollars', 12.5, 'The amount is $12.50'],
    ['user.transactions.1h', 7, '7 payments of the user in an hour'],
    ['ip.distinct_user.24h', 3, '3 users of the address in 24 hours'],
    ['amount_over_user.amount_mean.30d', 4.26, 'The amount is 4.3 times the mean payment of the user in 30 days'],
    ['counterparty.fraud_share.7d', 0.25, '25 % of what was confirmed of the counterparty in 7 days was fraud'],
    ['user.this_device_age_ms', 3 * 3_600_000, 'The user was first seen with the device 3 hours ago'],
    ['email_disposable', 1, 'The e-mail domain is for throw-away addresses'],
    ['email_disposable', 0, 'The e-mail domain is for throw-away addresses: no'],
    ['hour', 5.5, 'The hour is 5:00 UTC'],
    ['user.travel_km', 812.4, 'The user is at least 812 km from where they were last seen'],
    ['user.travel_speed', 950, 'The user came from where they were last seen at 950 km/h or more'],
    ['ip_radius_km', 20, 'Where the address is, is known to within 20 km'],
  ])('of %s %d are: %s', (name, value, words) => {
    expect(featureInWords(name, value)).toBe(words);
  });

  test.each([
    ['user.age_ms', 30 * DAY, 'The user was first seen at least 30 days ago'],
    ['user.age_ms', 29 * DAY, 'The user was first seen 29 days ago'],
    ['user.this_device_age_ms', 30 * DAY, 'The user was first seen with the device at least 30 days ago'],
    ['user.idle_ms', 40 * DAY, 'The user was last seen 40 days ago'],
    ['device.actions', 30, '30 or more actions of the device so far'],
    ['device.payments', 29, '29 payments of the device so far'],
  ])('claim no more than is looked at: %s', (name, value, words) => {
    expect(featureInWords(name, value)).toBe(words);
  });
});

describe('the words of a decision', () => {
  const toldOf = (name: string, subject: Subject, facts = makeFacts()) => {
    const verdict: Verdict = {
      score: 60,
      decision: 'review',
      signals: [],
      factors: [{ of: 'feature', name, contribution: 58 }],
      baseScore: 2,
      modelVersion: 'mdl_x',
      probability: 0.2,
      lists: [],
      rules: [],
      shadow: [],
    };
    const [with_, without] = [explain(verdict, subject, facts), explain(verdict, subject, undefined)];
    expect(with_).toMatchObject([{ feature: name, contribution: 58 }]);
    return [with_[0]?.description, without[0]?.description];
  };

  test('take the number from the facts, and do without where they are gone', () => {
    const facts = makeFacts();
    facts[fact('user.transactions.1h')] = 6;
    expect(toldOf('user.transactions.1h', pay(0), facts)).toEqual([
      '6 payments of the user in an hour',
      '… payments of the user in an hour',
    ]);
  });

  test.each(['metadata.category', 'payment_method', 'billing_address.country'])(
    'tell the name that %s gives, and that it gives none',
    (member) => {
      const given = pay(0, {
        metadata: { category: 'card' },
        payment_method: 'card',
        billing_address: { country: 'card' },
      });
      expect(toldOf(member, given)).toEqual([`${member} is card`, `${member} is card`]);
      for (const none of [pay(0), act(0, 'login')])
        expect(toldOf(member, none)).toEqual([`${member} is not given`, `${member} is not given`]);
    },
  );

  test('gather what is not told one by one', () => {
    expect(toldOf('other_features', pay(0))[0]).toBe('Everything else the model looks at');
  });
});
