import type { DecisionValue } from '@portcullis/contract';
import type { Contribution, Verdict } from './decide.ts';
import { decisionFor, forcedBy, LIST_PREFIX, RULE_PREFIX, weigh } from './own-rules.ts';
import { type Policy, thresholdsFor } from './policy.ts';
import { TEST_ADDRESS_SIGNAL } from './signals.ts';
import type { Subject } from './subject.ts';

const isOwn = ({ of, name }: Contribution): boolean =>
  of === 'signal' && (name.startsWith(RULE_PREFIX) || name.startsWith(LIST_PREFIX));

/** What would have been decided, had a rule that matched in shadow been live, in its place among the others. */
export const wouldDecide = (policy: Policy, subject: Subject, verdict: Verdict, ruleId: string): DecisionValue => {
  if (verdict.signals.includes(TEST_ADDRESS_SIGNAL)) return verdict.decision;
  const before = verdict.factors.reduce((score, one) => (isOwn(one) ? score - one.contribution : score), verdict.score);
  const matched = (policy.rules ?? []).filter(({ id }) => id === ruleId || verdict.rules.includes(id));
  const thresholds = thresholdsFor(policy, subject.type);
  return decisionFor(weigh(before, matched, forcedBy(policy, verdict.lists), thresholds).score, thresholds);
};
