import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { DEFAULT_POLICY, SIGNALS } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { BASE_MODEL, loadModel } from '../../src/models/model-file.ts';
import type { SimulatedItem } from '../../src/simulate/simulate.ts';
import { DAY_MS } from '../fixtures/harness.ts';
import {
  backtestOf,
  CONFIG,
  csvOf,
  DAYS,
  dayOf,
  linesOf,
  makeHistory,
  pathOf,
  readScores,
  type Score,
  timeOf,
  write,
} from '../fixtures/history-files.ts';

const history = makeHistory();
const file = write(linesOf(history));
const isFraud = ({ row }: Score): boolean => history[row]?.label === 'fraud';

describe('backtest with the shipped model', async () => {
  const { json, scores } = await backtestOf(file);
  const tested = readScores(scores);

  test('prints the documented metrics, consistent with the scores', () => {
    expect(history.length).toBeGreaterThan(2000);
    const frauds = history.filter(({ label }) => label === 'fraud').length;
    expect(json).toMatchObject({ rows: history.length, frauds, legitimates: history.length - frauds, unlabelled: 0 });
    for (const name of ['auc_roc', 'average_precision', 'recall_at_0_1_percent_fp', 'recall_at_1_percent_fp'])
      expect(json[name] >= 0 && json[name] <= 1, name).toBe(true);
    expect(json.rows_per_second).toBeGreaterThan(0);
    expect(json.model_version).toBe(loadModel(BASE_MODEL).version);
    const count = (of: boolean, decision: string): number =>
      tested.filter((score) => isFraud(score) === of && score.decision === decision).length;
    const byDecision = (of: boolean) => ({
      allow: count(of, 'allow'),
      review: count(of, 'review'),
      block: count(of, 'block'),
    });
    expect(json.decisions_by_label).toMatchObject({ fraud: byDecision(true), legitimate: byDecision(false) });
  });

  test('prints the AUC of the probabilities in the scores file', () => {
    const [bad, good] = [tested.filter(isFraud), tested.filter((score) => !isFraud(score))];
    let won = 0;
    for (const a of bad)
      for (const b of good) won += a.probability > b.probability ? 1 : a.probability === b.probability ? 0.5 : 0;
    expect(json.auc_roc).toBeCloseTo(won / (bad.length * good.length), 3);
  });

  test('writes a line per item with its row, probability, whole score and decision', () => {
    expect(tested.map(({ row }) => row)).toEqual(history.map((_, row) => row));
    const { review, block } = DEFAULT_POLICY.thresholds;
    for (const { probability, risk_score: score, decision } of tested) {
      expect(probability >= 0 && probability <= 1).toBe(true);
      expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
      expect(decision).toBe(score >= block ? 'block' : score >= review ? 'review' : 'allow');
    }
  });

  test('opens no store', () => {
    expect(existsSync(CONFIG.dataDir)).toBe(false);
  });

  test('reports a period with the same scores as a full run, because earlier items build the histories', async () => {
    // From one item, which is included, to another, which is not.
    const [testFrom, testUntil] = [700, 1900].map((row) => timeOf(history[row] as SimulatedItem)) as [number, number];
    const part = await backtestOf(file, { testFrom, testUntil });
    const rows = history.flatMap((item, row) => (timeOf(item) >= testFrom && timeOf(item) < testUntil ? [row] : []));
    expect(readScores(part.scores)).toEqual(rows.map((row) => tested[row]));
    expect(part.json.rows).toBe(rows.length);
    const late = await backtestOf(file, { testFrom: dayOf(DAYS + 10) });
    expect(late.json).toMatchObject({ rows: 0, frauds: 0, auc_roc: null, average_precision: null });
  });

  test('gives the same result for CSV and NDJSON, plain and gzipped', async () => {
    const events = history.some(({ kind }) => kind === 'event');
    expect(events).toBe(true);
    for (const path of [
      write(csvOf(history), 'csv'),
      write(csvOf(history), 'csv.gz'),
      write(linesOf(history), 'ndjson.gz'),
    ]) {
      const other = await backtestOf(path);
      expect(other.scores === scores, path).toBe(true);
      expect({ ...other.json, rows_per_second: 0 }).toEqual({ ...json, rows_per_second: 0 });
    }
  });

  test('needs no labels, and hides attack names from the engine', async () => {
    const bare = history.map(({ label: _, label_reason: __, attack: ___, ...item }) => item);
    const unlabelled = await backtestOf(write(linesOf(bare)), { labelDelay: 1000 * DAY_MS });
    expect(unlabelled.json).toMatchObject({
      rows: history.length,
      frauds: 0,
      unlabelled: history.length,
      auc_roc: null,
    });
    const never = await backtestOf(file, { labelDelay: 1000 * DAY_MS });
    expect(unlabelled.scores === never.scores).toBe(true);
  });

  test('prints a summary, and writes a self-contained report', async () => {
    const report = pathOf('report.html');
    const { out } = await backtestOf(file, { json: false, report });
    expect(out).toMatch(
      /^Tested [\d,]+ items, \d+ of them fraud\.\n\n +served model alone\n {2}AUC ROC +0\.\d{4} +0\.\d{4}/,
    );
    const page = readFileSync(report, 'utf8');
    expect(page).toMatch(/^<!doctype html>/i);
    expect(page).toContain('</html>');
    expect(page).toContain(json.model_version);
    expect(page).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)="https?:/);
  });
});

