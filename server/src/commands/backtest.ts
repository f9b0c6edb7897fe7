import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ScoreQuality } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import { DEFAULT_BUDGET, DEFAULT_POLICY, type Policy } from '@portcullis/engine';
import type { Config } from '../config.ts';
import { openKnowledge } from '../knowledge/knowledge.ts';
import { BASE_MODEL, loadModel } from '../models/model-file.ts';
import { backtest } from '../offline/backtest.ts';
import { FileError } from '../offline/file-error.ts';
import type { BacktestResult } from '../offline/measures.ts';
import { checkOutput, writeOutput } from '../offline/output-file.ts';
import { readPolicyFile } from '../offline/policy-file.ts';
import { readItemBlocks } from '../offline/read-items.ts';
import { writeReport } from '../offline/report.ts';
import { makeProgress, type Progress } from '../runtime/progress-bar.ts';
import { print, printError } from '../runtime/terminal.ts';
import { failUsage } from './fail.ts';

export interface BacktestFlags {
  testFrom?: number;
  testUntil?: number;
  labelDelay: number;
  trainDays?: number;
  retrainEvery?: number;
  rules?: string;
  model?: string;
  seed: number;
  scores?: string;
  report?: string;
  json?: boolean;
}

const DAY_MS = 86_400_000;
const SHARES = 100;

/** The first conflict between options; undefined if there is none. */
const conflictOf = ({ testFrom, testUntil, trainDays, retrainEvery, model }: BacktestFlags): string | undefined => {
  if (trainDays !== undefined && testFrom === undefined)
    return '--train-days requires --test-from: the model is trained on labels known at that time.';
  if (retrainEvery !== undefined && trainDays === undefined) return '--retrain-every requires --train-days.';
  if (retrainEvery === 0) return '--retrain-every must be longer than 0.';
  if (trainDays !== undefined && model !== undefined)
    return '--model and --train-days cannot be combined: only one model can score.';
  if (testFrom !== undefined && testUntil !== undefined && testUntil <= testFrom)
    return '--test-until must be after --test-from.';
  return undefined;
};

const count = (value: number): string => value.toLocaleString('en');
const percent = (share: number | null): string => (share === null ? 'unknown' : `${(100 * share).toFixed(1)} %`);
const number = (value: number | null): string => (value === null ? 'unknown' : value.toFixed(4));

const rate = (value: number | null): string => (value === null ? 'unknown' : value.toFixed(1));

const FIGURE_WIDTH = 34;
const CELL_WIDTH = 12;
const MAX_CURRENCIES = 5;

const FIGURES: readonly (readonly [string, (of: ScoreQuality) => string])[] = [
  ['AUC ROC', (of) => number(of.auc_roc)],
  ['Average precision', (of) => number(of.average_precision)],
  ['Recall at 0.1 % false positives', (of) => percent(of.recall_at_0_1_percent_fp)],
  ['Recall at 1 % false positives', (of) => percent(of.recall_at_1_percent_fp)],
  ['Legitimate held per 10,000', (of) => rate(of.reviewed_per_10k)],
  ['Legitimate blocked per 10,000', (of) => rate(of.blocked_per_10k)],
];

const printMoney = ({ served: { money } }: BacktestResult): void => {
  const largest = money
    .map((of) => ({ ...of, fraud: of.fraud_held + of.fraud_missed }))
    .filter(({ fraud }) => fraud > 0)
    .sort((a, b) => b.fraud - a.fraud)
    .slice(0, MAX_CURRENCIES);
  for (const { currency, fraud_held, fraud_missed } of largest)
    print(`  ${currency} of fraud: ${count(Math.round(fraud_held))} held, ${count(Math.round(fraud_missed))} missed`);
  if (largest.length > 0) print('');
};

const printBudget = ({ budget, thresholds_by_budget: found }: BacktestResult): void => {
  if (found === null) return;
  const { reviewed_per_10k: reviewed, blocked_per_10k: blocked } = budget;
  print(
    `  To hold ${reviewed} and block ${blocked} of 10,000 legitimate: review ${found.review}, block ${found.block}\n`,
  );
};

