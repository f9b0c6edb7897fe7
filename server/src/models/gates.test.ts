import type { ModelGate } from '@portcullis/contract';
import { describe, expect, test } from 'vitest';
import { curvesOf, gatesOf, type Measured } from './gates.ts';

/** A hundred frauds and nine hundred others, with what either model says of them. */
const FRAUDS = 100;
const ROWS = 1000;
const labels = Array.from({ length: ROWS }, (_, i) => (i < FRAUDS ? 1 : 0));
const weights = labels.map(() => 1);
type Side = Measured['champion'];

/** Finds so many of the frauds before any other, and holds so many of both. */
const side = (found: number, heldFrauds: number, heldOthers: number): Side => ({
  probability: labels.map((label, i) => (label === 1 ? (i < found ? 0.9 : 0.1) : 0.1 + (i % 7) / 100)),
  held: labels.map((label, i) => Number(label === 1 ? i < heldFrauds : i < FRAUDS + heldOthers)),
});
const CHAMPION = side(40, 40, 20);
const BETTER = side(70, 70, 20);

/** Of what was reviewed: as a model that knows its trade would have ranked it. */
const AGREE = {
  said: Array.from({ length: 60 }, (_, i) => (i < 30 ? 0.7 : 0.3)),
  was: Array.from({ length: 60 }, (_, i) => Number(i < 30)),
};
const ATTACKS = { base: 0.6, challenger: 0.55 };

const failed = (gates: readonly ModelGate[]): string[] => gates.flatMap(({ name, passed }) => (passed ? [] : [name]));
const ask = (challenger: Side, reviewed = AGREE, attacks = ATTACKS, champion = CHAMPION): string[] =>
  failed(gatesOf({ labels, weights, champion, challenger }, reviewed, attacks));

const turnedRound = { ...AGREE, was: AGREE.was.map((label) => 1 - label) };
const atRandom = { ...AGREE, was: AGREE.was.map((_, i) => i % 2) };
const few = { said: AGREE.said.slice(20, 40), was: AGREE.was.slice(20, 40).map((label) => 1 - label) };

const CASES: [string, () => string[], string[]][] = [
  ['finds more at the same cost', () => ask(BETTER), []],
  ['is the champion again', () => ask(CHAMPION), ['average_precision']],
  ['is better by a hair', () => ask(side(40.5, 41, 20)), ['average_precision']],
  ['finds less', () => ask(side(30, 40, 20)), ['average_precision', 'recall_at_operating_point']],
  ['ranks better but holds fewer frauds', () => ask(side(70, 39, 20)), ['frauds_held']],
  ['holds as much more as it may', () => ask(side(70, 70, 24)), []],
  ['holds more of what is no fraud', () => ask(side(70, 70, 25)), ['others_held']],
  ['learned from labels that were turned round', () => ask(BETTER, turnedRound), ['labels_agree']],
  ['learned from labels given at random', () => ask(BETTER, atRandom), ['labels_agree']],
  ['learned where hardly anything was reviewed', () => ask(BETTER, few), []],
  ['forgot what the base model knew', () => ask(BETTER, AGREE, { base: 0.6, challenger: 0.29 }), ['known_attacks']],
];

describe('a challenger that', () => {
  test.each(CASES)('%s', (_, gates, expected) => {
    expect(gates()).toEqual(expected);
  });
});

test('rows count as much as they weigh', () => {
  // One held row of what is no fraud stands for twenty like it that nobody labelled.
  const heavy = weights.map((_, i) => (i === FRAUDS + 20 ? 20 : 1));
  const measured = { labels, weights: heavy, champion: CHAMPION, challenger: side(70, 70, 21) };
  expect(failed(gatesOf(measured, AGREE, ATTACKS))).toEqual(['others_held']);
  expect(failed(gatesOf({ ...measured, weights }, AGREE, ATTACKS))).toEqual([]);
});

test('gates tell both numbers, and nothing where there was too little to measure', () => {
  const gates = gatesOf({ labels, weights, champion: CHAMPION, challenger: BETTER }, few, ATTACKS);
  const named = Object.fromEntries(gates.map((gate) => [gate.name, [gate.champion, gate.challenger]]));
  expect(named.frauds_held).toEqual([0.4, 0.7]);
  expect(named.others_held).toEqual([20 / 900, 20 / 900]);
  expect(named.labels_agree).toEqual([null, null]);
  expect(named.known_attacks).toEqual([0.6, 0.55]);
});

test('curves rise to their end in fifty points at most', () => {
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
