import type { Facts } from '../history/facts.ts';
import type { Model, ModelScore } from '../model/model.ts';
import type { Subject } from '../subject/subject.ts';
import { byContribution, type Contribution, OTHER_FEATURES, type Verdict } from './verdict.ts';

const MAX_FEATURES = 8;

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

/** The features with the largest contributions; equal ones in feature order. Faster than sorting all of them. */
const largestContributions = (model: Model, { contributions }: ModelScore): Contribution[] => {
  const chosen: number[] = [];
  for (let i = 0; i < contributions.length; i++) {
    const size = Math.abs(Math.round(contributions[i] as number));
    if (size === 0) continue;
    let at = chosen.length;
    while (at > 0 && size > Math.abs(Math.round(contributions[chosen[at - 1] as number] as number))) at--;
    if (at === MAX_FEATURES) continue;
    chosen.splice(at, 0, i);
    if (chosen.length > MAX_FEATURES) chosen.pop();
  }
  return chosen.map((i) => ({
    of: 'feature',
    name: model.features[i] as string,
    contribution: Math.round(contributions[i] as number),
  }));
};

export const scoreByModel = (model: Model, subject: Subject, facts: Facts): ModelPart => {
  const scored = model.score(facts, subject);
  if (scored.points < EXPLAIN_FROM) return toWholePoints(scored, []);
  const explained = model.explain(facts, subject);
  return toWholePoints(explained, largestContributions(model, explained));
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
  const explained = explain(facts, subject);
  const { baseScore, factors } = toWholePoints(explained, largestContributions(model, explained));
  const signals = verdict.factors.filter(({ of }) => of === 'signal');
  return { baseScore, factors: [...signals, ...factors].sort(byContribution) };
};
