import { FACT_NAMES, FEATURE_NAMES } from '@portcullis/engine';
import { expect, test } from 'vitest';
import { logit, pointsFor } from '../engine/src/model/calibration.ts';
import { expectPage, readPage } from './page-update.ts';

const SCORING = 'docs/scoring.md';
const MODELS = 'docs/models.md';
const { model_version, forest, features, trained, metrics } = JSON.parse(readPage('server/models/base.json'));

/** The page with another text for each of these rows after `from`, by the start of the row. */
const withRows = (page: string, from: string, rows: Readonly<Record<string, (row: string) => string>>): string => {
  const lines = page.split('\n');
  const first = lines.findIndex((line) => line.startsWith(from));
  for (const [start, change] of Object.entries(rows)) {
    const at = lines.findIndex((line, i) => i > first && line.startsWith(start));
    if (first < 0 || at < 0) throw new Error(`no line after ${from} starts with ${start}`);
    lines[at] = start + change((lines[at] as string).slice(start.length));
  }
  return lines.join('\n');
};

test('docs/scoring.md has the number of facts and features, to the nearest ten', () => {
  const tens = (count: number): number => Math.round(count / 10) * 10;
  const page = readPage(SCORING);
  expect(page).toMatch(/about \d+ facts[\s\S]*out of about \d+ \|/);
  const expected = page
    .replace(/about \d+ facts/, `about ${tens(FACT_NAMES.length)} facts`)
    .replace(/out of about \d+ \|/, `out of about ${tens(FEATURE_NAMES.length)} |`);
  expectPage(SCORING, expected);
});

test('docs/scoring.md has the points of each probability', () => {
  const page = readPage(SCORING);
  const [, row = ''] = /^\| Probability of fraud \|(.*)$/m.exec(page) ?? [];
  const points = [...row.matchAll(/[\d.]+/g)].map(([percent]) => Math.round(pointsFor(logit(Number(percent) / 100))));
  expect(points.length).toBeGreaterThan(10);
  let at = 0;
  expectPage(
    SCORING,
    withRows(page, '| Probability of fraud |', {
      '| Points |': (shown) => shown.replaceAll(/\d+/g, () => String(points[at++])),
    }),
  );
  expect(at).toBe(points.length);
});

test('docs/models.md has the figures of the shipped model', () => {
  const counts = (...of: number[]): string => of.map((count) => count.toLocaleString('en-US')).join('; ');
  const shares = (...of: number[]): string => of.map((share) => share.toFixed(3)).join('; ');
  const figures = {
    '`model_version`': `\`${model_version}\``,
    'Trees, features': counts(forest.trees.length, features.length),
    'Training rows, of which fraud': counts(trained.rows, trained.frauds),
    'Held-out rows, of which fraud': counts(metrics.held_out_rows, metrics.held_out_frauds),
    'AUC ROC': shares(metrics.auc_roc),
    'Average precision': shares(metrics.average_precision),
    'Recall at 0.1 % false positives': shares(metrics.recall_at_0_1_percent_fp),
    'Recall at 1 % false positives': shares(metrics.recall_at_1_percent_fp),
    'Logistic challenger: AUC ROC, average precision': shares(
      metrics.logistic_auc_roc,
      metrics.logistic_average_precision,
    ),
  };
  const rows = Object.entries(figures).map(([name, shown]) => [`| ${name} |`, () => ` ${shown} |`] as const);
  expectPage(MODELS, withRows(readPage(MODELS), '| `server/models/base.json` |', Object.fromEntries(rows)));
});

test.each(['README.md', 'docs/api-guide.md', 'docs/operations.md'])(
  '%s shows the version of the shipped model',
  (path) => {
    const version = /("model(?:_version)?": ")mdl_[0-9a-z]+/g;
    const page = readPage(path);
    expect(page).toMatch(version);
    expectPage(path, page.replaceAll(version, `$1${model_version}`));
  },
);
