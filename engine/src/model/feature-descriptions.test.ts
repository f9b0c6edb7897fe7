import { describe, expect, test } from 'vitest';
import { act, DAY, pay } from '../../test/subjects.ts';
import { explain } from '../decide/explain.ts';
import type { Verdict } from '../decide/verdict.ts';
import { fact, makeFacts } from '../history/facts.ts';
import { ENTITY_KINDS } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';
import { describeFeature } from './feature-descriptions.ts';
import { FEATURE_NAMES } from './features.ts';

const VALUES = [0, 1, 2, 0.5, -3.25, 1 / 3, 29, 30, 1e-7, 59_999, 86_400_000, 30 * DAY, 1e15];

describe('the description of a feature', () => {
  test('exists for every feature, with any value and without', () => {
    for (const name of FEATURE_NAMES) {
      for (const value of [undefined, Number.NaN, ...VALUES]) {
        const description = describeFeature(name, value);
        expect(description, `${name} of ${value}`).toMatch(/^[A-Z0-9$-].* /);
        expect(description, `${name} of ${value}`).not.toMatch(/NaN|undefined|Infinity|null|_/);
        if (name.includes('.')) expect(description).not.toContain(name);
      }
    }
  });

  test('reports an unknown value, and only an unknown value', () => {
    for (const name of FEATURE_NAMES) {
      expect(describeFeature(name, Number.NaN)).toMatch(/^Unknown|never seen/);
      expect(describeFeature(name, 1)).not.toMatch(/unknown|never seen/i);
    }
  });

  test('differs between features', () => {
    for (const value of [undefined, 1, Number.NaN])
      expect(new Set(FEATURE_NAMES.map((name) => describeFeature(name, value))).size).toBe(FEATURE_NAMES.length);
  });

  test.each([
    ['dollars', 12.5, 'The amount is $12.50'],
    ['user.transactions.1h', 7, '7 payments by this user in the last hour'],
    ['user.transactions.1h', 1, '1 payment by this user in the last hour'],
    ['counterparty.small_transactions.24h', 2, '2 payments under $5 to this counterparty in the last 24 hours'],
    ['device.frauds.7d', 1, '1 confirmed fraud involving this device in the last 7 days'],
    ['ip.distinct_user.24h', 3, '3 users of this IP address in the last 24 hours'],
    ['user.distinct_fingerprint.1h', 3, '3 payment instruments used by this user in the last hour'],
    ['ip.crowd.1h', 3, '8 users of this IP address in the last hour; up to 5 are usual'],
    ['ip.crowd.1h', 0, 'At most 5 users of this IP address in the last hour, which is usual'],
    [
      'amount_over_user.amount_mean.30d',
      4.26,
      'The amount is 4.3 times the mean payment by this user in the last 30 days',
    ],
    ['user.amount_deviations', -2, 'The amount is 2 standard deviations below the mean payment by this user'],
    [
      'counterparty.fraud_share.7d',
      0.25,
      '25 % of the items labelled in the last 7 days for this counterparty were fraud',
    ],
    ['user.burst.1h', 0.5, '50 % of the payments by this user in the last 24 hours were made in the last hour'],
    ['user.this_device_age_ms', 3 * 3_600_000, 'This user was first seen with this device 3 hours ago'],
    ['email_disposable', 1, 'The e-mail domain offers disposable addresses'],
    ['email_disposable', 0, 'The e-mail domain offers no disposable addresses'],
    ['hour', 5.5, 'The hour is 5:00 UTC'],
    ['user.travel_km', 812.4, 'At least 812 km from the last known location of this user'],
    ['user.travel_speed', 950, 'At least 950 km/h from the last known location of this user'],
    ['ip_radius_km', 20, 'The location of the IP address is accurate to 20 km'],
  ])('of %s %d is: %s', (name, value, description) => {
    expect(describeFeature(name, value)).toBe(description);
  });

  test.each([
    ['user.age_ms', 30 * DAY, 'This user was first seen at least 30 days ago'],
    ['user.age_ms', 29 * DAY, 'This user was first seen 29 days ago'],
    ['user.this_device_age_ms', 30 * DAY, 'This user was first seen with this device at least 30 days ago'],
    ['user.idle_ms', 40 * DAY, 'This user was last seen 40 days ago'],
    ['device.actions', 30, '30 or more actions from this device so far'],
    ['device.payments', 29, '29 payments from this device so far'],
  ])('states no more than the capped value of %s', (name, value, description) => {
    expect(describeFeature(name, value)).toBe(description);
  });
});

describe('the description of a factor', () => {
  const descriptionsOf = (name: string, subject: Subject, facts = makeFacts()) => {
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

  test('takes the number from the facts, and is the meaning of the feature without facts', () => {
    const facts = makeFacts();
    facts[fact('user.transactions.1h')] = 6;
    expect(descriptionsOf('user.transactions.1h', pay(0), facts)).toEqual([
      '6 payments by this user in the last hour',
      'Number of payments by this user in the last hour',
    ]);
  });

  const unknown = makeFacts().fill(Number.NaN);
  const newEntities = makeFacts().fill(Number.NaN);
  for (const kind of ENTITY_KINDS) newEntities[fact(`${kind}.actions`)] = 0;

  test.each([
    ['user.this_device_age_ms', 'First time this user is seen with this device'],
    ['user.age_ms', 'First time this user is seen'],
    ['user.this_fingerprint_age_ms', 'No payment fingerprint was sent'],
    ['ip.transactions.1h', 'No IP address was sent'],
    ['user.this_asn_age_ms', 'No IP address was sent'],
    ['domain.signups.1h', 'No e-mail address was sent'],
    ['user.amount_mean', 'Unknown: the mean payment by this user, in US dollars'],
  ])('gives the reason why %s has no value: %s', (name, description) => {
    expect(descriptionsOf(name, pay(0, { device_token: 'phone' }), newEntities)[0]).toBe(description);
  });

  test('reports a history that could not be read', () => {
    expect(descriptionsOf('user.this_device_age_ms', pay(0, { device_token: 'phone' }), unknown)[0]).toBe(
      'The history of this user was not available',
    );
  });

  test.each(['metadata.category', 'payment_method', 'billing_address.country'])(
    'has the value of %s, or reports that none was sent',
    (field) => {
      const given = pay(0, {
        metadata: { category: 'card' },
        payment_method: 'card',
        billing_address: { country: 'card' },
      });
      expect(descriptionsOf(field, given)).toEqual([`${field} is card`, `${field} is card`]);
      for (const none of [pay(0), act(0, 'login')])
        expect(descriptionsOf(field, none)).toEqual([`No ${field} was sent`, `No ${field} was sent`]);
    },
  );

  test('of the remaining features is a collective one', () => {
    expect(descriptionsOf('other_features', pay(0))[0]).toBe('All other features of the model');
  });
});
