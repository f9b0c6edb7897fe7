import type { Facts } from '../history/facts.ts';
import type { Model, ModelScore, Scored } from '../model/model.ts';
import { type ActiveSignals, evaluateSignals, makeActiveSignals } from '../signals/evaluate.ts';
import type { Subject } from '../subject/subject.ts';
import type { Policy } from './policy.ts';
import { byContribution, type Contribution, OTHER_FEATURES, type Verdict } from './verdict.ts';

const MAX_FEATURES = 12;

/**
 * Below this many points the contributions of features are not computed, to save time. `recomputeFactors` computes
 * them.
 */
const EXPLAIN_FROM = 20;

/** The model's part of a decision, in whole points. */
export interface ModelPart {
  readonly baseScore: number;
  readonly score: number;
  readonly probability: number | null;
  readonly factors: Contribution[];
}

/** Rounds to whole points and adds the factor `OTHER_FEATURES`, so that the factors add up to the score. */
const toWholePoints = (
  { points, basePoints, probability }: Omit<ModelScore, 'contributions'>,
  factors: Contribution[],
): ModelPart => {
  const score = Math.round(points);
  const baseScore = Math.round(basePoints);
  const rest = factors.reduce((left, { contribution }) => left - contribution, score - baseScore);
  if (rest !== 0) factors.push({ of: 'feature', name: OTHER_FEATURES, contribution: rest });
  return { baseScore, score, probability, factors };
};

interface TopicSum {
  readonly features: Int32Array;
  readonly sum: number;
  readonly size: number;
}

/** The topics with the largest contributions in whole points, equal ones in feature order. Faster than sorting all. */
const largestTopics = ({ topics }: Model, contributions: Float64Array): TopicSum[] => {
  const chosen: TopicSum[] = [];
  for (let topic = 0; topic < topics.length; topic++) {
    const features = topics[topic] as Int32Array;
    let sum = 0;
    for (let i = 0; i < features.length; i++) sum += contributions[features[i] as number] as number;
    const size = Math.abs(Math.round(sum));
    if (size === 0) continue;
    let at = chosen.length;
    while (at > 0 && size > (chosen[at - 1] as TopicSum).size) at--;
    if (at === MAX_FEATURES) continue;
    chosen.splice(at, 0, { features, sum, size });
    if (chosen.length > MAX_FEATURES) chosen.pop();
  }
  return chosen;
};

/**
 * The contributions that a verdict lists, in whole points: every active signal that changes the score, and the largest
 * topics, each named after the feature that contributed most to it. That a signal is not active is no reason: it counts
 * among the other features.
 */
const listedContributions = (model: Model, { contributions }: ModelScore, active: ActiveSignals): Contribution[] => {
  const { features: names, signals } = model;
  const listed: Contribution[] = [];
  for (let i = 0; i < signals.length; i++) {
    const signal = signals[i] as number;
    if (signal < 0 || active[signal] !== 1) continue;
    const contribution = Math.round(contributions[i] as number);
    if (contribution !== 0) listed.push({ of: 'feature', name: names[i] as string, contribution });
  }
  for (const { features, sum } of largestTopics(model, contributions)) {
    let strongest = features[0] as number;
    for (const feature of features)
      if ((contributions[feature] as number) * sum > (contributions[strongest] as number) * sum) strongest = feature;
    listed.push({ of: 'feature', name: names[strongest] as string, contribution: Math.round(sum) });
  }
  return listed;
};

/** A subject to decide. `lists` are the lists of its account that it matches. */
export interface Undecided {
  readonly policy: Policy;
  readonly subject: Subject;
  readonly facts: Facts;
  readonly lists: readonly string[];
}

/** By place in a batch: the active signals. Reused for the next batch. */
const actives: ActiveSignals[] = [];

/** Evaluates the signals of all subjects, then scores them together: those of one model that stand next to each other. */
export const scoreTogether = (items: readonly Undecided[]): Scored[] => {
  while (actives.length < items.length) actives.push(makeActiveSignals());
  const scored = items.map(({ subject, facts }, i): Scored => {
    const active = actives[i] as ActiveSignals;
    evaluateSignals(facts, subject, active);
    return { facts, subject, active, probability: 0, points: 0 };
  });
  for (let from = 0, to = 0; from < items.length; from = to) {
    const model = items[from]?.policy.model;
    while (to < items.length && items[to]?.policy.model === model) to++;
    model?.scoreAll(to - from === items.length ? scored : scored.slice(from, to));
  }
  return scored;
};

/** The model's part of the decision on a scored subject. */
export const modelPartOf = (model: Model, scored: Scored, isExplained: boolean): ModelPart => {
  const { facts, subject, active, points, probability } = scored;
  if (!isExplained || points < EXPLAIN_FROM)
    return toWholePoints({ points, probability, basePoints: model.basePoints }, []);
  const explained = model.explain(facts, subject, active);
  return toWholePoints(explained, listedContributions(model, explained, active));
};

/**
 * Computes the model's factors again, for the same score. `isExact` selects Shapley values, which are more accurate
 * than the contributions along tree paths and take a hundred times as long. Returns undefined if another model made
 * the verdict, or if the model has no trees and `isExact` is set.
 */
export const recomputeFactors = (
  verdict: Verdict,
  model: Model,
  subject: Subject,
  facts: Facts,
  isExact: boolean,
): Pick<Verdict, 'baseScore' | 'factors'> | undefined => {
  const explain = isExact ? model.explainExactly : model.explain;
  if (verdict.modelVersion !== model.version || explain === undefined) return undefined;
  const active = makeActiveSignals();
  evaluateSignals(facts, subject, active);
  const explained = explain(facts, subject, active);
  const { baseScore, factors } = toWholePoints(explained, listedContributions(model, explained, active));
  const signals = verdict.factors.filter(({ of }) => of === 'signal');
  return { baseScore, factors: [...signals, ...factors].sort(byContribution) };
};