describe('backtest with --rules', () => {
  const rules = (policy: unknown): string => {
    const path = write('', 'json');
    writeFileSync(path, typeof policy === 'string' ? policy : JSON.stringify(policy));
    return path;
  };

  test('uses the thresholds and points of the file', async () => {
    const none = await backtestOf(file, { rules: rules({ points: {}, thresholds: { review: 20, block: 40 } }) });
    expect(none.json.thresholds_in_force).toEqual({ review: 20, block: 40 });
    expect(none.json.top_signals.every(({ name }: { name: string }) => name === 'model_risk')).toBe(true);
    for (const { risk_score: score, decision } of readScores(none.scores))
      expect(decision).toBe(score >= 40 ? 'block' : score >= 20 ? 'review' : 'allow');
    const points = Object.fromEntries(SIGNALS.map(({ name }) => [name, 20]));
    const some = await backtestOf(file, { rules: rules({ points }) });
    const [ruled, plain] = [some, none].map(({ scores }) => readScores(scores)) as [Score[], Score[]];
    expect(ruled.every((score, i) => score.risk_score >= (plain[i]?.risk_score as number))).toBe(true);
    expect(ruled.some((score, i) => score.risk_score > (plain[i]?.risk_score as number))).toBe(true);
    expect(ruled.map(({ probability }) => probability)).toEqual(plain.map(({ probability }) => probability));
  });

  test('shows the thresholds within its budget', async () => {
    const within = async (reviewed_per_10k: number) => {
      const budget = { reviewed_per_10k, blocked_per_10k: 0 };
      return (await backtestOf(file, { rules: rules({ budget }) })).json;
    };
    const [strict, generous] = [await within(10), await within(2000)];
    expect(strict.budget).toEqual({ reviewed_per_10k: 10, blocked_per_10k: 0 });
    expect(generous.thresholds_by_budget.review).toBeLessThan(strict.thresholds_by_budget.review);
    expect(generous.thresholds_by_budget.block).toBeLessThanOrEqual(strict.thresholds_by_budget.block);
  });

  test.each<[string, unknown, RegExp]>([
    ['no JSON', '{"points":', /could not be read/],
    ['a list', [], /expected an object/],
    ['an unknown field', { weights: {} }, /`weights` is unknown/],
    ['an unknown signal', { points: { magic: 3 } }, /`points\.magic` is not a signal/],
    ['points out of range', { points: { new_device: 101 } }, /`points\.new_device` must be a whole number/],
    ['thresholds that cross', { thresholds: { review: 80, block: 50 } }, /`thresholds` must hold/],
    ['half the thresholds', { thresholds: { review: 80 } }, /`thresholds` must hold/],
    [
      'a budget that blocks more than it reviews',
      { budget: { reviewed_per_10k: 1, blocked_per_10k: 2 } },
      /`budget` must/,
    ],
    ['several mistakes', { version: 3, points: { magic: 1 } }, /`version` must be a string; `points\.magic`/],
  ])('rejects a rules file with %s', async (_, policy, reason) => {
    const path = rules(policy);
    await expect(backtestOf(file, { rules: path })).rejects.toThrow(reason);
    await expect(backtestOf(file, { rules: path })).rejects.toThrow(path);
  });
});
