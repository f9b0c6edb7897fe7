import type { DecisionValue } from '@portcullis/contract';
import { TEST_ADDRESS_SIGNAL } from '../signals/signals.ts';
import type { Subject } from '../subject/subject.ts';
import { applyRules, decisionsOfLists, LIST_PREFIX, RULE_PREFIX } from './account-rules.ts';
import { type Policy, thresholdsFor } from './policy.ts';
import { decisionFor } from './thresholds.ts';
import type { Contribution, Verdict } from './verdict.ts';

const isFromAccount = ({ of, name }: Contribution): boolean =>
  of === 'signal' && (name.startsWith(RULE_PREFIX) || name.startsWith(LIST_PREFIX));

/** The decision if a rule that matched in shadow had been live, in its position among the other rules. */
export const wouldDecide = (policy: Policy, subject: Subject, verdict: Verdict, ruleId: string): DecisionValue => {
  if (verdict.signals.includes(TEST_ADDRESS_SIGNAL)) return verdict.decision;
  const scoreBefore = verdict.factors.reduce(
    (score, factor) => (isFromAccount(factor) ? score - factor.contribution : score),
    verdict.score,
  );
  const matched = (policy.rules ?? []).filter(({ id }) => id === ruleId || verdict.rules.includes(id));
  const thresholds = thresholdsFor(policy, subject.type);
  const { score } = applyRules(scoreBefore, matched, decisionsOfLists(policy, verdict.lists), thresholds);
  return decisionFor(score, thresholds);
};
