import type { BacktestQuality } from '@portcullis/contract';
import {
  type Budget,
  DEFAULT_BUDGET,
  decisionFor,
  MIN_BUDGET_ITEMS,
  makeRanking,
  makeScoreFigures,
  makeSignalCounts,
  modelScoreFor,
  type Policy,
  rankFigures,
  SCORES,
  type Subject,
  sumsFrom,
  type Thresholds,
  thresholdsFor,
  thresholdsWithin,
  type Verdict,
} from '@portcullis/engine';
import type { ByType } from '../policies/proposal.ts';

const DAY_MS = 86_400_000;

const within = (items: Float64Array, budget: Budget | null): Thresholds | null => {
  if ((sumsFrom(items)[0] as number) < MIN_BUDGET_ITEMS) return null;
  return thresholdsWithin(items, budget ?? DEFAULT_BUDGET) ?? null;
};

/** Measures the served score before and after a change. Items without a label count as legitimate. */
export const makeQuality = (inForce: Policy, budget: ByType<Budget | null>) => {
  const [before, after, model] = [makeScoreFigures(), makeScoreFigures(), makeScoreFigures()];
  const ranking = makeRanking();
  const signals = makeSignalCounts();
  const notFraud = { transaction: new Float64Array(SCORES), event: new Float64Array(SCORES) };
  return {
    add: (subject: Subject, isFraud: boolean, current: Verdict, proposed: Verdict): void => {
      const { type } = subject;
      const label = isFraud ? 1 : 0;
      const money = subject.type === 'transaction' ? subject.request : undefined;
      before.add(current.score, current.decision, label, money);
      after.add(proposed.score, proposed.decision, label, money);
      // Items of one attack often come on one day, and are not independent of each other.
      signals.add(Math.floor(subject.at / DAY_MS), proposed.signals, label);
      // Whatever the thresholds, a forced decision stays.
      if (!isFraud && !proposed.isForced) (notFraud[type][proposed.score] as number)++;
      const { probability } = current;
      if (probability === null) return;
      const score = modelScoreFor(probability);
      model.add(score, decisionFor(score, thresholdsFor(inForce, type)), label, money);
      ranking.add(probability, label);
    },
    result: (): BacktestQuality => ({
      before: before.result(),
      after: after.result(),
      model: ranking.length() === 0 ? null : model.result(rankFigures(...ranking.between(0, ranking.length()))),
      signals: signals.result().map(({ signal, items, frauds, precision, low, high }) => ({
        signal,
        items,
        frauds,
        precision,
        precision_low: low,
        precision_high: high,
      })),
      thresholds_by_budget: {
        transaction: within(notFraud.transaction, budget.transaction),
        event: within(notFraud.event, budget.event),
      },
    }),
  };
};
export type Quality = ReturnType<typeof makeQuality>;
