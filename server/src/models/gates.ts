import type { ModelGate } from '@portcullis/contract';
import { curveOf, rankMetrics, recallAt } from '@portcullis/engine';

/** The items of the window: their labels and weights, and the results of both models. */
export interface Measurement {
  readonly labels: number[];
  readonly weights: number[];
  readonly champion: { readonly probability: number[]; readonly held: number[] };
  readonly challenger: { readonly probability: number[]; readonly held: number[] };
}
/** Reviewed items: the probability from the model that held them, and the label from the review. */
export interface ReviewedItems {
  readonly probabilities: readonly number[];
  readonly labels: readonly number[];
}
/** The share of simulated attacks that each model finds at 1 % false positives. */
export interface KnownAttacks {
  readonly base: number;
  readonly challenger: number;
}

const MIN_GAIN = 0.01;
const MAX_MORE_HELD = 0.005;
const MIN_AGREEMENT = 0.6;
const MIN_REVIEWED = 20;
const MIN_KEPT = 0.5;
/** Recall is compared at no smaller share of false positives: a single item would decide it. */
const LEAST_WRONG = 0.001;

/** The weighted share of held items among those with the label. */
const shareHeld = ({ labels, weights }: Measurement, held: readonly number[], label: 0 | 1): number => {
  let all = 0;
  let some = 0;
  for (let i = 0; i < labels.length; i++) {
    if (labels[i] !== label) continue;
    all += weights[i] as number;
    some += (weights[i] as number) * (held[i] as number);
  }
  return all === 0 ? 0 : some / all;
};

const agreementOf = ({ probabilities, labels }: ReviewedItems): number | null => {
  const frauds = labels.filter((label) => label === 1).length;
  return Math.min(frauds, labels.length - frauds) < MIN_REVIEWED ? null : rankMetrics(probabilities, labels).auc;
};

/** The conditions for promoting a challenger, with the figures of both models. */
export const gatesOf = (measured: Measurement, reviewed: ReviewedItems, attacks: KnownAttacks): ModelGate[] => {
  const { labels, weights, champion, challenger } = measured;
  const [before, after] = [champion, challenger].map(({ probability, held }) => ({
    precision: rankMetrics(probability, labels, weights).averagePrecision,
    points: curveOf(probability, labels, weights),
    frauds: shareHeld(measured, held, 1),
    others: shareHeld(measured, held, 0),
  })) as [Side, Side];
  const all = { frauds: sumOf(measured, 1), others: sumOf(measured, 0) };
  const recall = ({ points }: Side): number =>
    recallAt(points, all.frauds, all.others, Math.max(before.others, LEAST_WRONG));
  const agreement = agreementOf(reviewed);
  const gate = (
    name: ModelGate['name'],
    wanted: string,
    [of, than]: readonly [number | null, number | null],
    passed: boolean,
  ): ModelGate => ({ name, wanted, champion: of, challenger: than, passed });
  return [
    gate(
      'average_precision',
      `at least ${MIN_GAIN} above the champion's`,
      [before.precision, after.precision],
      after.precision >= before.precision + MIN_GAIN,
    ),
    gate(
      'recall_at_operating_point',
      "not below the champion's, at the champion's share of false positives, but at least 0.1 %",
      [recall(before), recall(after)],
      recall(after) >= recall(before),
    ),
    gate('frauds_held', "not below the champion's", [before.frauds, after.frauds], after.frauds >= before.frauds),
    gate(
      'others_held',
      `at most ${MAX_MORE_HELD} above the champion's`,
      [before.others, after.others],
      after.others <= before.others + MAX_MORE_HELD,
    ),
    gate(
      'labels_agree',
      `at least ${MIN_AGREEMENT}: how often, of two reviewed items, the one labelled fraud had the higher probability`,
      [agreement, null],
      agreement === null || agreement >= MIN_AGREEMENT,
    ),
    gate(
      'known_attacks',
      `at least ${MIN_KEPT} of the simulated attacks that the base model finds`,
      [attacks.base, attacks.challenger],
      attacks.challenger >= attacks.base * MIN_KEPT,
    ),
  ];
};

interface Side {
  readonly precision: number;
  readonly points: ReturnType<typeof curveOf>;
  readonly frauds: number;
  readonly others: number;
}
const sumOf = ({ labels, weights }: Measurement, label: 0 | 1): number =>
  labels.reduce((sum, own, i) => (own === label ? sum + (weights[i] as number) : sum), 0);

const MAX_POINTS = 50;
const DIGITS = 6;
export const rounded = (value: number): number => Number(value.toPrecision(DIGITS));

/** At most fifty points of each curve, evenly spaced by recall, the ends included. */
export const curvesOf = ({ labels, weights, challenger }: Measurement) => {
  const points = curveOf(challenger.probability, labels, weights);
  const { found: frauds = 0, wrong: others = 0 } = points.at(-1) ?? {};
  const kept = points.filter((point, i) => {
    const step = Math.floor((point.found / frauds) * (MAX_POINTS - 2));
    const next = points[i + 1];
    return next === undefined || Math.floor((next.found / frauds) * (MAX_POINTS - 2)) !== step;
  });
  return {
    roc: kept.map(({ found, wrong }) => ({
      false_positive_rate: rounded(wrong / others),
      recall: rounded(found / frauds),
    })),
    precision_recall: kept.map(({ found, wrong }) => ({
      recall: rounded(found / frauds),
      precision: rounded(found / (found + wrong)),
    })),
  };
};
