import { writeTimestamp } from '@portcullis/contract';
import {
  decide,
  type Facts,
  type Model,
  makeModel,
  makeTrainingTable,
  type Policy,
  type TrainingTable,
} from '@portcullis/engine';
import { MOST_TRAINING_ROWS, trainInThread } from '../models/train.ts';
import type { Item } from './items.ts';
import { type BacktestResult, makeMeasures } from './measures.ts';
import { openOutput } from './output-file.ts';
import { makeWalk } from './walk.ts';

const DAY_MS = 86_400_000;

export interface BacktestOptions {
  /** What is reported; histories warm up on all before. Undefined: from the first item, to the last. */
  readonly testFrom: number | undefined;
  readonly testUntil: number | undefined;
  /** How long after an item its label becomes known. */
  readonly labelDelayMs: number;
  /** Train first, on so many days of items whose labels are known at `testFrom`; and again every so often. */
  readonly trainDays: number | undefined;
  readonly retrainEveryMs: number | undefined;
  readonly seed: number;
  readonly policy: Policy;
}

export interface BacktestDeps {
  /** Where the scores go, or nowhere. */
  readonly scoresPath: string | undefined;
  readonly onTraining: (share: number) => void;
  readonly onTrained: () => void;
}

const trainOn = async (
  table: TrainingTable,
  until: number,
  { trainDays = 0, labelDelayMs, seed }: BacktestOptions,
  onProgress: (share: number) => void,
): Promise<Model> => {
  const end = until - labelDelayMs;
  const from = end - trainDays * DAY_MS;
  const file = await trainInThread(table.between(from, end), {
    seed,
    source: 'a backtest',
    from: writeTimestamp(from),
    until: writeTimestamp(end),
    onProgress,
  });
  return makeModel(file);
};

/**
 * Replays a history through the very engine that serves, in memory. Nothing looks ahead: a label counts from the moment it was known, for
 * features and for training alike.
 */
export const backtest = async (
  items: AsyncIterable<Item>,
  options: BacktestOptions,
  { scoresPath, onTraining, onTrained }: BacktestDeps,
): Promise<{ result: BacktestResult; items: number; policy: Policy }> => {
  const { testFrom, testUntil = Number.POSITIVE_INFINITY, trainDays, retrainEveryMs, labelDelayMs } = options;
  const walk = makeWalk(labelDelayMs);
  const measures = makeMeasures(options.policy.thresholds);
  const table = trainDays === undefined ? undefined : makeTrainingTable(MOST_TRAINING_ROWS);
  const scores = scoresPath === undefined ? undefined : openOutput(scoresPath);
  scores?.add('row,probability,risk_score,decision\n');
  let { policy } = options;
  let trainAt = testFrom ?? Number.NaN;
  let count = 0;

  /** Older rows are of no use to the next training. */
  const learnFrom = (): number => trainAt - labelDelayMs - (trainDays as number) * DAY_MS;
  const train = async (from: TrainingTable, at: number): Promise<void> => {
    onTraining(0);
    const model = await trainOn(from, trainAt, options, onTraining);
    onTrained();
    policy = { ...policy, model };
    do trainAt += retrainEveryMs ?? Number.POSITIVE_INFINITY;
    while (trainAt <= at);
  };
  const test = ({ row, subject, label, attack }: Item, facts: Facts): void => {
    const { score, decision, signals, probability } = decide(policy, subject, facts);
    const chance = probability ?? score / 100;
    measures.add({
      row,
      at: subject.at,
      dollars: subject.dollars,
      label,
      attack,
      probability: chance,
      score,
      decision,
      signals,
    });
    scores?.add(`${row},${chance},${score},${decision}\n`);
  };

  for await (const item of items) {
    const { subject } = item;
    const { at } = subject;
    if (at >= testUntil) break;
    const facts = walk.factsOf(item);
    if (table !== undefined && item.label !== undefined && at >= learnFrom()) {
      table.add(facts, subject, item.label);
      table.dropBefore(learnFrom());
    }
    if (testFrom === undefined || at >= testFrom) {
      if (table !== undefined && at >= trainAt) await train(table, at);
      test(item, facts);
    }
    walk.next(item);
    count++;
  }
  scores?.end();
  return { result: measures.tell(), items: count, policy };
};
