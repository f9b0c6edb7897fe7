import type { ScoreQuality } from '@portcullis/contract';
import { rankMetrics } from '../train/rank-metrics.ts';
import { SCORES } from './budget.ts';

/** How well a score ranks fraud above legitimate items. Null for items with only one label, for which it has no meaning. */
export type RankFigures = Pick<
  ScoreQuality,
  'auc_roc' | 'average_precision' | 'recall_at_0_1_percent_fp' | 'recall_at_1_percent_fp'
>;
const NO_FIGURES: RankFigures = {
  auc_roc: null,
  average_precision: null,
  recall_at_0_1_percent_fp: null,
  recall_at_1_percent_fp: null,
};

export const rankFigures = (
  scores: ArrayLike<number>,
  labels: ArrayLike<number>,
  weights?: ArrayLike<number>,
): RankFigures => {
  const { auc, averagePrecision, recallAt01, recallAt1 } = rankMetrics(scores, labels, weights);
  // Divided by the frauds and by the others, so not a number if either is missing.
  if (!Number.isFinite(auc)) return NO_FIGURES;
  return {
    auc_roc: auc,
    average_precision: averagePrecision,
    recall_at_0_1_percent_fp: recallAt01,
    recall_at_1_percent_fp: recallAt1,
  };
};

/** The same from the numbers of items by whole score, however many items there are. */
export const rankByScore = (fraud: ArrayLike<number>, legitimate: ArrayLike<number>): RankFigures => {
  const [scores, labels, weights]: [number[], number[], number[]] = [[], [], []];
  for (let score = 0; score < SCORES; score++)
    for (const [label, counts] of [legitimate, fraud].entries()) {
      const items = counts[score] as number;
      if (items === 0) continue;
      scores.push(score);
      labels.push(label);
      weights.push(items);
    }
  return rankFigures(scores, labels, weights);
};

/**
 * Makes a list of the probability and label of every labelled item, 9 bytes each: ranking needs all of them at once.
 * `transfer` moves the memory to a larger array, so that the old one does not stay beside it.
 */
export const makeRanking = () => {
  let probabilities = new Float64Array(1024);
  let labels = new Int8Array(1024);
  let length = 0;
  return {
    length: () => length,
    add(probability: number, label: number): void {
      if (length === labels.length) {
        const room = Math.ceil(length * 1.5);
        probabilities = new Float64Array(probabilities.buffer.transfer(room * 8));
        labels = new Int8Array(labels.buffer.transfer(room));
      }
      probabilities[length] = probability;
      labels[length++] = label;
    },
    between: (from: number, to: number) =>
      [probabilities.subarray(from, to), labels.subarray(from, to)] as [Float64Array, Int8Array],
  };
};
export type Ranking = ReturnType<typeof makeRanking>;
