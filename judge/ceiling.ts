import { writeTimestamp } from '@portcullis/contract';
import { estimateMean, type Model, makeModel, makeTrainingTable, riskSign, trainModel } from '@portcullis/engine';
import type { KnowledgeSource } from '../server/src/knowledge/knowledge.ts';
import { mayUseFeature } from '../server/src/offline/base-model.ts';
import { makeWalk } from '../server/src/offline/history-walk.ts';
import { makeItemReader } from '../server/src/offline/item-reader.ts';
import { MAX_TRAINING_ROWS } from '../server/src/offline/train-thread-host.ts';
import { judgingWorlds, simulate } from '../server/src/simulate/simulate.ts';
import { type AttackCount, type Ranked, type RankedWorld, rankWorld } from './ceiling-figures.ts';
import { worldsToJudge } from './judging-worlds.ts';
import { openShippedKnowledge } from './knowledge.ts';
import { LABEL_DELAY_MS } from './measure-world.ts';
import { showProgress } from './progress.ts';
import { asFraction, asPercent, type Part, type Table, withInterval } from './report.ts';

export interface CeilingOptions {
  readonly model: Model;
  /** Worlds to train on, and worlds to measure. */
  readonly training: number;
  readonly worlds: number;
  /** Items of each world to measure, and of each to train on. */
  readonly itemsEach: number;
  readonly trainingItemsEach: number;
}

/** Gives other worlds than those that are measured. */
const SEED = 5_550_001;
/** Larger trees than those of the shipped model: these worlds differ less from each other than those of many accounts. */
const GROWTH = { learningRate: 0.16, leaves: 64, maxDepth: 8, lambda: 3 };
/** Frauds weigh more in training, as in that of the shipped model. */
const FRAUD_WEIGHT = 4;

/**
 * Trains a model on the judging family itself: other worlds of the same kinds, with the same attacks and every label. Only the
 * ceiling uses it. No shipped model learns from such worlds.
 */
const trainOnJudgingKinds = ({ training, trainingItemsEach }: CeilingOptions, knowledge: KnowledgeSource): Model => {
  const table = makeTrainingTable(MAX_TRAINING_ROWS);
  const simulating = showProgress('simulating', training);
  judgingWorlds(SEED, training, trainingItemsEach).forEach((options, i) => {
    const read = makeItemReader({ warn: () => undefined, knowledge });
    const walk = makeWalk(LABEL_DELAY_MS);
    let line = 0;
    for (const simulated of simulate(options)) {
      const item = read({ line: ++line, fields: simulated });
      table.add(walk.factsOf(item), item.subject, item.label ?? 0, item.label === 1 ? FRAUD_WEIGHT : 1);
      walk.next(item);
    }
    simulating.at(i + 1);
  });
  simulating.end();
  const fitting = showProgress('training', 1);
  const file = trainModel(table.between(0, Number.POSITIVE_INFINITY), {
    seed: SEED,
    source: `${training} worlds of the judging kinds`,
    from: writeTimestamp(0),
    until: writeTimestamp(0),
    mayUseFeature,
    riskSign,
    growth: GROWTH,
    onProgress: fitting.at,
  });
  fitting.end();
  return makeModel(file);
};

const MODELS = ['shipped', 'ceiling'] as const;
const COLUMNS = MODELS.flatMap((model) => [`AP, ${model}`, `recall at 1 % FP, ${model}`]);
const meansOf = (of: readonly RankedWorld[]) =>
  MODELS.flatMap((_, model) =>
    (['ap', 'recallAt1'] as const).map((key) => estimateMean(of.map(({ ranked }) => (ranked[model] as Ranked)[key]))),
  );

const kindTable = (results: readonly RankedWorld[]): Table => ({
  title: 'Shipped model, and a model trained on other worlds of the judging kinds, every label known after 7 days',
  head: ['kind', 'worlds', ...COLUMNS],
  rows: [
    ...[...new Set(results.map(({ kind }) => kind))].map((kind) => {
      const of = results.filter((world) => world.kind === kind);
      return [kind, String(of.length), ...meansOf(of).map(({ value }) => asFraction(value))];
    }),
    ['all', String(results.length), ...meansOf(results).map((mean) => withInterval(mean, asFraction))],
  ],
});

const attackTable = (results: readonly RankedWorld[]): Table => {
  const total = new Map<string, AttackCount>();
  for (const { attacks } of results)
    for (const [name, { frauds, found }] of attacks) {
      const sum = total.get(name) ?? { frauds: 0, found: MODELS.map(() => 0) };
      total.set(name, {
        frauds: sum.frauds + frauds,
        found: sum.found.map((count, model) => count + (found[model] as number)),
      });
    }
  const all = [...total.values()].reduce((sum, { frauds }) => sum + frauds, 0);
  const missed = ({ frauds, found }: AttackCount): number => frauds - (found[MODELS.indexOf('ceiling')] as number);
  return {
    title: 'Recall at 1 % false positives of each attack, those that the ceiling misses most first',
    head: ['attack', 'share of fraud', 'missed by the ceiling', ...MODELS],
    rows: [...total]
      .sort(([, a], [, b]) => missed(b) - missed(a))
      .map(([name, count]) => [
        name,
        asPercent(count.frauds / all),
        asPercent(missed(count) / all),
        ...count.found.map((found) => asFraction(found / count.frauds)),
      ]),
  };
};

/** What the best model of this kind could reach with today's features, and which attacks remain hidden from it. */
export const judgeCeiling = (options: CeilingOptions): Part => {
  const knowledge = openShippedKnowledge();
  const models = [options.model, trainOnJudgingKinds(options, knowledge)];
  const progress = showProgress('worlds', options.worlds);
  const results = worldsToJudge(options.worlds, options.itemsEach)
    .map((world, i) => {
      const result = rankWorld(world, models, knowledge);
      progress.at(i + 1);
      return result;
    })
    // Without fraud there is nothing to rank.
    .filter(({ attacks }) => attacks.size > 0);
  progress.end();
  return {
    tables: [kindTable(results), attackTable(results)],
    requirements: [],
    figures: { model: options.model.version, worlds: results.map(({ attacks: _, ...world }) => world) },
  };
};
