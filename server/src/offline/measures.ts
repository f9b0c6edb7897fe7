import {
  type Budget,
  DEFAULT_BUDGET,
  MIN_BUDGET_ITEMS,
  rankFigures,
  SCORES,
  type Thresholds,
  thresholdsWithin,
} from '@portcullis/engine';
import { curvesOf } from './measures-ranking.ts';
import type { BacktestResult, ByDecision, ByLabel, TestedItem, ThresholdRow, WeekRow } from './measures-result.ts';
import { countItem, FIRST_MONDAY_MS, makeTally, type Tally, WEEK_MS, type WeekTally } from './measures-tally.ts';

export type { BacktestResult, TestedItem } from './measures-result.ts';

export interface Measures {
  add(item: TestedItem): void;
  /** The metrics of all items added so far. */
  result(): BacktestResult;
}

const MAX_NAMES = 50;

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
const cents = (dollars: number): number => Math.round(dollars * 100) / 100;
const totalOf = ({ allow, review, block }: ByDecision): number => allow + review + block;

/**
 * Population stability index. Half an item is added to every bin, because the logarithm of an empty bin would be
 * infinite.
 */
const stabilityIndex = (before: Uint32Array, now: Uint32Array): number => {
  const sum = (bins: Uint32Array): number => bins.reduce((total, count) => total + count, bins.length / 2);
  const [all, allNow] = [sum(before), sum(now)];
  let index = 0;
  for (let bin = 0; bin < before.length; bin++) {
    const expected = ((before[bin] as number) + 0.5) / all;
    const actual = ((now[bin] as number) + 0.5) / allNow;
    index += (actual - expected) * Math.log(actual / expected);
  }
  return index;
};

const sumFrom = (sums: Uint32Array | Float64Array, score: number): number => {
  let sum = 0;
  for (let at = score; at < SCORES; at++) sum += sums[at] as number;
  return sum;
};

const thresholdRow = (tally: Tally, score: number, totals: ByLabel<number>): ThresholdRow => {
  const { countAt, dollarsAt, amounts } = tally;
  const below = (sums: Float64Array): number => sums.subarray(0, score).reduce((sum, at) => sum + at, 0);
  const money = (sum: number): number | null => (amounts === 0 ? null : cents(sum));
  const caught = sumFrom(countAt.fraud, score);
  const wrong = sumFrom(countAt.legitimate, score);
  return {
    score,
    items_flagged: caught + wrong + sumFrom(countAt.unlabelled, score),
    frauds_caught: caught,
    fraud_share_caught: share(caught, totals.fraud),
    legitimates_flagged: wrong,
    legitimate_share_flagged: share(wrong, totals.legitimate),
    precision: share(caught, caught + wrong),
    fraud_dollars_caught: money(sumFrom(dollarsAt.fraud, score)),
    fraud_dollars_missed: money(below(dollarsAt.fraud)),
    legitimate_dollars_held: money(sumFrom(dollarsAt.legitimate, score)),
  };
};

/** Rows for every fifth score, and for the thresholds that are marked. */
const thresholdRows = (tally: Tally, marked: readonly Thresholds[], totals: ByLabel<number>): ThresholdRow[] => {
  const scores = new Set(Array.from({ length: 19 }, (_, i) => 5 * (i + 1)));
  for (const { review, block } of marked) scores.add(review).add(block);
  return [...scores].sort((a, b) => a - b).map((score) => thresholdRow(tally, score, totals));
};

const weekRow = ({ ranking, weeks }: Tally, week: WeekTally, i: number): WeekRow => {
  const metrics = rankFigures(...ranking.between(week.rankedFrom, weeks[i + 1]?.rankedFrom ?? ranking.length()));
  return {
    week_start: new Date(FIRST_MONDAY_MS + week.number * WEEK_MS).toISOString().slice(0, 10),
    items: week.items,
    frauds: week.frauds,
    average_score: week.scores / week.items,
    flagged_share: week.flagged / week.items,
    auc_roc: metrics.auc_roc,
    average_precision: metrics.average_precision,
    population_stability_index: stabilityIndex((weeks[0] as WeekTally).bins, week.bins),
  };
};

