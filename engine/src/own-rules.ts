import type { DecisionValue } from '@portcullis/contract';
import type { Contribution } from './decide.ts';
import type { Facts } from './facts.ts';
import type { Policy, Thresholds, Treatment } from './policy.ts';
import type { Subject } from './subject.ts';

/** What a rule of the account's own looks at: everything that was known before any of them had a say. */
export interface RuleInput {
  readonly subject: Subject;
  readonly facts: Facts;
  /** Of model and signals together, and of the model alone. */
  readonly score: number;
  readonly modelScore: number;
  readonly signals: readonly string[];
  /** Names of the account's lists that something of the subject is on. */
  readonly lists: readonly string[];
}

export interface OwnRule {
  readonly id: string;
  /** Counts its changes: a hit is one of the rule as it was asked. */
  readonly version: number;
  readonly name: string;
  /** One in shadow changes nothing: what it would have done is noted. */
  readonly state: 'live' | 'shadow';
  /** Points take their part of what is left up to 100, as those of signals do. */
  readonly action: { readonly points: number } | { readonly decision: DecisionValue };
  /** From this moment on it matches nothing. */
  readonly expiresAt?: number;
  /** Never throws: what goes wrong in it is the business of whoever made it, and counts as no match. */
  readonly matches: (input: RuleInput) => boolean;
}

/** What the account's own rules and lists make of a score. */
export interface OwnSay {
  readonly score: number;
  /** Forced, or undefined where the score decides. */
  readonly decision: DecisionValue | undefined;
  readonly factors: readonly Contribution[];
  readonly signals: readonly string[];
  /** Ids of rules that matched. */
  readonly live: readonly string[];
  readonly shadow: readonly string[];
}

const HIGHEST = 100;

/** As signals tell of them. */
export const RULE_PREFIX = 'rule.';
export const LIST_PREFIX = 'list.';
export const ruleSignal = (name: string): string => RULE_PREFIX + name;
export const listSignal = (name: string): string => LIST_PREFIX + name;

/** Of several forced decisions the first of these holds: a thing to be blocked is blocked, whoever trusts it. */
const PRECEDENCE: readonly DecisionValue[] = ['block', 'allow', 'review'];
const FORCED_BY: Readonly<Record<Treatment, DecisionValue | undefined>> = {
  block: 'block',
  trusted: 'allow',
  review: 'review',
  none: undefined,
};

/** What a score means. */
export const decisionFor = (score: number, { review, block }: Thresholds): DecisionValue =>
  score >= block ? 'block' : score >= review ? 'review' : 'allow';

/** The score nearest to the one given that means the decision. */
export const scoreFor = (decision: DecisionValue, score: number, { review, block }: Thresholds): number => {
  if (decision === 'block') return Math.max(score, block);
  if (decision === 'allow') return Math.min(score, review - 1);
  return Math.min(Math.max(score, review), block - 1);
};

interface Forced {
  readonly signal: string;
  readonly decision: DecisionValue;
}

/** Points take their part of the rest, one rule after the other; a forced decision then moves the score as far as it must. */
export const weigh = (
  before: number,
  matched: readonly OwnRule[],
  listed: readonly Forced[],
  thresholds: Thresholds,
): Pick<OwnSay, 'score' | 'decision' | 'factors'> => {
  const factors: Contribution[] = [];
  const forced: Forced[] = [...listed];
  let score = before;
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
  const by = forced.find((force) => force.decision === decision) as Forced;
  const target = scoreFor(decision, score, thresholds);
  if (target !== score) factors.push({ of: 'signal', name: by.signal, contribution: target - score });
  return { score: target, decision, factors };
};

/** What being on lists forces. */
export const forcedBy = ({ treatments }: Policy, lists: readonly string[]): Forced[] =>
  lists.flatMap((name): Forced[] => {
    const decision = FORCED_BY[treatments?.get(name) ?? 'none'];
    return decision === undefined ? [] : [{ signal: listSignal(name), decision }];
  });

/** Asks the account's own rules and lists; undefined where there are none that speak of the subject. */
export const askOwn = (policy: Policy, thresholds: Thresholds, input: RuleInput): OwnSay | undefined => {
  const { rules = [] } = policy;
  if (rules.length === 0 && input.lists.length === 0) return undefined;
  const live: OwnRule[] = [];
  const shadow: string[] = [];
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i] as OwnRule;
    if (rule.expiresAt !== undefined && input.subject.at >= rule.expiresAt) continue;
    if (!rule.matches(input)) continue;
    if (rule.state === 'live') live.push(rule);
    else shadow.push(rule.id);
  }
  const listed = forcedBy(policy, input.lists);
  if (live.length === 0 && listed.length === 0 && shadow.length === 0) return undefined;
  const signals = [...listed.map(({ signal }) => signal), ...live.map(({ name }) => ruleSignal(name))];
  return { ...weigh(input.score, live, listed, thresholds), signals, live: live.map(({ id }) => id), shadow };
};
