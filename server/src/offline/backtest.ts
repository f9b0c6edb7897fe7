import { writeTimestamp } from '@portcullis/contract/values';
import {
  type Budget,
  decideAll,
  type Facts,
  type Model,
  makeFacts,
  makeModel,
  makeTrainingTable,
  type Policy,
  type Subject,
  type TrainingTable,
  type Verdict,
} from '@portcullis/engine';
import { makeWalk } from './history-walk.ts';
import { BLOCK_ITEMS, type Item } from './item-reader.ts';
import { type BacktestResult, makeMeasures } from './measures.ts';
import { openOutput } from './output-file.ts';
import { MAX_TRAINING_ROWS, trainInThread } from './train-thread-host.ts';

const DAY_MS = 86_400_000;

export interface BacktestOptions {
  /** Start of the reported period; items before it only build histories. Undefined: the first item. */
  readonly testFrom: number | undefined;
  /** End of the reported period. Undefined: the last item. */
  readonly testUntil: number | undefined;
  /** Time after an item at which its label becomes known. */
  readonly labelDelayMs: number;
  /**
   * Trains a model at `testFrom` on this many days of items whose labels are known by then. Undefined: no training.
   */
  readonly trainDays: number | undefined;
  /** Trains again at this interval. */
  readonly retrainEveryMs: number | undefined;
  readonly seed: number;
  readonly policy: Policy;
  /** The default budget if absent. */
  readonly budget?: Budget;
}

export interface BacktestDeps {
  /** File for the scores of all tested items. */
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
 * Replays a history through the engine of the service, in memory. No decision uses the future: a label counts from
 * the time it became known, both in features and in training.
 */
export const backtest = async (
  blocks: AsyncIterable<readonly Item[]>,
  options: BacktestOptions,
  { scoresPath, onTraining, onTrained }: BacktestDeps,
): Promise<{ result: BacktestResult; items: number; policy: Policy }> => {
  const { testFrom, testUntil = Number.POSITIVE_INFINITY, trainDays, retrainEveryMs, labelDelayMs } = options;
  const walk = makeWalk(labelDelayMs);
  const measures = makeMeasures(options.policy.thresholds, options.budget);
  const table = trainDays === undefined ? undefined : makeTrainingTable(MAX_TRAINING_ROWS);
  const scores = scoresPath === undefined ? undefined : openOutput(scoresPath);
  scores?.add('row,probability,risk_score,decision\n');
  let { policy } = options;
  let trainAt = testFrom ?? Number.NaN;
  let count = 0;

  /** The next training needs no rows from before this time. */
  const trainFrom = (): number => trainAt - labelDelayMs - (trainDays as number) * DAY_MS;
  const train = async (from: TrainingTable, at: number): Promise<void> => {
    onTraining(0);
    const model = await trainOn(from, trainAt, options, onTraining);
    onTrained();
    policy = { ...policy, model };
    do trainAt += retrainEveryMs ?? Number.POSITIVE_INFINITY;
    while (trainAt <= at);
  };
  /** The facts of each item of a block. */
  const factsAt = Array.from({ length: BLOCK_ITEMS }, makeFacts);
  const measure = ({ row, subject, label, attack }: Item, verdict: Verdict): void => {
    const { score, decision, signals, probability } = verdict;
    const fraudProbability = probability ?? score / 100;
    measures.add({
      row,
      at: subject.at,
      dollars: subject.dollars,
      money: subject.type === 'transaction' ? subject.request : undefined,
      label,
      attack,
      probability: fraudProbability,
      score,
      decision,
      signals,
    });
    scores?.add(`${row},${fraudProbability},${score},${decision}\n`);
  };

  /** Measures the items of a block, then decides them: no history depends on a decision. Returns false at `testUntil`. */
  const replay = async (block: readonly Item[]): Promise<boolean> => {
    let measured = 0;
    let tested = 0;
    const testMeasured = (): void => {
      const tests: { item: Item; policy: Policy; subject: Subject; facts: Facts; lists: readonly string[] }[] = [];
      for (; tested < measured; tested++) {
        const item = block[tested] as Item;
        const { subject } = item;
        if (testFrom === undefined || subject.at >= testFrom)
          tests.push({ item, policy, subject, facts: factsAt[tested] as Facts, lists: [] });
      }
      for (const [i, verdict] of decideAll(tests, false).entries()) measure((tests[i] as { item: Item }).item, verdict);
    };
    for (const item of block) {
      const { subject, label } = item;
      const { at } = subject;
      if (at >= testUntil) break;
      const facts = walk.factsOf(item, factsAt[measured]);
      if (table !== undefined && label !== undefined && at >= trainFrom()) {
        table.add(facts, subject, label);
        table.dropBefore(trainFrom());
      }
      if (table !== undefined && at >= trainAt) {
        // These are decided by the model before.
        testMeasured();
        await train(table, at);
      }
      walk.next(item);
      measured++;
    }
    testMeasured();
    count += measured;
    return measured === block.length;
  };

  for await (const block of blocks) if (!(await replay(block))) break;
  scores?.end();
  return { result: measures.result(), items: count, policy };
};
