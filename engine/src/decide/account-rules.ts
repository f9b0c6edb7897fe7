import type { DecisionValue } from '@portcullis/contract';
import type { AccountRule, Policy, RuleInput, Treatment } from './policy.ts';
import { scoreFor, type Thresholds } from './thresholds.ts';
import type { Contribution } from './verdict.ts';

/** The effect of the account's rules and lists on a score. */
export interface AccountOutcome {
  readonly score: number;
  /** The forced decision; undefined if the score decides. */
  readonly decision: DecisionValue | undefined;
  readonly factors: readonly Contribution[];
  readonly signals: readonly string[];
  /** Ids of live rules that matched. */
  readonly live: readonly string[];
  /** Ids of rules in shadow that matched. */
  readonly shadow: readonly string[];
}

const HIGHEST = 100;

/** Prefixes of the signal names of rules and lists. */
export const RULE_PREFIX = 'rule.';
export const LIST_PREFIX = 'list.';
export const ruleSignal = (name: string): string => RULE_PREFIX + name;
export const listSignal = (name: string): string => LIST_PREFIX + name;

/** Of several forced decisions the first in this order wins: a block also overrides a trusted list. */
const PRECEDENCE: readonly DecisionValue[] = ['block', 'allow', 'review'];
const TREATMENT_DECISIONS: Readonly<Record<Treatment, DecisionValue | undefined>> = {
  block: 'block',
  trusted: 'allow',
  review: 'review',
  none: undefined,
};

export interface ForcedDecision {
  readonly signal: string;
  readonly decision: DecisionValue;
}

/**
 * Applies rules that matched and decisions that lists force. Rules with points close their percentage of the gap to
 * 100, one after the other. A forced decision then moves the score to the nearest score with that decision.
 */
export const applyRules = (
  scoreBefore: number,
  matched: readonly AccountRule[],
  forcedByLists: readonly ForcedDecision[],
  thresholds: Thresholds,
): Pick<AccountOutcome, 'score' | 'decision' | 'factors'> => {
  const factors: Contribution[] = [];
  const forced: ForcedDecision[] = [...forcedByLists];
  let score = scoreBefore;
  for (const { name, action } of matched) {
    if ('decision' in action) forced.push({ signal: ruleSignal(name), decision: action.decision });
    else {
      const contribution = Math.round(((HIGHEST - score) * Math.min(action.points, HIGHEST)) / HIGHEST);
      if (contribution !== 0) factors.push({ of: 'signal', name: ruleSignal(name), contribution });
      score += contribution;
    }
  }
  const decision = PRECEDENCE.find((one) => forced.some((force) => force.decision === one));
  if (decision === undefined) return { score, decision, factors };
  const cause = forced.find((force) => force.decision === decision) as ForcedDecision;
  const target = scoreFor(decision, score, thresholds);
  if (target !== score) factors.push({ of: 'signal', name: cause.signal, contribution: target - score });
  return { score: target, decision, factors };
};

/** The decisions forced by the lists that a subject matches. */
export const decisionsOfLists = ({ treatments }: Policy, lists: readonly string[]): ForcedDecision[] =>
  lists.flatMap((name): ForcedDecision[] => {
    const decision = TREATMENT_DECISIONS[treatments?.get(name) ?? 'none'];
    return decision === undefined ? [] : [{ signal: listSignal(name), decision }];
  });

/** Evaluates the account's rules and lists. Returns undefined if no rule matches and no list forces a decision. */
export const evaluateAccountRules = (
  policy: Policy,
  thresholds: Thresholds,
  input: RuleInput,
): AccountOutcome | undefined => {
  const { rules = [] } = policy;
  if (rules.length === 0 && input.lists.length === 0) return undefined;
  const live: AccountRule[] = [];
  const shadow: string[] = [];
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i] as AccountRule;
    if (rule.expiresAt !== undefined && input.subject.at >= rule.expiresAt) continue;
    if (!rule.matches(input)) continue;
    if (rule.state === 'live') live.push(rule);
    else shadow.push(rule.id);
  }
  const forced = decisionsOfLists(policy, input.lists);
  if (live.length === 0 && forced.length === 0 && shadow.length === 0) return undefined;
  const signals = [...forced.map(({ signal }) => signal), ...live.map(({ name }) => ruleSignal(name))];
  return { ...applyRules(input.score, live, forced, thresholds), signals, live: live.map(({ id }) => id), shadow };
};
