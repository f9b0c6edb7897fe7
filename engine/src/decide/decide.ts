import type { Facts } from '../history/facts.ts';
import { SIGNAL_FEATURE } from '../model/features.ts';
import type { Scored } from '../model/model.ts';
import type { Signal } from '../signals/signal.ts';
import { MODEL_SIGNAL, SIGNALS, TEST_ADDRESS_SIGNAL } from '../signals/signals.ts';
import type { Subject } from '../subject/subject.ts';
import { evaluateAccountRules } from './account-rules.ts';
import { modelPartOf, scoreTogether, type Undecided } from './model-score.ts';
import { type Policy, thresholdsFor } from './policy.ts';
import { decisionFor, scoreFor } from './thresholds.ts';
import { byContribution, type Contribution, type Verdict } from './verdict.ts';

const HIGHEST = 100;

interface MutableContribution {
  readonly of: 'signal' | 'feature';
  readonly name: string;
  contribution: number;
}

/**
 * Shrinks whole contributions in proportion until they sum to `room`. Points lost by rounding go to the largest
 * ones.
 */
const fitInto = (factors: MutableContribution[], total: number, room: number): void => {
  if (total <= room) return;
  let left = room;
  for (const factor of factors) {
    factor.contribution = Math.floor((factor.contribution * room) / total);
    left -= factor.contribution;
  }
  for (let i = 0; left > 0; i++, left--) (factors[i % factors.length] as MutableContribution).contribution++;
};

/** By index in SIGNALS: the points of the policy; -1 for a signal that it disables. */
const pointsByPolicy = new WeakMap<Policy, Float64Array>();
const pointsOf = (policy: Policy): Float64Array => {
  let points = pointsByPolicy.get(policy);
  if (points === undefined) {
    points = Float64Array.from(SIGNALS, ({ name }) => policy.points[name] ?? -1);
    pointsByPolicy.set(policy, points);
  }
  return points;
};

/** Names of active signals, those that raise the score most first. */
const inOrder = (found: readonly MutableContribution[], learned: readonly Contribution[]): string[] => {
  const names = found.map(({ name }) => name);
  if (names.length < 2 || learned.length === 0) return names;
  const raised = new Map<string, number>();
  for (const { name, contribution } of learned)
    if (name.startsWith(SIGNAL_FEATURE)) raised.set(name.slice(SIGNAL_FEATURE.length), contribution);
  for (const { name, contribution } of found) raised.set(name, (raised.get(name) ?? 0) + contribution);
  return names.sort((a, b) => (raised.get(b) as number) - (raised.get(a) as number));
};

const NONE: readonly string[] = [];

/** The verdict on a subject whose signals are evaluated, and which its model has scored. */
const verdictOn = ({ policy, lists }: Undecided, scored: Scored, isExplained: boolean): Verdict => {
  const { model } = policy;
  const { subject, facts, active } = scored;
  const thresholds = thresholdsFor(policy, subject.type);
  // A rule can read the signals in their order.
  const hasFactors = isExplained || (policy.rules?.length ?? 0) > 0;
  const modelPart = model === undefined ? undefined : modelPartOf(model, scored, hasFactors);
  const start = modelPart?.score ?? policy.baseScore;
  const found: MutableContribution[] = [];
  let total = 0;
  const points = pointsOf(policy);
  for (let i = 0; i < active.length; i++) {
    if (active[i] === 0 || (points[i] as number) < 0) continue;
    found.push({ of: 'signal', name: (SIGNALS[i] as Signal).name, contribution: points[i] as number });
    total += points[i] as number;
  }
  if (found.length > 1) found.sort(byContribution);
  const added = Math.round(((HIGHEST - start) * Math.min(total, HIGHEST)) / HIGHEST);
  fitInto(found, total, added);
  let score = start + added;
  const reviewed = score < thresholds.review && found.find(({ name }) => policy.alwaysReviewed.includes(name));
  if (reviewed) {
    reviewed.contribution += thresholds.review - score;
    score = thresholds.review;
    found.sort(byContribution);
  }
  const signals = inOrder(found, modelPart?.factors ?? []);
  if (modelPart !== undefined && modelPart.score >= thresholds.review) signals.push(MODEL_SIGNAL);
  const factors = found.filter(({ contribution }) => contribution !== 0) as Contribution[];
  const input = { subject, facts, score, modelScore: start, signals, lists };
  const outcome = evaluateAccountRules(policy, thresholds, input);
  if (outcome !== undefined) {
    score = outcome.score;
    factors.push(...outcome.factors);
    signals.unshift(...outcome.signals);
  }
  const { ip_address: ip } = subject.request;
  const forced = ip === undefined ? undefined : policy.testAddresses[ip];
  if (forced !== undefined) {
    const target = scoreFor(forced, score, thresholds);
    if (target !== score) factors.unshift({ of: 'signal', name: TEST_ADDRESS_SIGNAL, contribution: target - score });
    signals.unshift(TEST_ADDRESS_SIGNAL);
    score = target;
  }
  if (modelPart !== undefined) factors.push(...modelPart.factors);
  if (factors.length > 1) factors.sort(byContribution);
  return {
    score,
    decision: decisionFor(score, thresholds),
    isForced: forced !== undefined || outcome?.decision !== undefined,
    signals,
    factors,
    baseScore: modelPart?.baseScore ?? policy.baseScore,
    modelVersion: model?.version ?? null,
    probability: modelPart?.probability ?? null,
    lists,
    rules: outcome?.live ?? NONE,
    shadow: outcome?.shadow ?? NONE,
  };
};

/**
 * Makes decisions. It uses no clock, randomness or I/O, and never throws on any data. The same arguments always
 * give the same verdicts, so a stored decision can be replayed, alone or together with others.
 *
 * The model sets the score: it has learned what each active signal means. Points that a policy gives to active signals,
 * R together (at most 100), then close R percent of the gap to 100. The shipped policy gives none. A few signals raise a
 * lower score to the threshold of a review. The account's rules and lists follow. A test address overrides everything.
 *
 * A caller that uses neither the factors of the model nor the order of the signals passes `isExplained` as false.
 */
export const decideAll = (items: readonly Undecided[], isExplained = true): Verdict[] => {
  const scored = scoreTogether(items);
  return items.map((item, i) => verdictOn(item, scored[i] as Scored, isExplained));
};

/** Makes one decision, as `decideAll` does. */
export const decide = (
  policy: Policy,
  subject: Subject,
  facts: Facts,
  lists: readonly string[] = NONE,
  isExplained = true,
): Verdict => decideAll([{ policy, subject, facts, lists }], isExplained)[0] as Verdict;