const printResult = (result: BacktestResult): void => {
  const { rows, frauds, served, model_alone: model, decisions_by_label: decisions } = result;
  print(`Tested ${count(rows)} items, ${count(frauds)} of them fraud.\n`);
  const figure = (name: string, ofServed: string, ofModel: string): void =>
    print(`  ${name.padEnd(FIGURE_WIDTH)}${ofServed.padStart(CELL_WIDTH)}${ofModel.padStart(CELL_WIDTH)}`);
  figure('', 'served', 'model alone');
  for (const [name, write] of FIGURES) figure(name, write(served), write(model));
  const line = (name: string, cells: readonly string[]): void =>
    print(`  ${name.padEnd(CELL_WIDTH)}${cells.map((cell) => cell.padStart(CELL_WIDTH)).join('')}`);
  print('');
  line('', ['allowed', 'in review', 'blocked']);
  for (const label of ['fraud', 'legitimate'] as const) {
    const { allow, review, block } = decisions[label];
    line(label, [allow, review, block].map(count));
  }
  print('');
  printMoney(result);
  printBudget(result);
};

/** Where to look next: the files written, or how to get them. */
const printFiles = ({ report, scores }: BacktestFlags): void => {
  if (scores !== undefined) print(`Scores: ${resolve(scores)}`);
  print(report === undefined ? 'Add --report report.html for charts and tables.' : `Report: ${resolve(report)}`);
};

export const backtestFile = async (config: Config, path: string, flags: BacktestFlags): Promise<void> => {
  const conflict = conflictOf(flags);
  if (conflict !== undefined) return failUsage(conflict);
  try {
    for (const out of [flags.scores, flags.report]) if (out !== undefined) checkOutput(out, path);
    const shipped: Policy =
      flags.trainDays === undefined
        ? { ...DEFAULT_POLICY, model: loadModel(flags.model ?? config.modelFile ?? BASE_MODEL) }
        : DEFAULT_POLICY;
    const { policy, budget } =
      flags.rules === undefined ? { policy: shipped, budget: DEFAULT_BUDGET } : readPolicyFile(flags.rules, shipped);
    const began = performance.now();
    let trainedMs = 0;
    let training: { readonly bar: Progress; readonly began: number } | undefined;
    const reading = makeProgress('replaying', statSync(path, { throwIfNoEntry: false })?.size);
    const onTraining = (share: number): void => {
      training ??= { bar: makeProgress('training', SHARES), began: performance.now() };
      training.bar.at(share * SHARES);
    };
    const onTrained = (): void => {
      training?.bar.end();
      trainedMs += performance.now() - (training?.began ?? performance.now());
      training = undefined;
    };
    const items = readItemBlocks(path, {
      warn: (message) => printError(`Warning: ${message}`),
      knowledge: openKnowledge(config, (message) => printError(`Warning: ${message}`)),
      onRead: reading.at,
    });
    const tested = await backtest(
      items,
      {
        testFrom: flags.testFrom,
        testUntil: flags.testUntil,
        labelDelayMs: flags.labelDelay,
        trainDays: flags.trainDays,
        retrainEveryMs: flags.retrainEvery,
        seed: flags.seed,
        policy,
        budget,
      },
      { scoresPath: flags.scores, onTraining, onTrained },
    );
    reading.end();
    const seconds = (performance.now() - began - trainedMs) / 1000;
    const itemsPerSecond = tested.items / seconds;
    const { result } = tested;
    if (flags.report !== undefined) {
      const about = {
        file: path,
        model: tested.policy.model?.version ?? 'none',
        policy: policy.version,
        test_from: flags.testFrom === undefined ? null : writeTimestamp(flags.testFrom),
        test_until: flags.testUntil === undefined ? null : writeTimestamp(flags.testUntil),
        label_delay: `${flags.labelDelay / DAY_MS} days`,
        train_days: flags.trainDays ?? null,
        made_at: writeTimestamp(Date.now()),
        items_per_second: itemsPerSecond,
      };
      writeOutput(flags.report, writeReport(result, about));
    }
    if (flags.json === true) {
      const model = tested.policy.model?.version ?? null;
      print(JSON.stringify({ ...result, model_version: model, rows_per_second: Math.round(itemsPerSecond) }, null, 2));
    } else {
      printResult(result);
      print(
        `Replayed ${count(tested.items)} items in ${seconds.toFixed(1)} s (${count(Math.round(itemsPerSecond))} per second).`,
      );
      printFiles(flags);
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    failUsage(error.message);
  }
};
