import type { ScoreQuality } from '@portcullis/contract';
import { makeRanking, makeScoreFigures, rankFigures } from '@portcullis/engine';
import { asFraction, asPercent, asRate } from './report.ts';
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
/** The columns of tables with these figures. */
export const FIGURE_COLUMNS: readonly (readonly [string, keyof Figures, (value: number) => string])[] = [
  ['AP', 'ap', asFraction],
  ['recall at 1 % FP', 'recallAt1', asFraction],
  ['blocked per 10k', 'blockedPer10k', asRate],
  ['reviewed per 10k', 'reviewedPer10k', asRate],
  ['fraud caught', 'caught', asPercent],
];

export interface ScoredFigures {
  readonly served: Figures;
  /** The model alone, ranked by its probability. */
  readonly model: Figures;
  /** Average precision of the model's points, which have the same ties as the served score. */
  readonly modelPointsAp: number;
}

const number = (value: number | null): number => value ?? Number.NaN;
const figuresOf = (of: ScoreQuality): Figures => ({
  ap: number(of.average_precision),
  recallAt1: number(of.recall_at_1_percent_fp),
  blockedPer10k: number(of.blocked_per_10k),
  reviewedPer10k: number(of.reviewed_per_10k) - number(of.blocked_per_10k),
  caught: number(of.fraud_held),
});

/** Collects the outcomes of the items of one world. */
export const makeFigures = () => {
  const [served, model, ranking] = [makeScoreFigures(), makeScoreFigures(), makeRanking()];
  return {
    add: ({ score, decision, probability, modelScore, modelDecision }: Outcome, label: 0 | 1): void => {
      served.add(score, decision, label, undefined);
      model.add(modelScore, modelDecision, label, undefined);
      ranking.add(probability, label);
    },
    result: (): ScoredFigures => ({
      served: figuresOf(served.result()),
      model: figuresOf(model.result(rankFigures(...ranking.between(0, ranking.length())))),
      modelPointsAp: number(model.result().average_precision),
    }),
  };
};
