import { normalizeIp } from '@portcullis/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { act, anySequence, anySubject, DAY, HOUR, last, pay, START, times, upTo } from '../../test/subjects.ts';
import { FACT_NAMES, fact, makeFacts } from '../history/facts.ts';
import { replay } from '../replay.ts';
import { SIGNALS } from '../signals/signals.ts';
import { identifyOffline } from '../subject/identity.ts';
import { type Subject, subjectOf } from '../subject/subject.ts';
import { decide } from './decide.ts';
import { explain } from './explain.ts';
import { ALWAYS_REVIEWED, DEFAULT_POLICY, type Policy } from './policy.ts';
import { packFacts, unpackFacts } from './stored-verdict.ts';
import type { Verdict } from './verdict.ts';

const anyNumber = fc.oneof(
  fc.double(),
  fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0, 1, 5, 50, 1000, 1e12),
);
/** Arbitrary facts, even ones that no history would produce. */
const anyFacts = fc
  .tuple(anyNumber, fc.array(fc.tuple(fc.nat(FACT_NAMES.length - 1), anyNumber), upTo(150)))
  .map(([everywhere, places]) => {
    const facts = makeFacts().fill(everywhere);
    for (const [at, value] of places) facts[at] = value;
    return facts;
  });

/** Any valid policy: whole points, and thresholds in order above the base score. */
const anyPolicy: fc.Arbitrary<Policy> = fc
  .record({
    scores: fc.uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: 3, maxLength: 3 }),
    points: fc.array(fc.option(fc.integer({ min: 0, max: 100 }), { nil: undefined }), {
      minLength: SIGNALS.length,
      maxLength: SIGNALS.length,
    }),
    alwaysReviewed: fc.oneof(fc.constant([]), fc.subarray(SIGNALS.map(({ name }) => name))),
    forced: fc.constantFrom('review' as const, 'block' as const),
  })
  .map(({ scores, points, alwaysReviewed, forced }) => {
    const [baseScore = 0, review = 0, block = 0] = scores.toSorted((a, b) => a - b);
    const named = SIGNALS.flatMap(({ name }, i) => (points[i] === undefined ? [] : [[name, points[i]]]));
    return {
      version: 'any',
      baseScore,
      thresholds: { review, block },
      points: Object.fromEntries(named),
      alwaysReviewed,
      testAddresses: { '203.0.113.2': forced, '198.51.100.1': 'review' },
    };
  });

const expectConsistent = (policy: Policy, subject: Subject, verdict: Verdict): void => {
  const { score, decision, signals, factors, baseScore } = verdict;
  expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
  const contributions = factors.map((factor) => factor.contribution);
  expect(contributions.reduce((sum, contribution) => sum + contribution, baseScore)).toBe(score);
  expect(contributions.toSorted((a, b) => b - a)).toEqual(contributions);
  expect(contributions.every((contribution) => Number.isInteger(contribution) && contribution !== 0)).toBe(true);
  const { review, block } = policy.thresholds;
  expect(decision).toBe(score >= block ? 'block' : score >= review ? 'review' : 'allow');
  for (const { of, name } of factors) if (of === 'signal') expect(signals).toContain(name);
  expect(new Set(signals).size).toBe(signals.length);
  const forced = policy.testAddresses[subject.request.ip_address ?? ''];
  expect(signals.includes('test_address')).toBe(forced !== undefined);
  if (forced !== undefined) expect(decision).toBe(forced);
};

