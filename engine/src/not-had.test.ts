import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, anySequence, failedLogin, HOUR, last, pay, START, type Step, sdk } from '../test/subjects.ts';
import { makeRows, planted, train } from '../test/training.ts';
import { decide } from './decide.ts';
import { ENTITY_KINDS, kindIndex } from './entity.ts';
import {
  FACT_NAMES,
  type Facts,
  fact,
  isNotHad,
  makeFacts,
  makeFound,
  measure,
  NOT_HAD,
  unavailableIn,
} from './facts.ts';
import { DEVICE_STATES, UNAVAILABLE } from './knowledge.ts';
import { makeModel } from './model.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { SIGNALS } from './signals.ts';
import { makeSlab } from './slab.ts';
import { makeStream } from './stream.ts';
import type { Subject } from './subject.ts';

const KINDS = ENTITY_KINDS.map((_, kind) => kind);
/** What is known of a subject when the histories of these kinds could not be had, and no others are there. */
const withoutAny = (subject: Subject): Facts => {
  const found = makeFound();
  found.shelf.fill(NOT_HAD);
  const facts = makeFacts();
  measure(makeSlab(64), found, subject, facts);
  return facts;
};
/** The same facts without those of some histories. */
const without = (facts: Facts, subject: Subject, kinds: readonly number[]): Facts => {
  const nothing = withoutAny(subject);
  return facts.map((value, at) => {
    const name = FACT_KIND[at] as number;
    return kinds.includes(name) ? (nothing[at] as number) : value;
  });
};
const FACT_KIND = FACT_NAMES.map((name) => KINDS.find((kind) => name.startsWith(`${ENTITY_KINDS[kind]}.`)) ?? -1);

const everything = {
  ip_address: '198.51.100.7',
  device_token: 'd',
  email: 'ada@example.com',
  payment_fingerprint: 'card',
  counterparty_id: 'shop',
  billing_address: { country: 'FR', postal_code: 'X' },
  shipping_address: { country: 'US', postal_code: 'X' },
};
const {
  payment_fingerprint: _,
  counterparty_id: __,
  billing_address: ___,
  shipping_address: ____,
  ...actor
} = everything;
const TOKEN = sdk('laptop', 'token', { device_zone_fits: 0, device_language_fits: 0 });
const ODD = { device_automation: 1, device_token_age_ms: 2 * HOUR };
const KNOWN = {
  ip_hosting: 1,
  ip_vpn: 1,
  ip_proxy: 1,
  ip_tor: 1,
  email_disposable: 1,
  email_free: 0,
  ...TOKEN,
  ...ODD,
};
const AT_HOME = { ip_hosting: 0, ip_vpn: 0, ip_proxy: 0, ip_tor: 0, email_disposable: 0, email_free: 0, ...TOKEN };
const UNPROVEN = { ...AT_HOME, device_state: DEVICE_STATES.unsigned };
const TAMPERED = { device_state: DEVICE_STATES.tampered };
const SUBJECTS: readonly Subject[] = [KNOWN, AT_HOME, UNPROVEN, TAMPERED].flatMap((known) => [
  pay(0, { ...everything, amount: 4 }, known),
  pay(0, { ...everything, amount: 9000 }, known),
  act(0, 'login', actor, known),
  failedLogin(0, actor, known),
  act(0, 'signup', actor, known),
  act(0, 'email_change', actor, known),
  act(0, 'payout_request', actor, known),
]);

/** What follows from the request, or from what is known of its address and e-mail, whoever sends it. */
const NOT_ABOUT_HISTORIES = [
  'address_mismatch',
  'automated_browser',
  'country_mismatch',
  'disposable_email',
  'old_token',
  'postal_code_form',
  'proxy_network',
  'tampered_token',
  'tor_exit',
];

