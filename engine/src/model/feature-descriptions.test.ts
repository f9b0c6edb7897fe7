import { THEMES } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import { act, DAY, HOUR, knowledgeOf, MINUTE, pay, START } from '../../test/subjects.ts';
import { fact, makeFacts } from '../history/facts.ts';
import { ENTITY_KINDS } from '../subject/entity.ts';
import { identifyOffline } from '../subject/identity.ts';
import { transactionSubject } from '../subject/subject.ts';
import { describeFeature, featureMeaning, featureTopic } from './feature-descriptions.ts';
import { NUMERIC_FEATURES } from './features.ts';

const FULL = {
  ip_address: '198.51.100.1',
  device_token: 'phone',
  email: 'ada@example.com',
  payment_fingerprint: 'card',
  counterparty_id: 'shop',
  billing_address: { country: 'DE' },
  shipping_address: { country: 'US', line1: '1 Main Street', postal_code: '10001' },
};
/** Facts of entities that were seen before, as far as they are not set. */
const factsWith = (values: Readonly<Record<string, number>>, everywhere = Number.NaN) => {
  const facts = makeFacts().fill(everywhere);
  for (const kind of ENTITY_KINDS) facts[fact(`${kind}.actions`)] = 5;
  facts[fact('ip_country')] = knowledgeOf(FULL)[0] as number;
  for (const [name, value] of Object.entries(values)) facts[fact(name)] = value;
  return facts;
};

describe('a feature', () => {
  test('has a meaning, a theme and a topic, and different features have different meanings', () => {
    for (const name of NUMERIC_FEATURES) {
      expect(featureMeaning(name), name).toMatch(/^[A-Z0-9].* /);
      expect(featureMeaning(name), name).not.toMatch(/NaN|undefined|null|_/);
      expect(featureTopic(name).length).toBeGreaterThan(0);
      expect(describeFeature(name, pay(0), undefined)).toEqual({
        theme: expect.toBeOneOf([...THEMES]),
        topic: expect.any(String),
        text: featureMeaning(name),
      });
    }
    expect(new Set(NUMERIC_FEATURES.map(featureMeaning)).size).toBe(NUMERIC_FEATURES.length);
  });

  test('has a text without gaps and engine words, for any known value', () => {
    for (const value of [0, 1, 2, 0.5, 29, 1e-7, 59_999, 86_400_000, 30 * DAY, 1e15])
      for (const name of NUMERIC_FEATURES)
        for (const subject of [pay(0, FULL), act(0, 'login', { ip_address: '198.51.100.1' })]) {
          const description = describeFeature(name, subject, factsWith({}, value));
          for (const text of [description?.text, description?.brief])
            expect(text ?? 'A text', `${name} of ${value}`).not.toMatch(
              /NaN|undefined|Infinity|null|_|\$|feature|likeness|fingerprint|unknown|(?<![.,\d])1 [a-z-]+s\b/i,
            );
        }
  });

  test('says nothing where nothing is known', () => {
    for (const name of NUMERIC_FEATURES) {
      const description = describeFeature(name, pay(0, FULL), factsWith({}));
      // A first time is known, and so is the time of the payment.
      expect(description?.text ?? 'First', name).toMatch(/^First|^New|^No |UTC|^The (?:IP|shipping) address/);
    }
  });
});