describe('for any facts, policy and subject', () => {
  test('a verdict has a whole score of 0 to 100, to which its factors, largest first, add up', () => {
    fc.assert(
      fc.property(anyPolicy, anySubject(START), anyFacts, (policy, subject, facts) => {
        expectConsistent(policy, subject, decide(policy, subject, facts));
      }),
      { numRuns: 1500 },
    );
  });

  test('the same policy, subject and facts give the same verdict and are not changed', () => {
    fc.assert(
      fc.property(anyPolicy, anySubject(START), anyFacts, (policy, subject, facts) => {
        const before = structuredClone({ policy, subject, facts });
        const first = decide(policy, subject, facts);
        expect(decide(policy, subject, facts)).toEqual(first);
        expect(decide(before.policy, before.subject, before.facts)).toEqual(first);
        expect({ policy, subject, facts }).toEqual(before);
      }),
      { numRuns: 200 },
    );
  });

  test('every active signal of the policy is listed; none lowers the score or adds more than its points, or up to a review', () => {
    fc.assert(
      fc.property(anyPolicy, anySubject(START), anyFacts, (policy, subject, facts) => {
        const active = SIGNALS.filter(
          ({ name, on, active }) =>
            policy.points[name] !== undefined && (on === 'both' || on === subject.type) && active(facts, subject),
        ).map(({ name }) => name);
        const { factors, score, signals } = decide(policy, subject, facts);
        expect(signals.filter((name) => name !== 'test_address').sort()).toEqual(active.sort());
        if (signals.includes('test_address')) return;
        const total = active.reduce((sum, name) => sum + (policy.points[name] ?? 0), 0);
        const byPoints = policy.baseScore + Math.round(((100 - policy.baseScore) * Math.min(100, total)) / 100);
        const isReviewed = active.some((name) => policy.alwaysReviewed.includes(name));
        const least = isReviewed ? policy.thresholds.review : 0;
        expect(score).toBe(Math.max(byPoints, least));
        const raised = factors.filter(({ name, contribution }) => contribution > (policy.points[name] ?? 0));
        expect(raised.length).toBeLessThanOrEqual(Number(byPoints < least));
        expect(raised.filter(({ name }) => !policy.alwaysReviewed.includes(name))).toEqual([]);
        expect(factors.filter(({ contribution }) => contribution <= 0)).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('sequences of real requests get consistent verdicts with complete descriptions', () => {
    fc.assert(
      fc.property(anySequence(60), (subjects) => {
        for (const { subject, verdict, facts } of replay(DEFAULT_POLICY, subjects)) {
          expectConsistent(DEFAULT_POLICY, subject, verdict);
          const described = explain(verdict, subject, facts);
          expect(described.map(({ signal }) => signal).toSorted()).toEqual(verdict.signals.toSorted());
          for (const { description } of described) expect(description).not.toMatch(/NaN|undefined|Infinity|^$/);
          for (const { description } of explain(verdict, subject, undefined)) expect(description).not.toBe('');
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('the default policy', () => {
  test('allows an item without signals, at its base score', () => {
    expect(last([pay(0)]).verdict).toEqual({
      score: 2,
      decision: 'allow',
      signals: [],
      factors: [],
      baseScore: 2,
      modelVersion: null,
      probability: null,
      lists: [],
      rules: [],
      shadow: [],
      isForced: false,
    });
    expect(last([act(0, 'login')]).verdict).toMatchObject({ score: 2, decision: 'allow' });
  });

  test('gives no points to signals: the model says what they mean', () => {
    const { score, signals, factors } = decide(
      { ...DEFAULT_POLICY, alwaysReviewed: [] },
      pay(0),
      makeFacts().fill(1e6),
    );
    expect(signals.length).toBeGreaterThan(10);
    expect([score, factors]).toEqual([2, []]);
  });

  describe.each([
    { review: 50, block: 80 },
    { review: 20, block: 21 },
  ])('known fraud under thresholds %o', (thresholds) => {
    const facts = makeFacts().fill(1e6);
    facts[fact('user.actor_fraud_age_ms')] = DAY;
    const decided = (policy: Partial<Policy>) => decide({ ...DEFAULT_POLICY, thresholds, ...policy }, pay(0), facts);

    test('is reviewed, and never blocked for that alone', () => {
      const { score, decision, signals, factors } = decided({});
      expect(signals.some((name) => ALWAYS_REVIEWED.includes(name))).toBe(true);
      expect([score, decision]).toEqual([thresholds.review, 'review']);
      expect(factors).toEqual([
        { of: 'signal', name: expect.stringMatching(ALWAYS_REVIEWED.join('|')), contribution: thresholds.review - 2 },
      ]);
      expect(signals[0]).toBe(factors[0]?.name);
    });

    test('leaves a higher score as it is', () => {
      const higher = decided({ baseScore: 90 });
      expect([higher.score, higher.decision, higher.factors]).toEqual([90, 'block', []]);
    });
  });

  test('ignores a signal that it does not list', () => {
    const large = pay(0, { amount: 1000 });
    expect(last([large]).verdict.signals).toEqual(['first_payment_large']);
    const { facts } = last([large]);
    const { signals, score } = decide({ ...DEFAULT_POLICY, points: {} }, large, facts);
    expect([signals, score]).toEqual([[], 2]);
  });
});

describe('points', () => {
  // A first payment of $1000, billed in one country and shipped to another, has exactly two signals.
  const subject = pay(0, { amount: 1000, billing_address: { country: 'DE' }, shipping_address: { country: 'FR' } });
  const shares = (baseScore: number, large: number, mismatch: number, fields: object = {}) => {
    const points = { first_payment_large: large, address_mismatch: mismatch };
    const { facts } = last([subject]);
    const of = { ...subject, request: { ...subject.request, ...fields } };
    const { score, factors } = decide({ ...DEFAULT_POLICY, baseScore, points }, of, facts);
    return [score, Object.fromEntries(factors.map(({ name, contribution }) => [name, contribution]))];
  };

  test('close that percentage of the gap to 100', () => {
    expect(shares(0, 60, 30)).toEqual([90, { first_payment_large: 60, address_mismatch: 30 }]);
    expect(shares(10, 60, 30)).toEqual([91, { first_payment_large: 54, address_mismatch: 27 }]);
    expect(shares(50, 20, 0)).toEqual([60, { first_payment_large: 10 }]);
  });

  test('add up to at most 100; points lost by rounding go to the largest', () => {
    expect(shares(0, 80, 60)).toEqual([100, { first_payment_large: 58, address_mismatch: 42 }]);
    expect(shares(4, 100, 100)).toEqual([100, { first_payment_large: 48, address_mismatch: 48 }]);
    expect(shares(99, 100, 1)).toEqual([100, { first_payment_large: 1 }]);
  });

  test('stay the same for a test address, which adds or subtracts the rest', () => {
    const review = { ip_address: '203.0.113.2' };
    expect(shares(10, 60, 30, review)).toEqual([
      79,
      { test_address: -12, first_payment_large: 54, address_mismatch: 27 },
    ]);
    expect(shares(0, 20, 10, review)).toEqual([
      50,
      { test_address: 20, first_payment_large: 20, address_mismatch: 10 },
    ]);
    const block = { ip_address: '203.0.113.3' };
    expect(shares(0, 20, 10, block)).toEqual([80, { test_address: 50, first_payment_large: 20, address_mismatch: 10 }]);
    expect(shares(0, 50, 40, block)).toEqual([90, { first_payment_large: 50, address_mismatch: 40 }]);
  });
});

describe('descriptions of factors', () => {
  test('exist for any facts, and are the same from the stored request and facts', () => {
    fc.assert(
      fc.property(anyPolicy, anySubject(START), anyFacts, (policy, subject, facts) => {
        const verdict = decide(policy, subject, facts);
        const described = explain(verdict, subject, facts);
        expect(described.every(({ description }) => description !== '')).toBe(true);
        const stored = subjectOf(identifyOffline, subject.type, subject.request, subject.at);
        expect(explain(verdict, stored, unpackFacts(packFacts(facts)))).toEqual(described);
      }),
      { numRuns: 200 },
    );
  });

  const contribution = 12;
  const verdictOf = (name: string): Verdict => ({
    ...last([pay(0)]).verdict,
    factors: [{ of: 'signal', name, contribution }],
  });

  test('are the meaning of the signal if there are no facts', () => {
    const description = SIGNALS.find(({ name }) => name === 'new_device')?.meaning;
    expect(explain(verdictOf('new_device'), pay(0), undefined)).toEqual([
      { signal: 'new_device', theme: 'device', description, contribution },
    ]);
  });

  test('exist for a signal that was removed', () => {
    expect(explain(verdictOf('retired'), pay(0), makeFacts())).toEqual([
      { signal: 'retired', theme: null, description: 'Signal of an earlier version', contribution },
    ]);
  });

  test('state the fixed decision of a test address', () => {
    const { verdict, subject, facts } = last([pay(0, { ip_address: '203.0.113.3' })]);
    expect(explain(verdict, subject, facts)).toEqual([
      {
        signal: 'test_address',
        theme: 'place',
        description: 'Test IP address: the decision is always block',
        contribution: 78,
      },
    ]);
  });
});

describe('a test address', () => {
  const calm: Subject[] = [];
  const wild = times(9, (i) => pay(2 * DAY + i, { device_token: `device_${i}`, payment_fingerprint: `card_${i}` }));

  test.each([
    ['203.0.113.2', 'review'],
    ['203.0.113.3', 'block'],
  ] as const)('%s always gets %s, for any history, and adds its signal', (ip_address, decision) => {
    for (const before of [calm, wild]) {
      for (const subject of [
        pay(2 * DAY + HOUR, { ip_address, device_token: 'x', payment_fingerprint: 'y', amount: 1000 }),
        act(2 * DAY + HOUR, 'login', { ip_address }),
      ]) {
        const { verdict } = last([...before, subject]);
        expect(verdict.decision).toBe(decision);
        expect(verdict.signals).toContain('test_address');
        expectConsistent(DEFAULT_POLICY, subject, verdict);
      }
    }
  });

  test('keeps the other signals', () => {
    const { signals } = last([pay(0, { ip_address: '203.0.113.3', amount: 1000 })]).verdict;
    expect(signals).toEqual(['test_address', 'first_payment_large']);
  });

  test.each(['::ffff:203.0.113.2', '::ffff:cb00:7102', '0:0:0:0:0:FFFF:203.0.113.2'])(
    'is recognised as %s once normalised',
    (written) => {
      const { verdict } = last([pay(0, { ip_address: normalizeIp(written) })]);
      expect(verdict).toMatchObject({ decision: 'review', score: 50 });
    },
  );

  test.each(['203.0.113.1', '203.0.113.4', '203.0.113.20', '2001:db8::203.0.113.2'])(
    'does not include its neighbour %s',
    (ip) => {
      const { verdict } = last([pay(0, { ip_address: normalizeIp(ip) })]);
      expect(verdict).toMatchObject({ decision: 'allow', signals: [] });
    },
  );

  test('can not force an allow', () => {
    expect(new Set(Object.values(DEFAULT_POLICY.testAddresses))).toEqual(new Set(['review', 'block']));
  });
});
