import type { ModelGate } from '@portcullis/contract';
import { curveOf, rankMetrics, recallAt } from '@portcullis/engine';

/** The rows of the newest window: what they were, how much they count, and what each model makes of them. */
export interface Measured {
  readonly labels: number[];
  readonly weights: number[];
  readonly champion: { readonly probability: number[]; readonly held: number[] };
  readonly challenger: { readonly probability: number[]; readonly held: number[] };
}
/** Of what people reviewed: what the model said when it was held, and what it was called. */
export interface Reviewed {
  readonly said: readonly number[];
  readonly was: readonly number[];
}
/** The share of the attacks in simulated worlds that each finds at 1 % false positives. */
export interface KnownAttacks {
  readonly base: number;
  readonly challenger: number;
}

const LEAST_GAIN = 0.01;
const MOST_MORE_HELD = 0.005;
const LEAST_AGREEMENT = 0.6;
const FEWEST_REVIEWED = 20;
const LEAST_KEPT = 0.5;

/** The share, by weight, of the rows with a label that are held. */
const shareHeld = ({ labels, weights }: Measured, held: readonly number[], label: 0 | 1): number => {
  let all = 0;
  let some = 0;
  for (let i = 0; i < labels.length; i++) {
    if (labels[i] !== label) continue;
    all += weights[i] as number;
    some += (weights[i] as number) * (held[i] as number);
  }
  return all === 0 ? 0 : some / all;
};

const agreementOf = ({ said, was }: Reviewed): number | null => {
  const frauds = was.filter((label) => label === 1).length;
  return Math.min(frauds, was.length - frauds) < FEWEST_REVIEWED ? null : rankMetrics(said, was).auc;
};

/** What a challenger must do to take the champion's place. */
export const gatesOf = (measured: Measured, reviewed: Reviewed, attacks: KnownAttacks): ModelGate[] => {
  const { labels, weights, champion, challenger } = measured;
  const [before, after] = [champion, challenger].map(({ probability, held }) => ({
    precision: rankMetrics(probability, labels, weights).averagePrecision,
    points: curveOf(probability, labels, weights),
    frauds: shareHeld(measured, held, 1),
    others: shareHeld(measured, held, 0),
  })) as [Side, Side];
  const all = { frauds: sumOf(measured, 1), others: sumOf(measured, 0) };
  const recall = ({ points }: Side): number => recallAt(points, all.frauds, all.others, before.others);
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
      `at least ${LEAST_GAIN} above the champion's`,
      [before.precision, after.precision],
      after.precision >= before.precision + LEAST_GAIN,
    ),
    gate(
      'recall_at_operating_point',
      "not below the champion's, at the champion's share of false positives",
      [recall(before), recall(after)],
      recall(after) >= recall(before),
    ),
    gate('frauds_held', "not below the champion's", [before.frauds, after.frauds], after.frauds >= before.frauds),
    gate(
      'others_held',
      `at most ${MOST_MORE_HELD} above the champion's`,
      [before.others, after.others],
      after.others <= before.others + MOST_MORE_HELD,
    ),
    gate(
      'labels_agree',
      `at least ${LEAST_AGREEMENT}: of two reviewed items, how often what was called fraud had the higher probability`,
      [agreement, null],
      agreement === null || agreement >= LEAST_AGREEMENT,
    ),
    gate(
      'known_attacks',
      `at least ${LEAST_KEPT} of what the base model finds in simulated worlds`,
      [attacks.base, attacks.challenger],
      attacks.challenger >= attacks.base * LEAST_KEPT,
    ),
  ];
};

interface Side {
  readonly precision: number;
  readonly points: ReturnType<typeof curveOf>;
  readonly frauds: number;
  readonly others: number;
}
const sumOf = ({ labels, weights }: Measured, label: 0 | 1): number =>
  labels.reduce((sum, own, i) => (own === label ? sum + (weights[i] as number) : sum), 0);

const MOST_POINTS = 50;
const DIGITS = 6;
export const rounded = (value: number): number => Number(value.toPrecision(DIGITS));

/** At most fifty points of each curve, evenly by the share of fraud found, the ends included. */
export const curvesOf = ({ labels, weights, challenger }: Measured) => {
  const points = curveOf(challenger.probability, labels, weights);
  const { found: frauds = 0, wrong: others = 0 } = points.at(-1) ?? {};
  const kept = points.filter((point, i) => {
    const step = Math.floor((point.found / frauds) * (MOST_POINTS - 2));
    const next = points[i + 1];
    return next === undefined || Math.floor((next.found / frauds) * (MOST_POINTS - 2)) !== step;
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