describe('an amount has the currency of the payment', () => {
  const subject = pay(0, { ...FULL, amount: 900, currency: 'EUR' });
  const usual = { 'user.payments': 9, 'user.amount_mean': 75 / 0.864 };
  test.each([
    ['amount_over_user.amount_mean', usual, 'EUR 900.00, 12 times the usual payment by this user (EUR 75.00)'],
    ['user.amount_deviations', usual, 'EUR 900.00, 12 times the usual payment by this user (EUR 75.00)'],
    ['amount_over_user.amount_max', usual, 'EUR 900.00, 12 times the usual payment by this user (EUR 75.00)'],
    ['dollars', usual, 'EUR 900.00, 12 times the usual payment by this user (EUR 75.00)'],
    [
      'counterparty.amount_mean',
      { 'counterparty.payments': 4, 'counterparty.amount_mean': 1100 },
      'EUR 900.00, close to the usual payment to this counterparty (EUR 950.40)',
    ],
    ['dollars', { 'user.payments': 0 }, 'First payment by this user, of EUR 900.00'],
    ['user.amount.24h', { 'user.amount.24h': 100 }, 'EUR 86.40 paid by this user in the last 24 hours'],
    ['user.amount.24h', { 'user.amount.24h': 0 }, 'Nothing paid by this user in the last 24 hours'],
    [
      'ip.small_transactions.24h',
      { 'ip.small_transactions.24h': 1 },
      '1 payment under EUR 4.32 from this IP address in the last 24 hours',
    ],
  ])('%s of %j: %s', (name, values, text) => {
    expect(describeFeature(name, subject, factsWith({ dollars: subject.dollars, ...values }))?.text).toBe(text);
  });

  test('and not told for an event', () => {
    expect(describeFeature('user.amount_mean', act(0, 'login'), factsWith(usual))).toBeUndefined();
  });
});

describe('a count has the singular or plural', () => {
  test.each([
    ['user.transactions.1h', 0, 'No earlier payments by this user in the last hour'],
    ['user.transactions.1h', 1, '1 earlier payment by this user in the last hour'],
    ['user.transactions.1h', 7, '7 earlier payments by this user in the last hour'],
    ['device.frauds.7d', 1, '1 confirmed fraud involving this device in the last 7 days'],
    ['ip.distinct_user.24h', 3, '3 users of this IP address in the last 24 hours'],
    ['ip.distinct_user.24h', 1, '1 user of this IP address in the last 24 hours'],
    ['user.distinct_fingerprint.1h', 3, '3 payment instruments used by this user in the last hour'],
    ['user.failed_logins.1h', 2, '2 failed logins for this user in the last hour'],
    ['counterparty.known_frauds', 2, '2 confirmed frauds involving this counterparty so far'],
  ])('%s of %d: %s', (name, value, text) => {
    expect(describeFeature(name, pay(0, FULL), factsWith({ [name]: value }))?.text).toBe(text);
  });

  test.each([
    ['burst.1h', 0, 1, 'The only earlier payment by this user in the last 24 hours was not made in the last hour'],
    ['burst.1h', 1, 1, 'The only earlier payment by this user in the last 24 hours was made in the last hour'],
    ['burst.1h', 0, 2, 'None of 2 earlier payments by this user in the last 24 hours were made in the last hour'],
    ['burst.1h', 1, 2, '1 of 2 earlier payments by this user in the last 24 hours was made in the last hour'],
    ['burst.1h', 2, 2, '2 of 2 earlier payments by this user in the last 24 hours were made in the last hour'],
    [
      'small_transactions_share.24h',
      0,
      1,
      'The only earlier payment by this user in the last 24 hours was not under USD 5.00',
    ],
    [
      'small_transactions_share.24h',
      1,
      3,
      '1 of 3 earlier payments by this user in the last 24 hours was under USD 5.00',
    ],
    [
      'large_transactions_share.7d',
      2,
      3,
      '2 of 3 earlier payments by this user in the last 7 days were unusually large for their user',
    ],
  ])('and the share %s, %d of %d, as a sentence: %s', (name, some, total, text) => {
    const [what, window = ''] = name.replace('_share', '').split('.');
    const [part, whole] = what === 'burst' ? ['transactions.1h', '24h'] : [`${what}.${window}`, window];
    const facts = factsWith({ [`user.${part}`]: some, [`user.transactions.${whole}`]: total });
    expect(describeFeature(`user.${name}`, pay(0, FULL), facts)?.text).toBe(text);
  });

  test('and a share as counts', () => {
    const facts = factsWith({
      'user.transactions.1h': 3,
      'user.transactions.24h': 4,
      'counterparty.frauds.7d': 1,
      'counterparty.legitimates.7d': 3,
      'ip.distinct_user.1h': 8,
    });
    const description = ['user.burst.1h', 'counterparty.fraud_share.7d', 'ip.crowd.1h'].map(
      (name) => describeFeature(name, pay(0, FULL), facts)?.text,
    );
    expect(description).toEqual([
      '3 of 4 earlier payments by this user in the last 24 hours were made in the last hour',
      '1 of 4 payments and events labelled in the last 7 days for this counterparty was fraud',
      '8 users of this IP address in the last hour',
    ]);
  });
});

