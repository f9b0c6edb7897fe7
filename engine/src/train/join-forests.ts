import type { ModelFile } from '@portcullis/contract';
import { makeScorer } from '../model/forest-scorer.ts';
import { makePanelScorer } from '../model/panel.ts';
import { type Forest, renumberFeatures } from '../model/tree.ts';
import { calibrate } from './calibrate-isotonic.ts';
import { columnsOf, scoreRows } from './fine-tune-columns.ts';
import { trim, trimCalibration, withVersion } from './model-file.ts';
import { rankMetrics } from './rank-metrics.ts';
import type { TrainingData } from './table.ts';
import { metricsOf, realWeights } from './train.ts';

export interface JoinOptions {
  /** The largest share of legitimate rows that all forests score, instead of the first alone. */
  readonly share: number;
  /** As in TrainOptions. */
  readonly legitimateWeight: number;
}

/** The lowest log-odds that at most `share` of the legitimate rows reach. */
const reachedBy = (logOdds: Float64Array, { labels, weights }: TrainingData, share: number): number => {
  const legitimate = [...logOdds.keys()].filter((row) => labels[row] === 0);
  legitimate.sort((a, b) => (logOdds[b] as number) - (logOdds[a] as number));
  const all = legitimate.reduce((sum, row) => sum + (weights[row] as number), 0);
  let reached = 0;
  let lowest = Number.POSITIVE_INFINITY;
  for (const row of legitimate) {
    reached += weights[row] as number;
    if (reached > share * all) break;
    lowest = logOdds[row] as number;
  }
  return lowest;
};

/**
 * Joins models of trees, each from rows of its own, into a panel. `data` are rows that none of them has seen: they decide from
 * where on all forests score, and the calibration.
 */
export const joinForests = (files: readonly ModelFile[], data: TrainingData, options: JoinOptions): ModelFile => {
  const [head] = files as [ModelFile];
  if (files.some(({ kind, categories }) => kind !== 'trees' || categories.length > 0))
    throw new Error('only models of boosted trees without categories can be joined');
  const features = [...new Set(files.flatMap((file) => file.features))];
  const columns = columnsOf({ features, categories: [] }, data, []);
  const numbered = files.map(({ forest, features: own }) => {
    const { base, trees } = forest as Forest;
    return { base, trees: trees.map((tree) => renumberFeatures(tree, (i) => features.indexOf(own[i] as string))) };
  });
  const baselineOf = (forest: Forest): number => makeScorer(forest).baseline;
  const baseline = baselineOf(numbered[0] as Forest);
  // Explanations of all forests begin at the same value.
  const [first, ...forests] = numbered.map((forest) => ({
    ...forest,
    base: trim(forest.base + baseline - baselineOf(forest)),
  })) as [Forest, ...Forest[]];
  const alone = scoreRows(makeScorer(first), columns, data, []);
  const others = { after: first.trees.length, from: trim(reachedBy(alone, data, options.share)), forests };
  const logOdds = scoreRows(makePanelScorer(first, others), columns, data, []);
  const calibration = trimCalibration(calibrate(logOdds, data.labels, realWeights(data, options)));
  return withVersion({
    schema: head.schema,
    schema_version: head.schema_version,
    kind: 'trees',
    trained: {
      ...head.trained,
      rows: files.reduce((sum, { trained }) => sum + trained.rows, 0),
      frauds: files.reduce((sum, { trained }) => sum + trained.frauds, 0),
    },
    features,
    categories: [],
    forest: first,
    others,
    calibration,
    metrics: metricsOf(rankMetrics(logOdds, data.labels)),
  });
};
