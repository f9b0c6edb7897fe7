import { statSync } from 'node:fs';
import type { ModelFile } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import { makeTrainingTable } from '@portcullis/engine';
import type { Config } from '../config.ts';
import { openKnowledge } from '../knowledge/knowledge.ts';
import { FileError } from '../offline/file-error.ts';
import { makeWalk } from '../offline/history-walk.ts';
import { checkOutput, writeOutput } from '../offline/output-file.ts';
import { readItems } from '../offline/read-items.ts';
import { MAX_TRAINING_ROWS, trainInThread } from '../offline/train-thread-host.ts';
import { makeProgress } from '../runtime/progress-bar.ts';
import { print, printError } from '../runtime/terminal.ts';
import { failUsage } from './fail.ts';

export interface TrainFlags {
  out: string;
  until?: number;
  labelDelay: number;
  trainDays?: number;
  seed: number;
  json?: boolean;
}

const DAY_MS = 86_400_000;
const SHARES = 100;

const printModel = ({ model_version, kind, trained, metrics }: ModelFile, out: string): void => {
  print(`Wrote ${out}: ${model_version}, ${kind}, trained on ${trained.rows} items with ${trained.frauds} frauds.`);
  if (kind === 'anomaly')
    print('  Too few labels for a supervised model. This model detects anomalies and has no metrics.');
  for (const [name, value] of Object.entries(metrics)) print(`  ${name.replaceAll('_', ' ')}: ${value}`);
};

/** Trains a model from a labelled history and writes it to a file for `MODEL_FILE` or `backtest --model`. */
export const trainFile = async (config: Config, path: string, flags: TrainFlags): Promise<void> => {
  const { until = Number.POSITIVE_INFINITY, labelDelay, trainDays, seed } = flags;
  try {
    checkOutput(flags.out, path);
    const reading = makeProgress('reading', statSync(path, { throwIfNoEntry: false })?.size);
    const items = readItems(path, {
      warn: (message) => printError(`Warning: ${message}`),
      knowledge: openKnowledge(config, (message) => printError(`Warning: ${message}`)),
      onRead: reading.at,
    });
    const walk = makeWalk(labelDelay);
    const table = makeTrainingTable(MAX_TRAINING_ROWS);
    let first = Number.NaN;
    let last = Number.NEGATIVE_INFINITY;
    for await (const item of items) {
      const { at } = item.subject;
      if (at >= until) break;
      if (Number.isNaN(first)) first = at;
      last = at;
      const facts = walk.factsOf(item);
      if (item.label !== undefined) {
        table.add(facts, item.subject, item.label);
        if (trainDays !== undefined) table.dropBefore(at - labelDelay - trainDays * DAY_MS);
      }
      walk.next(item);
    }
    reading.end();
    if (Number.isNaN(first)) throw new FileError(`${path} contains no items to train on`);
    // A model trained until a given time must not use labels that became known later.
    const end = Number.isFinite(until) ? until - labelDelay : last + 1;
    const from = trainDays === undefined ? first : end - trainDays * DAY_MS;
    const data = table.between(from, end);
    if (data.count === 0)
      throw new FileError(
        `${path} contains no labelled items in the training period, from ${writeTimestamp(from)} to ${writeTimestamp(end)}`,
      );
    const bar = makeProgress('training', SHARES);
    const file = await trainInThread(data, {
      seed,
      source: 'a history in a file',
      from: writeTimestamp(from),
      until: writeTimestamp(end),
      onProgress: (share) => bar.at(share * SHARES),
    });
    bar.end();
    writeOutput(flags.out, `${JSON.stringify(file)}\n`);
    const {
      forest: _forest,
      logistic: _logistic,
      categories: _categories,
      calibration: _calibration,
      ...summary
    } = file;
    if (flags.json === true) print(JSON.stringify(summary, null, 2));
    else printModel(file, flags.out);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    failUsage(error.message);
  }
};