const distributionOf = ({ countAt }: Tally): BacktestResult['score_distribution'] =>
  Array.from({ length: 20 }, (_, bin) => {
    // The last bin also holds the score 100.
    const [from, to] = [bin * 5, bin === 19 ? 100 : bin * 5 + 4];
    const count = (kind: keyof ByLabel<number>): number =>
      countAt[kind].subarray(from, to + 1).reduce((sum, at) => sum + at, 0);
    return { from, to, fraud: count('fraud'), legitimate: count('legitimate'), unlabelled: count('unlabelled') };
  });

const dollarsOf = ({ dollars, amounts }: Tally): BacktestResult['dollars_by_label'] => {
  if (amounts === 0) return null;
  const rounded = ({ allow, review, block }: ByDecision): ByDecision => ({
    allow: cents(allow),
    review: cents(review),
    block: cents(block),
  });
  return {
    fraud: rounded(dollars.fraud),
    legitimate: rounded(dollars.legitimate),
    unlabelled: rounded(dollars.unlabelled),
  };
};

const orNull = (value: number): number | null => (Number.isNaN(value) ? null : value);
const signalRows = ({ signals }: Tally, allFrauds: number): BacktestResult['top_signals'] =>
  signals
    .result()
    .map(({ signal: name, items, labelled, frauds, precision, low, high }) => ({
      name,
      items,
      labelled,
      frauds,
      precision: orNull(precision),
      precision_low: orNull(low),
      precision_high: orNull(high),
      fraud_share: share(frauds, allFrauds),
    }))
    .sort((a, b) => b.frauds - a.frauds || b.items - a.items || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMES);

const attackRows = ({ attacks }: Tally): BacktestResult['attacks'] =>
  [...attacks]
    .map(([name, counts]) => ({ name, ...counts }))
    .sort((a, b) => b.items - a.items || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_NAMES);

const calibrationRows = ({ probabilities }: Tally): BacktestResult['calibration'] =>
  probabilities.map(({ items, frauds, sum }, bin) => ({
    from: bin / 10,
    to: (bin + 1) / 10,
    items,
    mean_probability: share(sum, items),
    fraud_share: share(frauds, items),
  }));

const byBudget = ({ countAt }: Tally, { legitimate, unlabelled }: ByLabel<number>, budget: Budget) => {
  if (legitimate + unlabelled < MIN_BUDGET_ITEMS) return null;
  const notFraud = countAt.legitimate.map((items, score) => items + (countAt.unlabelled[score] as number));
  return thresholdsWithin(notFraud, budget) ?? null;
};

const resultOf = (tally: Tally, inForce: Thresholds, budget: Budget): BacktestResult => {
  const { decisions, ranking } = tally;
  const totals = {
    fraud: totalOf(decisions.fraud),
    legitimate: totalOf(decisions.legitimate),
    unlabelled: totalOf(decisions.unlabelled),
  };
  const everything = ranking.between(0, ranking.length());
  const ranks = rankFigures(...everything);
  const proposed = byBudget(tally, totals, budget);
  return {
    rows: totals.fraud + totals.legitimate + totals.unlabelled,
    frauds: totals.fraud,
    legitimates: totals.legitimate,
    unlabelled: totals.unlabelled,
    ...ranks,
    served: tally.served.result(),
    model_alone: tally.modelAlone.result(ranks),
    decisions_by_label: structuredClone(decisions),
    dollars_by_label: dollarsOf(tally),
    thresholds_in_force: { review: inForce.review, block: inForce.block },
    budget,
    thresholds_by_budget: proposed,
    thresholds: thresholdRows(tally, proposed === null ? [inForce] : [inForce, proposed], totals),
    top_signals: signalRows(tally, totals.fraud),
    attacks: attackRows(tally),
    weeks: tally.weeks.map((week, i) => weekRow(tally, week, i)),
    score_distribution: distributionOf(tally),
    calibration: calibrationRows(tally),
    ...curvesOf(...everything),
  };
};

/** Makes the metrics of a backtest with the thresholds in force and a budget to compare them with. */
export const makeMeasures = (inForce: Thresholds, budget: Budget = DEFAULT_BUDGET): Measures => {
  const tally = makeTally();
  return { add: (item) => countItem(tally, item, inForce), result: () => resultOf(tally, inForce, budget) };
};
