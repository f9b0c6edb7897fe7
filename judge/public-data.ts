import { basename } from 'node:path';
import { writeTimestamp } from '@portcullis/contract';
import { type Estimate, estimateMean, makeModel, makeTrainingTable, rankMetrics } from '@portcullis/engine';
import type { KnowledgeSource } from '../server/src/knowledge/knowledge.ts';
import { makeWalk } from '../server/src/offline/history-walk.ts';
import { readItems } from '../server/src/offline/read-items.ts';
import { MAX_TRAINING_ROWS, trainInThread } from '../server/src/offline/train-thread-host.ts';
import { openShippedKnowledge } from './knowledge.ts';
import { showProgress } from './progress.ts';
import { asCount, asFraction, atLeast, type Part, type Requirement, withInterval } from './report.ts';
import { makeServe, type Serve } from './served.ts';

const DAY_MS = 86_400_000;
const LABEL_DELAY_MS = 7 * DAY_MS;
/** The last part of the period is tested, with a model trained on everything known by then. */
const TEST_SHARE = 0.25;
const SEED = 1;
/** Average precision that the whole points of the served score may lose. */
const SERVED_LOSS = 0.005;
/** A smaller difference between two versions of a model is chance. */
const CHANCE = 0.002;

interface Ranked {
  readonly auc: number;
  readonly ap: number;
  readonly recallAt01: number;
  readonly recallAt1: number;
  /** Mean AP of the weeks, with its interval. */
  readonly weekly: Estimate;
}
export interface PublicResult {
  readonly file: string;
  readonly items: number;
  readonly tested: number;
  readonly frauds: number;
  readonly model: Ranked;
  readonly served: Ranked;
}

/** A week with fewer frauds says nothing about ranking. */
const MIN_FRAUDS = 10;
const weeklyAp = (scores: readonly number[], labels: readonly number[], weeks: readonly number[]): Estimate => {
  const rows = [...new Set(weeks)].map((week) => [...weeks.keys()].filter((row) => weeks[row] === week));
  const metrics = rows.map((of) =>
    rankMetrics(
      of.map((row) => scores[row] as number),
      of.map((row) => labels[row] as number),
    ),
  );
  return estimateMean(metrics.filter(({ frauds }) => frauds >= MIN_FRAUDS).map((week) => week.averagePrecision));
};
const rankedOf = (scores: readonly number[], labels: readonly number[], weeks: readonly number[]): Ranked => {
  const { auc, averagePrecision, recallAt01, recallAt1 } = rankMetrics(scores, labels);
  return { auc, ap: averagePrecision, recallAt01, recallAt1, weekly: weeklyAp(scores, labels, weeks) };
};

/** The times of the first and last item. */
const periodOf = async (file: string): Promise<{ first: number; last: number; items: number }> => {
  let [first, last, items] = [Number.NaN, Number.NaN, 0];
  for await (const { subject } of readItems(file, { warn: () => undefined })) {
    if (items++ === 0) first = subject.at;
    last = subject.at;
  }
  return { first, last, items };
};

/** Trains with the shipped trainer on the older items, and decides on the newer ones with that model. */
export const measureFile = async (
  file: string,
  knowledge: KnowledgeSource,
  onItem: (done: number, of: number) => void,
): Promise<PublicResult> => {
  const { first, last, items } = await periodOf(file);
  const testFrom = last - (last - first) * TEST_SHARE;
  const trainUntil = testFrom - LABEL_DELAY_MS;
  const walk = makeWalk(LABEL_DELAY_MS);
  const table = makeTrainingTable(MAX_TRAINING_ROWS);
  const [probabilities, scores, labels, weeks]: [number[], number[], number[], number[]] = [[], [], [], []];
  let serve: Serve | undefined;
  for await (const item of readItems(file, { warn: () => undefined, knowledge })) {
    const { subject, label, row } = item;
    const facts = walk.factsOf(item);
    if (label !== undefined && subject.at < trainUntil) table.add(facts, subject, label);
    if (label !== undefined && subject.at >= testFrom) {
      serve ??= makeServe(
        makeModel(
          await trainInThread(table.between(first, trainUntil), {
            seed: SEED,
            source: basename(file),
            from: writeTimestamp(first),
            until: writeTimestamp(trainUntil),
          }),
        ),
      );
      const { probability, score } = serve(item, facts);
      probabilities.push(probability);
      scores.push(score);
      labels.push(label);
      weeks.push(Math.floor((subject.at - testFrom) / (7 * DAY_MS)));
    }
    walk.next(item);
    onItem(row + 1, items);
  }
  return {
    file: basename(file),
    items,
    tested: labels.length,
    frauds: labels.filter((label) => label === 1).length,
    model: rankedOf(probabilities, labels, weeks),
    served: rankedOf(scores, labels, weeks),
  };
};

const cellsOf = ({ auc, ap, recallAt01, recallAt1, weekly }: Ranked): string[] => [
  ...[ap, auc, recallAt01, recallAt1].map(asFraction),
  withInterval(weekly, asFraction),
];

export interface PublicOptions {
  readonly files: readonly string[];
  readonly baseline: readonly PublicResult[] | undefined;
}

/** Public card data in a time split: the trainer, and the served score with a model of the account's own. */
export const judgePublicData = async ({ files, baseline }: PublicOptions): Promise<Part> => {
  const knowledge = openShippedKnowledge();
  const results: PublicResult[] = [];
  for (const file of files) {
    const progress = showProgress(basename(file), 1);
    results.push(await measureFile(file, knowledge, (done, of) => progress.at(done / of)));
    progress.end();
  }
  const requirementsOf = ({ file, model, served }: PublicResult): Requirement[] => {
    const before = baseline?.find((result) => result.file === file);
    return [
      atLeast(
        `${file}: served AP, at most ${SERVED_LOSS} below the model`,
        served.ap,
        model.ap - SERVED_LOSS,
        asFraction,
      ),
      ...(before === undefined
        ? []
        : [
            atLeast(
              `${file}: AP of the model, as before up to ${CHANCE}`,
              model.ap,
              before.model.ap - CHANCE,
              asFraction,
            ),
          ]),
    ];
  };
  return {
    tables: [
      {
        title: 'Public data, last quarter of the period tested, labels known after 7 days',
        head: ['score', 'tested', 'fraud', 'AP', 'AUC', 'recall at 0.1 % FP', 'recall at 1 % FP', 'AP of a week'],
        rows: results.flatMap(({ file, tested, frauds, model, served }) => [
          [`${file}, model`, asCount(tested), asCount(frauds), ...cellsOf(model)],
          [`${file}, served`, asCount(tested), asCount(frauds), ...cellsOf(served)],
        ]),
      },
    ],
    requirements: results.flatMap(requirementsOf),
    figures: { results },
  };
};