describe('where histories could not be had', () => {
  test('all their facts are unknown, those of new entities too, and each is named', () => {
    const [subject] = SUBJECTS as [Subject];
    const facts = withoutAny(subject);
    expect(ENTITY_KINDS.filter((kind) => !Number.isNaN(facts[fact(`${kind}.known_frauds`)]))).toEqual([]);
    expect(unavailableIn(subject.hashes, facts)).toEqual(ENTITY_KINDS);
    expect(facts[fact('dollars')]).toBe(4);
  });

  test('only entities that take part are named, beside what the server could not find out', () => {
    const subject = act(0, 'login', { ip_address: '203.0.113.9' }, { ip_tor: UNAVAILABLE });
    expect(unavailableIn(subject.hashes, withoutAny(subject))).toEqual(['ip_tor', 'user', 'ip', 'network']);
    const known = last([subject]);
    expect(unavailableIn(known.subject.hashes, known.facts)).toEqual(['ip_tor']);
  });

  test.each(SIGNALS)('$name is concluded of the request and its address alone, or not at all', (signal) => {
    const fires = SUBJECTS.some((subject) => signal.active(withoutAny(subject), subject));
    expect(fires).toBe(NOT_ABOUT_HISTORIES.includes(signal.name));
  });

  test('no signal is concluded from that some of them are missing', () => {
    const device = (at: number, user: string): Step => act(at, 'login', { user_id: user, device_token: 'd' });
    const crowd = [device(0, 'a'), device(1, 'b'), act(2, 'login', { user_id: 'b', device_token: 'd' })];
    const shop = (at: number, user: string): Step =>
      pay(at, { user_id: user, counterparty_id: 'shop', payment_fingerprint: 'c', amount: 5000 });
    const payers = ['a', 'b', 'c', 'd', 'd'].map((user, i) => shop(i * HOUR, user));
    const fixed = [crowd, payers] as Subject[][];
    const holds = (sequence: readonly Subject[], missing: readonly number[]): void => {
      const { facts, subject } = last(sequence);
      const partial = without(facts, subject, missing);
      for (const { name, active } of SIGNALS)
        if (active(partial, subject)) expect([name, active(facts, subject)]).toEqual([name, true]);
    };
    for (const sequence of fixed) for (const kind of KINDS) holds(sequence, [kind]);
    fc.assert(fc.property(anySequence(60), fc.subarray(KINDS), holds), { numRuns: 150 });
  });

  test('a model takes them for neither new nor old: what they would say changes nothing', () => {
    const model = makeModel(train(makeRows(2000, 1, planted)));
    fc.assert(
      fc.property(anySequence(20), fc.subarray(KINDS, { minLength: 1 }), (sequence, missing) => {
        const stream = makeStream();
        const subject = sequence.at(-1) as Subject;
        const fresh = without(stream.measure(subject).slice(), subject, missing);
        const { facts } = last(sequence);
        const seen = without(facts, subject, missing);
        for (const kind of KINDS.filter((kind) => !missing.includes(kind)))
          seen.forEach((_, at) => {
            if (FACT_KIND[at] === kind) seen[at] = fresh[at] as number;
          });
        expect(model.judge(seen, subject).points).toBe(model.judge(fresh, subject).points);
      }),
      { numRuns: 40 },
    );
  });

  test('a tree that asks how old an account is says what it says of all, not what it says of new ones', () => {
    const file = train(makeRows(600, 1, planted));
    const tree = {
      feature: [0, 1, -1, -1, -1],
      threshold: [1000, 10, 0, 0, 0],
      missingLeft: [1, 1, 0, 0, 0],
      left: [1, 3, -1, -1, -1],
      right: [2, 4, -1, -1, -1],
      value: [0, 1, -1, 3, -2],
      cover: [100, 40, 60, 10, 30],
    };
    const model = makeModel({
      ...file,
      features: ['user.age_ms', 'dollars'],
      categories: [],
      forest: { base: 0, trees: [tree] },
      calibration: { said: [-5, 5], meant: [-5, 5] },
    });
    const logOddsOf = (facts: Facts, subject: Subject): number => {
      const { probability } = model.judge(facts, subject);
      expect(model.rate(facts, subject).probability).toBe(probability);
      return Math.log(probability / (1 - probability));
    };
    const small = pay(0, { amount: 5 });
    expect(logOddsOf(last([small]).facts, small)).toBeCloseTo(3, 9);
    expect(logOddsOf(withoutAny(small), small)).toBeCloseTo(0.4 * 3 - 0.6, 9);
    const large = pay(0, { amount: 50 });
    expect(logOddsOf(withoutAny(large), large)).toBeCloseTo(0.4 * -2 - 0.6, 9);
    expect(model.judge(withoutAny(large), large).contributions[0]).toBe(0);
  });

  test('a straight line takes nothing from them', () => {
    const file = train(makeRows(600, 3, ([dollars = 5]) => dollars / 20));
    const names = ['user.age_ms', 'dollars'];
    const logistic = { intercept: -1, means: [0, 0], deviations: [1, 1], weights: [2, 9, 0.5, 1] };
    const model = makeModel({
      ...file,
      kind: 'logistic',
      features: names,
      categories: [],
      logistic,
      calibration: { said: [-5, 5], meant: [-5, 5] },
    });
    const subject = pay(0, { amount: 5 });
    const { probability } = model.judge(withoutAny(subject), subject);
    expect(Math.log(probability / (1 - probability))).toBeCloseTo(-1 + 0.5 * Math.log1p(5), 9);
  });

  test('a decision is made, and counts the payment as what the request alone tells', () => {
    const subject = pay(START, { amount: 20 });
    expect(decide(DEFAULT_POLICY, subject, withoutAny(subject)).decision).toBe('allow');
    expect(isNotHad(subject.hashes, kindIndex.user, withoutAny(subject))).toBe(true);
  });
});
