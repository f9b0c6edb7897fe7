import { LABEL_REASONS, type LabelReason } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import { act, DAY, failedLogin, HOUR, label, pay, type Step, sdk, times } from '../../test/subjects.ts';
import { ENTITY_KINDS, type EntityKind, kindIndex } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';
import { actorKinds, DISPUTE_BIT } from './actors.ts';
import { type Facts, fact, makeFacts } from './facts.ts';
import { makeInMemoryHistory } from './in-memory.ts';

const address = (line1: string) => ({ shipping_address: { country: 'DE', postal_code: '10115', line1 } });
const OWN = {
  ip_address: '198.51.100.1',
  device_token: 'phone',
  payment_fingerprint: 'card',
  email: 'ada@example.com',
  counterparty_id: 'shop',
  ...address('1 Main Street'),
};
const NEW = {
  ip_address: '192.0.2.1',
  device_token: 'laptop',
  payment_fingerprint: 'stolen',
  email: 'other@example.com',
  counterparty_id: 'payee',
  ...address('2 Main Street'),
};
const EVERY_THING = ['ip', 'network', 'device', 'fingerprint', 'email', 'counterparty', 'likeness', 'shipping'];
const RATES = ['asn', 'domain'];
const REASONS: readonly (LabelReason | undefined)[] = [undefined, ...LABEL_REASONS];

/** Facts before the last subject, with the labels that came before it. */
const factsBefore = (steps: readonly Step[]): [Subject, Facts] => {
  const stream = makeInMemoryHistory();
  const seen = new Map<Subject, Facts>();
  for (const step of steps) {
    if ('of' in step) {
      const actors = step.fraud ? actorKinds(step.of, seen.get(step.of) as Facts, step.reason) : 0;
      stream.label(step.of.hashes, { fraud: step.fraud, at: step.at, actors });
    } else {
      seen.set(step, stream.measure(step).slice());
      stream.observe(step);
    }
  }
  const last = steps.at(-1) as Subject;
  return [last, seen.get(last) as Facts];
};
/** The names of the kinds that a fraud label of the last subject blames, and `dispute`. */
const blamed = (steps: readonly Step[], reason?: LabelReason): string[] => {
  const actors = actorKinds(...factsBefore(steps), reason);
  const kinds: string[] = ENTITY_KINDS.filter((_, kind) => (actors & (1 << kind)) !== 0);
  return (actors & DISPUTE_BIT) === 0 ? kinds : [...kinds, 'dispute'];
};
const sorted = (kinds: readonly string[]): string[] =>
  [...kinds].sort((a, b) => (kindIndex[a as EntityKind] ?? 99) - (kindIndex[b as EntityKind] ?? 99));

const token = sdk('model', 'token');
/** Twenty days of payments with everything that is the user's own. The shop is known to others too. */
const life = [pay(-40 * DAY, { user_id: 'first', ...OWN }), ...times(20, (i) => pay(i * DAY, OWN, token))];
const now = 20 * DAY;

describe('a fraud label', () => {
  test.each(REASONS)('with reason %s of an established user with new things blames these', (reason) => {
    const blamesUser = reason === 'first_party' || reason === 'mule' || reason === 'card_testing';
    const dispute = reason === 'first_party' ? ['dispute'] : [];
    expect(blamed([...life, pay(now, NEW, sdk('other model', 'other'))], reason)).toEqual(
      sorted([...(blamesUser ? ['user'] : []), ...EVERY_THING, ...RATES, ...dispute]),
    );
  });

  test.each<[LabelReason | undefined, string[]]>([
    [undefined, ['user', 'dispute']],
    ['other', ['user', 'dispute']],
    ['first_party', ['user', 'dispute']],
    ['mule', ['user', 'counterparty']],
    ['card_testing', ['user']],
    ['takeover', []],
    ['stolen_card', ['fingerprint']],
  ])('with reason %s of an established user with their own things blames %j', (reason, kinds) => {
    expect(blamed([...life, pay(now, OWN, token)], reason)).toEqual(sorted([...kinds, ...RATES]));
  });

  test.each(REASONS)('with reason %s of a new account blames everything', (reason) => {
    expect(blamed([pay(0, NEW, token)], reason)).toEqual(sorted(['user', ...EVERY_THING, ...RATES]));
  });

  test.each([
    ['device_token', 'device'],
    ['payment_fingerprint', 'fingerprint'],
    ['email', 'email'],
  ] as const)('blames a new %s alone, and not the user who had everything else', (field, kind) => {
    const found = blamed([...life, pay(now, { ...OWN, [field]: NEW[field] }, token)]);
    expect(found).toEqual(sorted([kind, ...RATES]));
  });

  test.each([
    ['ip_address', ['ip', 'network']],
    ['shipping_address', ['shipping']],
  ] as const)('blames a new %s, and the user who disputes a payment on their own device', (field, kinds) => {
    const found = blamed([...life, pay(now, { ...OWN, [field]: NEW[field] }, token)]);
    expect(found).toEqual(sorted(['user', ...kinds, ...RATES, 'dispute']));
  });

  test('does not blame the things that nobody sent, and blames the user if nothing else says who it was', () => {
    const quiet = times(20, (i) => pay(i * DAY));
    expect(blamed([...quiet, pay(now)])).toEqual(['user']);
    expect(blamed([...quiet, pay(now)], 'takeover')).toEqual([]);
  });

  test('of facts before version 6, which do not tell the age of the business, spares the user for 30 days', () => {
    const shop = pay(now - 11 * DAY, { user_id: 'someone', counterparty_id: 'shop next door' });
    const steps = [...life.slice(1), shop].sort((a, b) => (a as Subject).at - (b as Subject).at);
    const [subject, facts] = factsBefore([...steps, pay(now, { ...OWN, counterparty_id: 'shop next door' }, token)]);
    const userBit = 1 << kindIndex.user;
    expect(actorKinds(subject, facts) & userBit).toBe(userBit);
    facts[fact('account.age_ms')] = Number.NaN;
    expect(actorKinds(subject, facts) & userBit).toBe(0);
  });

  test.each([
    [11, ['user', 'counterparty', ...RATES, 'dispute']],
    [9, ['counterparty', ...RATES]],
  ])('of a payment to a payee first seen %i days ago, in a business that is 20 days old, blames %j', (days, kinds) => {
    const young = life.slice(1);
    const shop = pay(now - days * DAY, { user_id: 'someone', counterparty_id: 'shop next door' });
    const steps = [...young, shop].sort((a, b) => (a as Subject).at - (b as Subject).at);
    const found = blamed([...steps, pay(now, { ...OWN, counterparty_id: 'shop next door' }, token)]);
    expect(found).toEqual(sorted(kinds));
  });

  test('of a payment to a payee whom nobody knew blames the payee, not the user who was deceived', () => {
    expect(blamed([...life, pay(now, { ...OWN, counterparty_id: 'mule' }, token)])).toEqual(
      sorted(['counterparty', ...RATES]),
    );
  });

  test('of a payment to a shop that is only new to the user blames the user who disputes it', () => {
    const shop = times(4, (i) => pay((i - 40) * DAY, { user_id: 'someone', counterparty_id: 'long known' }));
    const found = blamed([...shop, ...life, pay(now, { ...OWN, counterparty_id: 'long known' }, token)]);
    expect(found).toEqual(sorted(['user', 'counterparty', ...RATES, 'dispute']));
  });
});

