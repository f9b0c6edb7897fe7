import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeFacts } from '../history/facts.ts';
import { identifyOffline } from '../subject/identity.ts';
import { eventSubject, transactionSubject } from '../subject/subject.ts';
import { decide } from './decide.ts';
import { type AccountRule, DEFAULT_POLICY, type Policy } from './policy.ts';
import { wouldDecide } from './shadow.ts';

const AT = Date.parse('2026-11-14T09:30:00.000Z');
const facts = makeFacts().fill(Number.NaN);
const SUBJECTS = [
  transactionSubject(identifyOffline, { user_id: 'u', amount: 10, currency: 'USD' }, AT),
  transactionSubject(identifyOffline, { user_id: 'u', amount: 10, currency: 'USD', ip_address: '203.0.113.2' }, AT),
  eventSubject(identifyOffline, { user_id: 'u', type: 'login' }, AT),
];
const decisions = fc.constantFrom('allow' as const, 'review' as const, 'block' as const);
const anyRule = fc.record({
  action: fc.oneof(fc.record({ points: fc.integer({ min: 1, max: 100 }) }), fc.record({ decision: decisions })),
  state: fc.constantFrom('live' as const, 'shadow' as const),
  isMatch: fc.boolean(),
});

test('the decision of a rule in shadow equals the decision once the rule is live', () => {
  fc.assert(
    fc.property(
      fc.array(anyRule, { maxLength: 8 }),
      fc.integer({ min: 0, max: 100 }),
      fc.subarray(['bad', 'held', 'good', 'seen']),
      fc.constantFrom(...SUBJECTS),
      (made, baseScore, lists, subject) => {
        const rules = made.map(
          ({ isMatch, ...one }, i): AccountRule => ({
            id: `${i}`,
            version: 1,
            name: `r${i}`,
            ...one,
            matches: () => isMatch,
          }),
        );
        const policy: Policy = {
          ...DEFAULT_POLICY,
          baseScore,
          eventThresholds: { review: 30, block: 90 },
          rules,
          treatments: new Map([
            ['bad', 'block'],
            ['held', 'review'],
            ['good', 'trusted'],
            ['seen', 'none'],
          ]),
        };
        const verdict = decide(policy, subject, facts, lists);
        for (const id of verdict.shadow) {
          const live = rules.map((rule): AccountRule => (rule.id === id ? { ...rule, state: 'live' } : rule));
          const { decision } = decide({ ...policy, rules: live }, subject, facts, lists);
          expect(wouldDecide(policy, subject, verdict, id)).toBe(decision);
        }
      },
    ),
    { numRuns: 2000 },
  );
});
