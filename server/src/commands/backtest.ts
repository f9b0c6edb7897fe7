import { statSync } from 'node:fs';
import { writeTimestamp } from '@portcullis/contract';
import { DEFAULT_POLICY, type Policy } from '@portcullis/engine';
import { backtest } from '../backtest/backtest.ts';
import { FileFault, readItems } from '../backtest/items.ts';
import type { BacktestResult } from '../backtest/measures.ts';
import { checkOutput, writeOutput } from '../backtest/output-file.ts';
import { readPolicyFile } from '../backtest/policy-file.ts';
import { writeReport } from '../backtest/report.ts';
import type { Config } from '../config.ts';
import { openKnowledge } from '../knowledge/knowledge.ts';
import { BASE_MODEL, loadModel } from '../models/load.ts';
import { makeProgress, type Progress } from '../progress.ts';
import { complain, say } from '../say.ts';

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

/** What does not fit together; undefined when all does. */
const faultOf = ({ testFrom, testUntil, trainDays, retrainEvery, model }: BacktestFlags): string | undefined => {
  if (trainDays !== undefined && testFrom === undefined)
    return '--train-days needs --test-from: a model is trained on what was known then.';
  if (retrainEvery !== undefined && trainDays === undefined) return '--retrain-every needs --train-days.';
  if (retrainEvery === 0) return '--retrain-every must be longer than that.';
  if (trainDays !== undefined && model !== undefined)
    return '--model and --train-days exclude each other: one model scores.';
  if (testFrom !== undefined && testUntil !== undefined && testUntil <= testFrom)
    return '--test-until must be after --test-from.';
  return undefined;
};

const percent = (share: number | null): string => (share === null ? 'not known' : `${(100 * share).toFixed(1)} %`);
const number = (value: number | null): string => (value === null ? 'not known' : value.toFixed(4));

const tellResult = (result: BacktestResult, itemsPerSecond: number): void => {
  const { fraud, legitimate } = result.decisions_by_label;
  say(`Tested ${result.rows.toLocaleString('en')} items, ${result.frauds.toLocaleString('en')} of them fraud.`);
  say(`  AUC ROC ${number(result.auc_roc)}, average precision ${number(result.average_precision)}`);
  say(
    `  Fraud found when 0.1 % of the legitimate is flagged: ${percent(result.recall_at_0_1_percent_fp)}; 1 %: ${percent(result.recall_at_1_percent_fp)}`,
  );
  say(`  Fraud: ${fraud.allow} allowed, ${fraud.review} held for review, ${fraud.block} blocked`);
  say(`  Legitimate: ${legitimate.allow} allowed, ${legitimate.review} held for review, ${legitimate.block} blocked`);
  say(`  ${Math.round(itemsPerSecond).toLocaleString('en')} items/s`);
};

/** Says what is wrong in a line, without a stack, and ends with that. */
const endWith = (message: string): void => {
  complain(message);
  process.exitCode = 2;
};

export const backtestFile = async (config: Config, path: string, flags: BacktestFlags): Promise<void> => {
  const fault = faultOf(flags);
  if (fault !== undefined) return endWith(fault);
  try {
    for (const out of [flags.scores, flags.report]) if (out !== undefined) checkOutput(out, path);
    const shipped: Policy =
      flags.trainDays === undefined
        ? { ...DEFAULT_POLICY, model: loadModel(flags.model ?? config.modelFile ?? BASE_MODEL) }
        : DEFAULT_POLICY;
    const policy = flags.rules === undefined ? shipped : readPolicyFile(flags.rules, shipped);
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
    const items = readItems(path, {
      warn: (message) => complain(`Warning: ${message}`),
      knowledge: openKnowledge(config, (message) => complain(`Warning: ${message}`)),
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
      say(JSON.stringify({ ...result, model_version: model, rows_per_second: Math.round(itemsPerSecond) }, null, 2));
    } else tellResult(result, itemsPerSecond);
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    endWith(error.message);
  }
};
