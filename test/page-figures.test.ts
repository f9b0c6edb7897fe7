import { readFileSync } from 'node:fs';
import { FACT_NAMES, FEATURE_NAMES } from '@portcullis/engine';
import { expect, test } from 'vitest';
import { logit, pointsFor } from '../engine/src/model/calibration.ts';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const scoring = read('docs/scoring.md');

const numbersIn = (text: string): number[] =>
  [...text.matchAll(/\d[\d,]*(?:\.\d+)?/g)].map(([number]) => Number(number.replaceAll(',', '')));
const rowOf = (page: string, start: string): string => {
  const row = page.split('\n').find((line) => line.startsWith(start));
  if (row === undefined) throw new Error(`no line starts with ${start}`);
  return row.slice(start.length);
};

test('docs/scoring.md has the number of facts and features, to the nearest ten', () => {
  const shown = /about (\d+) facts[\s\S]*?out of about (\d+) \|/.exec(scoring)?.slice(1).map(Number);
  expect(shown).toEqual([FACT_NAMES.length, FEATURE_NAMES.length].map((count) => Math.round(count / 10) * 10));
});

test('docs/scoring.md has the points of each probability', () => {
  const probabilities = numbersIn(rowOf(scoring, '| Probability of fraud |')).map((percent) => percent / 100);
  const points = probabilities.map((probability) => Math.round(pointsFor(logit(probability))));
  expect(numbersIn(rowOf(scoring, '| Points |'))).toEqual(points);
  expect(points.length).toBeGreaterThan(10);
});

test('docs/models.md has the figures of the shipped model', () => {
  const { model_version, forest, features, trained, metrics } = JSON.parse(read('server/models/base.json'));
  const models = read('docs/models.md');
  const rounded = (value: number): number => Math.round(value * 1000) / 1000;
  expect(models).toContain(`| \`model_version\` | \`${model_version}\` |`);
  const shown = ['Trees, features', 'Training rows, of which fraud', 'Held-out rows, of which fraud', 'AUC ROC']
    .concat('Average precision', 'Recall at 0.1 % false positives', 'Recall at 1 % false positives')
    .concat('Logistic challenger: AUC ROC, average precision')
    .map((name) => numbersIn(rowOf(models, `| ${name} |`)));
  expect(shown).toEqual([
    [forest.trees.length, features.length],
    [trained.rows, trained.frauds],
    [metrics.held_out_rows, metrics.held_out_frauds],
    [rounded(metrics.auc_roc)],
    [rounded(metrics.average_precision)],
    [rounded(metrics.recall_at_0_1_percent_fp)],
    [rounded(metrics.recall_at_1_percent_fp)],
    [rounded(metrics.logistic_auc_roc), rounded(metrics.logistic_average_precision)],
  ]);
});