describe('a thing is the own of a user', () => {
  const isOwn = (steps: readonly Step[]): boolean => !blamed(steps, 'takeover').includes('device');
  const established = times(20, (i) => pay(i * DAY, { device_token: 'old' }));
  const item = (time: number) => pay(time, { device_token: 'phone' });

  test('a week after their first payment with it, and not before', () => {
    expect(isOwn([...established, item(now), item(now + 7 * DAY)])).toBe(true);
    expect(isOwn([...established, item(now), item(now + 7 * DAY - HOUR)])).toBe(false);
  });

  test('after use on three days over two weeks, without a payment', () => {
    const login = (time: number) => act(time, 'login', { device_token: 'phone' });
    expect(isOwn([...established, login(now), login(now + DAY), login(now + 5 * DAY), item(now + 14 * DAY)])).toBe(
      true,
    );
    expect(isOwn([...established, login(now), login(now + DAY), item(now + 14 * DAY)])).toBe(false);
    expect(isOwn([...established, login(now), login(now + DAY), login(now + 5 * DAY), item(now + 13 * DAY)])).toBe(
      false,
    );
  });

  test('once a label confirmed a payment with it as legitimate', () => {
    const paid = item(now);
    expect(isOwn([...established, paid, label(now + HOUR, paid, false), item(now + 2 * HOUR)])).toBe(true);
  });

  test('never by failed logins', () => {
    const tries = times(40, (i) => failedLogin(now + i * DAY, { device_token: 'phone' }));
    expect(isOwn([...established, ...tries, item(now + 40 * DAY)])).toBe(false);
  });

  test('not if another fraud blames it: a thief who waits does not become the owner', () => {
    const theft = item(now);
    expect(isOwn([...established, theft, label(now + DAY, theft), item(now + 30 * DAY)])).toBe(false);
  });
});

test('a thief who pays for the second week does not turn the victim into one who disputes', () => {
  const old = times(120, (i) => pay(i * DAY, { device_token: 'old' }));
  const spree = times(10, (i) => pay((120 + i) * DAY, { device_token: 'thief' }));
  expect(blamed([...old, ...spree])).not.toContain('user');
});

test('without the history of the user, only rates and the kinds that the reason names are blamed', () => {
  const subject = pay(0, NEW, token);
  const unknown = makeFacts().fill(Number.NaN);
  const kindsOf = (actors: number) => ENTITY_KINDS.filter((_, kind) => (actors & (1 << kind)) !== 0);
  expect(kindsOf(actorKinds(subject, unknown))).toEqual(RATES);
  expect(kindsOf(actorKinds(subject, unknown, 'mule'))).toEqual(['user', ...RATES]);
});

test('facts of an earlier version tell what was new by the first time it was seen', () => {
  const [subject, facts] = factsBefore([...life, pay(now, { ...OWN, device_token: 'laptop' }, token)]);
  const earlier = facts.slice().fill(Number.NaN, fact('likeness.this_token_age_ms') + 1);
  const bits = actorKinds(subject, earlier);
  expect(ENTITY_KINDS.filter((_, kind) => (bits & (1 << kind)) !== 0)).toEqual(['device', ...RATES]);
});
