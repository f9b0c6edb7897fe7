import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeFacts } from '../history/facts.ts';
import { identifyOffline } from '../subject/identity.ts';
import { transactionSubject } from '../subject/subject.ts';
import { decide } from './decide.ts';
import { type AccountRule, DEFAULT_POLICY, type Policy, type Treatment } from './policy.ts';

const AT = Date.parse('2026-11-14T09:30:00.000Z');
const subjectFrom = (ip_address?: string) =>
  transactionSubject(
    identifyOffline,
    { user_id: 'u', amount: 10, currency: 'USD', ...(ip_address === undefined ? {} : { ip_address }) },
    AT,
  );
const subject = subjectFrom();
const rule = (name: string, action: AccountRule['action'], more: Partial<AccountRule> = {}): AccountRule => ({
  id: `rule_${name}`,
  version: 1,
  name,
  state: 'live',
  action,
  matches: () => true,
  ...more,
});
const facts = makeFacts().fill(Number.NaN);
const withRules = (...rules: AccountRule[]): Policy => ({ ...DEFAULT_POLICY, baseScore: 30, rules });
const lists = (treatments: Record<string, Treatment>): Policy => ({
  ...DEFAULT_POLICY,
  baseScore: 30,
  treatments: new Map(Object.entries(treatments)),
});

describe('rules of the account', () => {
  test('close their percentage of the gap to 100, one after the other', () => {
    const verdict = decide(withRules(rule('a', { points: 50 }), rule('b', { points: 50 })), subject, facts);
    expect(verdict).toMatchObject({
      score: 83,
      decision: 'block',
      signals: ['rule.a', 'rule.b'],
      rules: ['rule_a', 'rule_b'],
      factors: [
        { of: 'signal', name: 'rule.a', contribution: 35 },
        { of: 'signal', name: 'rule.b', contribution: 18 },
      ],
    });
  });

  test.each([
    ['review', 50],
    ['block', 80],
    ['allow', 30],
  ] as const)('force a %s', (decision, score) => {
    const verdict = decide(withRules(rule('a', { decision })), subject, facts);
    expect(verdict).toMatchObject({ decision, score, signals: ['rule.a'] });
  });

  test('see the score and signals from before any of them', () => {
    const inputs: unknown[] = [];
    const look = rule(
      'b',
      { points: 1 },
      {
        matches: ({ score, modelScore, signals }) => inputs.push([score, modelScore, signals.length]) > 0,
      },
    );
    decide(withRules(rule('a', { points: 90 }), look), subject, facts);
    expect(inputs).toEqual([[30, 30, 0]]);
  });

  test('in shadow change nothing and are recorded', () => {
    const without = decide(withRules(), subject, facts);
    const verdict = decide(withRules(rule('a', { decision: 'block' }, { state: 'shadow' })), subject, facts);
    expect(verdict).toEqual({ ...without, shadow: ['rule_a'] });
  });

  test('match nothing from the moment they expire', () => {
    const until = (expiresAt: number) =>
      decide(withRules(rule('a', { decision: 'block' }, { expiresAt })), subject, facts);
    expect([until(AT + 1).decision, until(AT).decision]).toEqual(['block', 'allow']);
  });
});

describe('several forced decisions', () => {
  test.each([
    [['block', 'allow', 'review'], 'block'],
    [['allow', 'review'], 'allow'],
    [['review'], 'review'],
  ] as const)('%j result in %s', (decisions, expected) => {
    for (const order of [decisions, decisions.toReversed()]) {
      const rules = order.map((decision, i) => rule(`r${i}`, { decision }));
      expect(decide(withRules(...rules), subject, facts).decision).toBe(expected);
    }
  });

  test('of lists and rules have the same precedence', () => {
    const policy = { ...lists({ good: 'trusted', bad: 'block' }), rules: [rule('a', { decision: 'review' })] };
    expect(decide(policy, subject, facts, ['good']).decision).toBe('allow');
    expect(decide(policy, subject, facts, ['bad', 'good'])).toMatchObject({
      decision: 'block',
      signals: ['list.bad', 'list.good', 'rule.a'],
      lists: ['bad', 'good'],
    });
  });

  test('are overridden by a test address', () => {
    const policy = { ...lists({ good: 'trusted', bad: 'block' }) };
    for (const list of ['good', 'bad']) {
      expect(decide(policy, subjectFrom('203.0.113.2'), facts, [list]).decision).toBe('review');
    }
  });
});

test('a list without a treatment is recorded and changes nothing', () => {
  const policy = lists({ watched: 'none' });
  expect(decide(policy, subject, facts, ['watched'])).toEqual({
    ...decide(policy, subject, facts),
    lists: ['watched'],
  });
});

test('for any rules, the factors add up to the score and the score determines the decision', () => {
  const anyRule = fc.record({
    points: fc.integer({ min: 0, max: 100 }),
    decision: fc.option(fc.constantFrom('allow', 'review', 'block')),
    state: fc.constantFrom('live', 'shadow'),
  });
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 8 }), fc.integer({ min: 0, max: 100 }), (made, baseScore) => {
      const rules = made.map(({ points, decision, state }, i) =>
        rule(`r${i}`, decision === null ? { points } : { decision }, { state }),
      );
      const { score, decision, factors } = decide({ ...DEFAULT_POLICY, baseScore, rules }, subject, facts);
      expect(factors.reduce((sum, { contribution }) => sum + contribution, baseScore)).toBe(score);
      expect(decision).toBe(score >= 80 ? 'block' : score >= 50 ? 'review' : 'allow');
      expect(score >= 0 && score <= 100).toBe(true);
    }),
  );
});

test('events can have their own thresholds', () => {
  const policy = { ...DEFAULT_POLICY, baseScore: 40, eventThresholds: { review: 30, block: 90 } };
  const event = { ...subject, type: 'event' as const, request: { user_id: 'u', type: 'login' as const } };
  expect(decide(policy, subject, facts).decision).toBe('allow');
  expect(decide(policy, event as never, facts).decision).toBe('review');
});
