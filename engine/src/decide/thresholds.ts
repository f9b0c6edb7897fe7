import type { DecisionValue } from '@portcullis/contract';

/** The lowest scores that mean `review` and `block`. */
export interface Thresholds {
  readonly review: number;
  readonly block: number;
}

export const decisionFor = (score: number, { review, block }: Thresholds): DecisionValue =>
  score >= block ? 'block' : score >= review ? 'review' : 'allow';

/** The score nearest to `score` that means `decision`. */
export const scoreFor = (decision: DecisionValue, score: number, { review, block }: Thresholds): number => {
  if (decision === 'block') return Math.max(score, block);
  if (decision === 'allow') return Math.min(score, review - 1);
  return Math.min(Math.max(score, review), block - 1);
};