describe('known and unknown values have different texts', () => {
  const known = {
    'user.this_device_age_ms': 20 * MINUTE,
    'user.this_network_age_ms': 3 * HOUR,
    'user.this_asn_age_ms': 90 * DAY,
    'user.this_country_age_ms': 40 * DAY,
    'user.age_ms': 40 * DAY,
    'user.payments': 12,
  };
  const describedAs = (name: string, values: Readonly<Record<string, number>>, fields: object = FULL) =>
    describeFeature(name, pay(0, fields), factsWith(values));

  test.each([
    ['user.this_device_age_ms', {}, FULL, 'First payment by this user from this device', 'new device'],
    [
      'user.this_device_age_ms',
      known,
      FULL,
      'This user first used this device 20 minutes ago',
      'device first used 20 minutes ago',
    ],
    ['user.this_device_age_ms', known, {}, 'No device identifier was sent', undefined],
    ['device.transactions.1h', known, {}, 'No device identifier was sent', undefined],
    ['device.distinct_user.1h', known, {}, 'No device identifier was sent', undefined],
    [
      'user.this_fingerprint_age_ms',
      {},
      FULL,
      'First payment by this user with this payment instrument',
      'new payment instrument',
    ],
    ['user.this_fingerprint_age_ms', known, {}, 'No payment instrument was sent', undefined],
    ['user.this_counterparty_age_ms', {}, FULL, 'First payment by this user to this counterparty', 'new counterparty'],
    [
      'user.this_network_age_ms',
      {},
      FULL,
      'First payment by this user through this internet provider',
      'new internet provider',
    ],
    [
      'user.this_ip_age_ms',
      known,
      FULL,
      'New IP address in a network that this user first used 3 hours ago',
      undefined,
    ],
    ['user.this_country_age_ms', {}, FULL, 'First payment by this user in Germany', 'new country (Germany)'],
    [
      'user.this_country_age_ms',
      known,
      FULL,
      'First payment by this user in this part of Germany',
      'new part of Germany',
    ],
    ['user.this_country_age_ms', known, {}, 'No IP address was sent', undefined],
    ['user.age_ms', known, FULL, 'This user was first seen 40 days ago, with 12 payments so far', undefined],
    ['user.actions', {}, FULL, 'First time this user is seen', 'new user'],
    ['domain.signups.1h', known, {}, 'No e-mail address was sent', undefined],
    [
      'email_disposable',
      { email_disposable: 1 },
      FULL,
      'The e-mail domain offers disposable addresses',
      'disposable e-mail address',
    ],
    ['email_disposable', { email_disposable: 0 }, FULL, 'The e-mail domain offers no disposable addresses', undefined],
  ])('%s of %j', (name, values, fields, text, brief) => {
    const description = describedAs(name, values, fields);
    expect([description?.text, description?.brief]).toEqual([text, brief]);
  });

  test('by one text for all that is new to a new user', () => {
    const pairs = NUMERIC_FEATURES.filter((name) => name.startsWith('user.this_'));
    for (const name of pairs)
      expect(describedAs(name, { 'user.actions': 0 })).toMatchObject({
        text: 'First time this user is seen',
        topic: 'user.age',
        theme: 'account',
      });
  });

  test('by what a pair of user and thing has earned', () => {
    const age = { 'user.this_device_age_ms': 12 * DAY };
    const texts = [
      { 'user.this_device_payments': 0 },
      { 'user.this_device_payments': 1 },
      { 'user.this_device_payments': 4, 'user.this_device_vouched': 1 },
    ].map((values) => describedAs('user.trust_device', { ...age, ...values })?.text);
    expect(texts).toEqual([
      'This user first used this device 12 days ago, without a payment',
      'This user first used this device 12 days ago, with 1 payment',
      'This user first used this device 12 days ago, with 4 payments, 1 confirmed as legitimate',
    ]);
  });

  test('and other users of a thing from this one', () => {
    const users = (count: number, seen: number) =>
      describedAs('device.distinct_user.24h', {
        'device.actions': 3,
        'device.distinct_user.24h': count,
        'user.this_device_seen': seen,
      });
    expect(users(1, 1)).toMatchObject({ text: '1 user of this device in the last 24 hours', side: -1 });
    expect(users(1, 0)).toMatchObject({
      text: '1 other user of this device in the last 24 hours',
      brief: 'device of another user',
      side: 1,
    });
    expect(users(4, 0)?.brief).toBe('device of 4 other users');
  });

  test('and a business of some days from one that is long known', () => {
    const ages = [2 * DAY, 40 * DAY].map((age) => ({ 'account.age_ms': age, 'account.payments': 12 }));
    expect(ages.map((values) => describedAs('account.known_ms', values)?.text)).toEqual([
      'The history of this business began 2 days ago. 12 payments so far',
      undefined,
    ]);
  });

  test('and failed attempts from a first time', () => {
    expect(describedAs('user.trust_device', { 'user.this_device_seen': 1 })?.text).toBe(
      'Only failed attempts by this user from this device so far',
    );
  });

  test('and a recurring payment from a first one', () => {
    const payee = { 'user.this_counterparty_age_ms': 90 * DAY };
    const texts = [
      {},
      { ...payee, 'user.this_recurring_payments': 0 },
      { ...payee, 'user.this_recurring_payments': 3, 'user.this_recurring_days': 3 },
    ].map((values) => describedAs('user.this_recurring_payments', values)?.text);
    expect(texts).toEqual([
      'First payment by this user to this counterparty',
      'First payment of this amount by this user to this counterparty',
      'The same amount as in 3 payments by this user to this counterparty before, on 3 days',
    ]);
  });

  test('and fraud that a thing took part in from fraud it is to blame for', () => {
    const texts = [
      { 'device.known_frauds': 1 },
      { 'device.actor_frauds_known': 2 },
      { 'device.actor_fraud_age_ms': 3 * DAY },
      { 'user.actor_frauds.7d': 0 },
      { 'user.dispute_days': 2 },
    ].map((values) => describedAs(Object.keys(values)[0] as string, values)?.text);
    expect(texts).toEqual([
      '1 confirmed fraud involving this device so far',
      '2 confirmed frauds committed with this device so far',
      'Fraud committed with this device was last reported 3 days ago',
      'No confirmed frauds attributed to this user in the last 7 days',
      'This user disputed payments they made themselves on 2 days',
    ]);
  });

  test('and an unavailable history from a first time', () => {
    const unread = factsWith({ 'user.actions': Number.NaN });
    expect(describeFeature('user.this_device_age_ms', pay(0, FULL), unread)?.text).toBe(
      'The history of this user could not be read',
    );
  });

  test('and a location that is not known is not told', () => {
    const request = { user_id: 'u', amount: 1, currency: 'USD', ip_address: '198.51.100.1' };
    const subject = transactionSubject(identifyOffline, request, START);
    expect(describeFeature('user.this_country_age_ms', subject, factsWith({ ip_country: Number.NaN }))).toBeUndefined();
  });
});

test('a field of the request has its value in the text, or that it was not sent', () => {
  const given = pay(0, { metadata: { category: 'gift' }, payment_method: 'card', billing_address: { country: 'BR' } });
  const fields = ['metadata.category', 'payment_method', 'billing_address.country'];
  expect(fields.map((field) => describeFeature(field, given, undefined)?.text)).toEqual([
    'The metadata `category` is gift',
    'The payment method is card',
    'The billing country is Brazil',
  ]);
  expect(fields.map((field) => describeFeature(field, act(0, 'login'), undefined)?.text)).toEqual([
    'No metadata `category` was sent',
    'No payment method was sent',
    'No billing country was sent',
  ]);
});

test('the type of an item is no reason', () => {
  for (const name of ['is_event', 'is_login', 'is_signup', 'is_payout', 'is_change', 'is_method_added'])
    for (const subject of [pay(0), act(0, 'login')])
      expect(describeFeature(name, subject, factsWith({}))).toBeUndefined();
  expect(describeFeature('is_failed', pay(0), factsWith({}))).toBeUndefined();
  expect(describeFeature('is_failed', act(0, 'login', { outcome: 'failed' }), factsWith({}))?.text).toBe(
    'The attempt failed',
  );
});
