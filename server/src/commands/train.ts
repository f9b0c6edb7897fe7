import { statSync } from 'node:fs';
import { type ModelFile, writeTimestamp } from '@portcullis/contract';
import { makeTrainingTable } from '@portcullis/engine';
import { FileFault, readItems } from '../backtest/items.ts';
import { checkOutput, writeOutput } from '../backtest/output-file.ts';
import { makeWalk } from '../backtest/walk.ts';
import type { Config } from '../config.ts';
import { openKnowledge } from '../knowledge/knowledge.ts';
import { MOST_TRAINING_ROWS, trainInThread } from '../models/train.ts';
import { makeProgress } from '../progress.ts';
import { complain, say } from '../say.ts';

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

const tell = ({ model_version, kind, trained, metrics }: ModelFile, out: string): void => {
  say(`${out}: ${model_version}, ${kind}, from ${trained.rows} items with ${trained.frauds} frauds.`);
  if (kind === 'anomaly') say('  Too few labels to learn from: it tells what is unlike the rest, and has no metrics.');
  for (const [name, value] of Object.entries(metrics)) say(`  ${name.replaceAll('_', ' ')}: ${value}`);
};

/** Learns a model from a history with labels, and writes it to a file that `MODEL_FILE` and `backtest --model` take. */
export const trainFile = async (config: Config, path: string, flags: TrainFlags): Promise<void> => {
  const { until = Number.POSITIVE_INFINITY, labelDelay, trainDays, seed } = flags;
  try {
    checkOutput(flags.out, path);
    const reading = makeProgress('reading', statSync(path, { throwIfNoEntry: false })?.size);
    const items = readItems(path, {
      warn: (message) => complain(`Warning: ${message}`),
      knowledge: openKnowledge(config, (message) => complain(`Warning: ${message}`)),
      onRead: reading.at,
    });
    const walk = makeWalk(labelDelay);
    const table = makeTrainingTable(MOST_TRAINING_ROWS);
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
    if (Number.isNaN(first)) throw new FileFault(`${path} holds no items to learn from`);
    // Said to be trained until a moment, it must not know labels that were given later.
    const end = Number.isFinite(until) ? until - labelDelay : last + 1;
    const from = trainDays === undefined ? first : end - trainDays * DAY_MS;
    const data = table.between(from, end);
    if (data.count === 0)
      throw new FileFault(
        `${path} holds no labelled items from ${writeTimestamp(from)} to ${writeTimestamp(end)}, the time to learn from`,
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
    const { forest: _forest, logistic: _logistic, categories: _categories, calibration: _calibration, ...told } = file;
    if (flags.json === true) say(JSON.stringify(told, null, 2));
    else tell(file, flags.out);
  } catch (error) {
    if (!(error instanceof FileFault)) throw error;
    complain(error.message);
    process.exitCode = 2;
  }
};
