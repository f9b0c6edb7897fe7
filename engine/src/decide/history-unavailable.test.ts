import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, anySequence, failedLogin, HOUR, last, pay, START, type Step, sdk } from '../../test/subjects.ts';
import { makeRows, planted, train } from '../../test/training.ts';
import { makeArena } from '../history/arena.ts';
import { FACT_NAMES, type Facts, fact, isHistoryUnavailable, makeFacts, unavailableIn } from '../history/facts.ts';
import { makeInMemoryHistory } from '../history/in-memory.ts';
import { HISTORY_UNAVAILABLE, makeHistoryLocations } from '../history/locations.ts';
import { measure } from '../history/measure.ts';
import { makeModel } from '../model/model.ts';
import { SIGNALS } from '../signals/signals.ts';
import { DETAILED_KINDS, ENTITY_KINDS, kindIndex } from '../subject/entity.ts';
import { DEVICE_STATES, UNAVAILABLE } from '../subject/lookup-facts.ts';
import type { Subject } from '../subject/subject.ts';
import { decide } from './decide.ts';
import { DEFAULT_POLICY } from './policy.ts';

const KINDS = ENTITY_KINDS.map((_, kind) => kind);
/** The facts of a subject when no history could be read. */
const withoutAny = (subject: Subject): Facts => {
  const found = makeHistoryLocations();
  found.group.fill(HISTORY_UNAVAILABLE);
  const facts = makeFacts();
  measure(makeArena(64), found, subject, facts);
  return facts;
};
/** The same facts when the histories of some kinds could not be read. */
const without = (facts: Facts, subject: Subject, kinds: readonly number[]): Facts => {
  const unavailable = withoutAny(subject);
  return facts.map((value, at) => {
    const kind = FACT_KIND[at] as number;
    return kinds.includes(kind) ? (unavailable[at] as number) : value;
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
  shipping_address: { country: 'US', postal_code: 'X', line1: '1 Main Street' },
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

/** Signals that need only the request and looked-up facts about its address and e-mail. */
const WITHOUT_HISTORY = [
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

describe('with unavailable histories', () => {
  test('all their facts are unknown, and each history is listed as unavailable', () => {
    const [subject] = SUBJECTS as [Subject];
    const facts = withoutAny(subject);
    expect(ENTITY_KINDS.filter((kind) => !Number.isNaN(facts[fact(`${kind}.actions`)]))).toEqual([]);
    expect(unavailableIn(subject.hashes, facts)).toEqual(DETAILED_KINDS);
    expect(facts[fact('dollars')]).toBe(4);
  });

  test('only entities of the subject are listed, besides failed lookups', () => {
    const subject = act(0, 'login', { ip_address: '203.0.113.9' }, { ip_tor: UNAVAILABLE });
    expect(unavailableIn(subject.hashes, withoutAny(subject))).toEqual(['ip_tor', 'user', 'ip', 'network']);
    const known = last([subject]);
    expect(unavailableIn(known.subject.hashes, known.facts)).toEqual(['ip_tor']);
  });

  test.each(SIGNALS)('$name is active only if it needs no history', (signal) => {
    const fires = SUBJECTS.some((subject) => signal.active(withoutAny(subject), subject));
    expect(fires).toBe(WITHOUT_HISTORY.includes(signal.name));
  });

  test('no signal becomes active because some histories are missing', () => {
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

  test('a model scores the same for any content of the missing histories', () => {
    const model = makeModel(train(makeRows(2000, 1, planted)));
    fc.assert(
      fc.property(anySequence(20), fc.subarray(KINDS, { minLength: 1 }), (sequence, missing) => {
        const stream = makeInMemoryHistory();
        const subject = sequence.at(-1) as Subject;
        const fresh = without(stream.measure(subject).slice(), subject, missing);
        const { facts } = last(sequence);
        const seen = without(facts, subject, missing);
        for (const kind of KINDS.filter((kind) => !missing.includes(kind)))
          seen.forEach((_, at) => {
            if (FACT_KIND[at] === kind) seen[at] = fresh[at] as number;
          });
        expect(model.explain(seen, subject).points).toBe(model.explain(fresh, subject).points);
      }),
      { numRuns: 40 },
    );
  });

  test('a tree that tests the age of an account averages over all accounts, and does not assume a new one', () => {
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
      const { probability } = model.explain(facts, subject);
      expect(model.score(facts, subject).probability).toBe(probability);
      return Math.log(probability / (1 - probability));
    };
    const small = pay(0, { amount: 5 });
    expect(logOddsOf(last([small]).facts, small)).toBeCloseTo(3, 9);
    expect(logOddsOf(withoutAny(small), small)).toBeCloseTo(0.4 * 3 - 0.6, 9);
    const large = pay(0, { amount: 50 });
    expect(logOddsOf(withoutAny(large), large)).toBeCloseTo(0.4 * -2 - 0.6, 9);
    expect(model.explain(withoutAny(large), large).contributions[0]).toBe(0);
  });

  test('a logistic regression ignores them', () => {
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
    const { probability } = model.explain(withoutAny(subject), subject);
    expect(Math.log(probability / (1 - probability))).toBeCloseTo(-1 + 0.5 * Math.log1p(5), 9);
  });

  test('a decision is still made', () => {
    const subject = pay(START, { amount: 20 });
    expect(decide(DEFAULT_POLICY, subject, withoutAny(subject)).decision).toBe('allow');
    expect(isHistoryUnavailable(subject.hashes, kindIndex.user, withoutAny(subject))).toBe(true);
  });
});
