import { rankMetrics } from '@portcullis/engine';
import type { Outcome } from './served.ts';

/** Figures of one scorer in one world. */
export interface Figures {
  readonly ap: number;
  readonly recallAt1: number;
  /** Legitimate items blocked and reviewed, per 10,000 legitimate items. */
  readonly blockedPer10k: number;
  readonly reviewedPer10k: number;
  /** Share of fraud reviewed or blocked. */
  readonly caught: number;
}
export interface ScoredFigures {
  readonly served: Figures;
  /** The model alone, ranked by its probability. */
  readonly model: Figures;
  /** Average precision of the model's points, which have the same ties as the served score. */
  readonly modelPointsAp: number;
}

type Decision = Outcome['decision'];
const makeCounts = (): Record<Decision, [number, number]> => ({ allow: [0, 0], review: [0, 0], block: [0, 0] });

const figuresOf = (scores: readonly number[], labels: readonly number[], counts: ReturnType<typeof makeCounts>) => {
  const { averagePrecision, recallAt1, frauds, rows } = rankMetrics(scores, labels);
  const per10k = (decision: Decision): number => (10_000 * counts[decision][0]) / (rows - frauds);
  return {
    ap: averagePrecision,
    recallAt1,
    blockedPer10k: per10k('block'),
    reviewedPer10k: per10k('review'),
    caught: (counts.review[1] + counts.block[1]) / frauds,
  };
};

/** Collects the outcomes of the items of one world. */
export const makeFigures = () => {
  const [served, probabilities, points, labels]: [number[], number[], number[], (0 | 1)[]] = [[], [], [], []];
  const [servedCounts, modelCounts] = [makeCounts(), makeCounts()];
  return {
    add: ({ score, decision, probability, modelScore, modelDecision }: Outcome, label: 0 | 1): void => {
      served.push(score);
      probabilities.push(probability);
      points.push(modelScore);
      labels.push(label);
      servedCounts[decision][label]++;
      modelCounts[modelDecision][label]++;
    },
    result: (): ScoredFigures => ({
      served: figuresOf(served, labels, servedCounts),
      model: figuresOf(probabilities, labels, modelCounts),
      modelPointsAp: rankMetrics(points, labels).averagePrecision,
    }),
  };
};
