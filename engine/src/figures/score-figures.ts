import type { DecisionValue, ScoreQuality } from '@portcullis/contract';
import { logit, pointsFor } from '../model/calibration.ts';
import { per10k, SCORES } from './budget.ts';
import { type RankFigures, rankByScore } from './ranking.ts';

export interface Money {
  readonly amount: number;
  readonly currency: string;
}

/** The whole score that a model alone would give for its probability. */
export const modelScoreFor = (probability: number): number => Math.round(pointsFor(logit(probability)));

const byDecision = (): Record<DecisionValue, number> => ({ allow: 0, review: 0, block: 0 });
/** Removes the rounding errors of floating-point sums. No currency has more than three decimals that matter. */
const rounded = (amount: number): number => Math.round(amount * 1000) / 1000;

/** Collects items with their score, decision and label: 1 for fraud, 0 for legitimate. */
export const makeScoreFigures = () => {
  const scores = [new Float64Array(SCORES), new Float64Array(SCORES)] as const;
  const decisions = [byDecision(), byDecision()] as const;
  const money = new Map<string, readonly [Record<DecisionValue, number>, Record<DecisionValue, number>]>();

  const moneyFigures = (): ScoreQuality['money'] =>
    [...money]
      .map(([currency, [legitimate, fraud]]) => ({
        currency,
        fraud_held: rounded(fraud.review + fraud.block),
        fraud_missed: rounded(fraud.allow),
        legitimate_held: rounded(legitimate.review + legitimate.block),
      }))
      .sort((a, b) => (a.currency < b.currency ? -1 : 1));
  return {
    add: (score: number, decision: DecisionValue, label: 0 | 1, paid: Money | undefined): void => {
      (scores[label][score] as number)++;
      decisions[label][decision]++;
      if (paid === undefined) return;
      const sums = money.get(paid.currency) ?? ([byDecision(), byDecision()] as const);
      money.set(paid.currency, sums);
      sums[label][decision] += paid.amount;
    },
    /** `ranks` replaces the ranking by whole score, for a score that has decimals too. */
    result: (ranks?: RankFigures): ScoreQuality => {
      const [legitimate, fraud] = decisions;
      const all = legitimate.allow + legitimate.review + legitimate.block;
      const frauds = fraud.allow + fraud.review + fraud.block;
      return {
        ...(ranks ?? rankByScore(scores[1], scores[0])),
        reviewed_per_10k: per10k(legitimate.review + legitimate.block, all),
        blocked_per_10k: per10k(legitimate.block, all),
        fraud_held: frauds === 0 ? null : (fraud.review + fraud.block) / frauds,
        money: moneyFigures(),
      };
    },
  };
};
