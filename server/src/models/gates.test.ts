import type { ModelGate } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import { curvesOf, gatesOf, type Measurement } from './gates.ts';

/** A hundred frauds and nine hundred other items. */
const FRAUDS = 100;
const ROWS = 1000;
const labels = Array.from({ length: ROWS }, (_, i) => (i < FRAUDS ? 1 : 0));
const weights = labels.map(() => 1);
type Side = Measurement['champion'];

/** A model that ranks `found` frauds first, and holds the given numbers of frauds and of others. */
const side = (found: number, heldFrauds: number, heldOthers: number): Side => ({
  probability: labels.map((label, i) => (label === 1 ? (i < found ? 0.9 : 0.1) : 0.1 + (i % 7) / 100)),
  held: labels.map((label, i) => Number(label === 1 ? i < heldFrauds : i < FRAUDS + heldOthers)),
});
const CHAMPION = side(40, 40, 20);
const BETTER = side(70, 70, 20);

/** Reviewed items that agree with the model that held them. */
const AGREE = {
  probabilities: Array.from({ length: 60 }, (_, i) => (i < 30 ? 0.7 : 0.3)),
  labels: Array.from({ length: 60 }, (_, i) => Number(i < 30)),
};
const ATTACKS = { base: 0.6, challenger: 0.55 };

const failed = (gates: readonly ModelGate[]): string[] => gates.flatMap(({ name, passed }) => (passed ? [] : [name]));
const failedGates = (challenger: Side, reviewed = AGREE, attacks = ATTACKS, champion = CHAMPION): string[] =>
  failed(gatesOf({ labels, weights, champion, challenger }, reviewed, attacks));

const inverted = { ...AGREE, labels: AGREE.labels.map((label) => 1 - label) };
const atRandom = { ...AGREE, labels: AGREE.labels.map((_, i) => i % 2) };
const few = {
  probabilities: AGREE.probabilities.slice(20, 40),
  labels: AGREE.labels.slice(20, 40).map((label) => 1 - label),
};

const CASES: [string, () => string[], string[]][] = [
  ['finds more fraud at the same false positive rate', () => failedGates(BETTER), []],
  ['equals the champion', () => failedGates(CHAMPION), ['average_precision']],
  ['is better by less than the minimum gain', () => failedGates(side(40.5, 41, 20)), ['average_precision']],
  ['finds fewer frauds', () => failedGates(side(30, 40, 20)), ['average_precision', 'recall_at_operating_point']],
  ['ranks better but holds fewer frauds', () => failedGates(side(70, 39, 20)), ['frauds_held']],
  ['holds the maximum of additional legitimate items', () => failedGates(side(70, 70, 24)), []],
  ['holds too many legitimate items', () => failedGates(side(70, 70, 25)), ['others_held']],
  ['was trained on inverted labels', () => failedGates(BETTER, inverted), ['labels_agree']],
  ['was trained on random labels', () => failedGates(BETTER, atRandom), ['labels_agree']],
  ['was trained with too few reviewed items to compare', () => failedGates(BETTER, few), []],
  [
    'finds too few of the known attacks',
    () => failedGates(BETTER, AGREE, { base: 0.6, challenger: 0.29 }),
    ['known_attacks'],
  ],
];

describe('a challenger that', () => {
  test.each(CASES)('%s', (_, gates, expected) => {
    expect(gates()).toEqual(expected);
  });
});

test('one legitimate item on top does not reject a better model where the champion holds none', () => {
  // With 2,000 others, one of them is 0.05 %.
  const many = [...labels, ...labels.map(() => 0 as const), ...labels.map(() => 0 as const)];
  const extend = ({ probability, held }: Side, top: number): Side => ({
    probability: [...probability, ...many.slice(ROWS).map((_, i) => (i < top ? 0.95 : 0.1))],
    held: [...held, ...many.slice(ROWS).map(() => 0)],
  });
  const gatesFor = (challenger: Side): string[] =>
    failed(
      gatesOf(
        { labels: many, weights: many.map(() => 1), champion: extend(side(40, 40, 0), 0), challenger },
        AGREE,
        ATTACKS,
      ),
    );
  expect(gatesFor(extend(side(70, 70, 0), 1))).toEqual([]);
  expect(gatesFor(extend(side(70, 70, 0), 4))).toContain('recall_at_operating_point');
});

test('gates use the weights of the items', () => {
  // One held legitimate item stands for twenty without a label.
  const heavy = weights.map((_, i) => (i === FRAUDS + 20 ? 20 : 1));
  const measured = { labels, weights: heavy, champion: CHAMPION, challenger: side(70, 70, 21) };
  expect(failed(gatesOf(measured, AGREE, ATTACKS))).toEqual(['others_held']);
  expect(failed(gatesOf({ ...measured, weights }, AGREE, ATTACKS))).toEqual([]);
});

test('gates have the figures of both models, or null where there are too few items', () => {
  const gates = gatesOf({ labels, weights, champion: CHAMPION, challenger: BETTER }, few, ATTACKS);
  const named = Object.fromEntries(gates.map((gate) => [gate.name, [gate.champion, gate.challenger]]));
  expect(named.frauds_held).toEqual([0.4, 0.7]);
  expect(named.others_held).toEqual([20 / 900, 20 / 900]);
  expect(named.labels_agree).toEqual([null, null]);
  expect(named.known_attacks).toEqual([0.6, 0.55]);
});

test('curves rise to their end, with at most fifty points', () => {
  const spread = { ...BETTER, probability: labels.map((label, i) => ((i * 7919) % 997) / 997 + label * 0.3) };
  const { roc, precision_recall } = curvesOf({ labels, weights, champion: CHAMPION, challenger: spread });
  expect(roc.length).toBeLessThanOrEqual(50);
  expect(roc.length).toBeGreaterThan(30);
  expect(roc.at(-1)).toEqual({ false_positive_rate: 1, recall: 1 });
  expect(precision_recall.at(-1)).toEqual({ recall: 1, precision: 0.1 });
  for (const [i, { recall, false_positive_rate }] of roc.entries()) {
    expect(recall).toBeGreaterThanOrEqual(roc[i - 1]?.recall ?? 0);
    expect(false_positive_rate).toBeGreaterThanOrEqual(roc[i - 1]?.false_positive_rate ?? 0);
  }
});
