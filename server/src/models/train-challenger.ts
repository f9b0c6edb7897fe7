import type { ModelFile, ModelGate } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import {
  decide,
  fineTune,
  MIN_FRAUDS,
  type Model,
  makeModel,
  makeTrainingTable,
  type Policy,
  rankMetrics,
  riskSign,
} from '@portcullis/engine';
import { curvesOf, gatesOf, type KnownAttacks, type Measurement, rounded } from './gates.ts';
import type { PastItems } from './training-items.ts';
import { isHeld, MIN_IN_WINDOW, makeSurvey, type Survey } from './training-weights.ts';

export interface ChallengerOptions {
  readonly base: ModelFile;
  readonly champion: ModelFile;
  /** Items from this time on were not used in the training of the champion. */
  readonly championUntil: number;
  /** The policy in force, as far as it can be passed to a thread. */
  readonly policy: Omit<Policy, 'model' | 'rules' | 'treatments'>;
  readonly maturityMs: number;
  readonly now: number;
}
/** How a model was measured. The API returns it together with data of the model file. */
export interface ModelReport {
  readonly gates: ModelGate[];
  readonly metrics: Record<string, number>;
  readonly curves: ReturnType<typeof curvesOf>;
  readonly window: { readonly from: string; readonly until: string; readonly rows: number; readonly frauds: number };
}
export type TrainingResult =
  | { readonly notEnough: string }
  | { readonly file: ModelFile; readonly learnedUntil: number; readonly report: ModelReport };

/** Measures both models on simulated attacks. Injected by the thread, so that only the thread loads the simulator. */
export type MeasureKnownAttacks = (base: Model, challenger: Model) => KnownAttacks;

/** About 300 MB, a sixth of the limit of the command line: the service needs its memory for screening. */
const MAX_TRAINING_ROWS = 60_000;
/** Fixed, so that the same rows give the same model. */
const SEED = 1;
const DAY_MS = 86_400_000;
/** Fewer ordinary items than this are not representative. */
const MIN_MATURE = 200;

/** Describes which items are missing for a training; undefined when there are enough. */
const lackOf = (survey: Survey, from: number, championUntil: number, maturityMs: number): string | undefined => {
  const window = survey.countFrom(from);
  const older = survey.fraudsBefore(from);
  const days = maturityMs / DAY_MS;
  if (window.frauds < MIN_IN_WINDOW || older < MIN_FRAUDS)
    return `there are ${survey.frauds()} items labelled as fraud, of which ${survey.countFrom(championUntil).frauds} are stored and newer than the training data of the champion; ${MIN_IN_WINDOW} of those are needed for measuring, and ${MIN_FRAUDS} for training that are older than these and than ${days} days`;
  if (window.others < MIN_IN_WINDOW)
    return `there are ${window.others} other items since the window began; ${MIN_IN_WINDOW} are needed for measuring`;
  const mature = survey.matureBefore(from);
  if (mature < MIN_MATURE)
    return `there are ${mature} allowed items without a label that are older than ${days} days and than the items for measuring; ${MIN_MATURE} are needed as examples of ordinary items`;
  return undefined;
};

/** Decides the items of the window with both models. Neither was trained on them. */
const measure = async (
  past: PastItems,
  survey: Survey,
  from: number,
  [champion, challenger]: readonly [Policy, Policy],
  onProgress: (share: number) => void,
): Promise<{ measured: Measurement; until: number }> => {
  const side = () => ({ probability: [] as number[], held: [] as number[] });
  const measured: Measurement = { labels: [], weights: [], champion: side(), challenger: side() };
  const step = survey.thinningFrom(from);
  const weightOf = survey.weightsAround(from);
  let ordinary = 0;
  let until = from;
  for await (const item of past.items(onProgress)) {
    if (item.at < from || item.isExpired || (item.label === undefined && isHeld(item))) continue;
    if (item.label === undefined && ordinary++ % step !== 0) continue;
    until = item.at;
    measured.labels.push(item.label === 'fraud' ? 1 : 0);
    measured.weights.push(item.label === undefined ? step : weightOf(item));
    for (const [policy, to] of [
      [champion, measured.champion],
      [challenger, measured.challenger],
    ] as const) {
      const verdict = decide(policy, item.subject, item.facts);
      to.probability.push(verdict.probability as number);
      to.held.push(isHeld(verdict) ? 1 : 0);
    }
  }
  return { measured, until };
};

const metricsOf = ({ labels, weights, champion, challenger }: Measurement): Record<string, number> => {
  const [before, after] = [champion, challenger].map(({ probability }) =>
    rankMetrics(probability, labels, weights),
  ) as [ReturnType<typeof rankMetrics>, ReturnType<typeof rankMetrics>];
  return {
    auc_roc: rounded(after.auc),
    average_precision: rounded(after.averagePrecision),
    recall_at_0_1_percent_fp: rounded(after.recallAt01),
    recall_at_1_percent_fp: rounded(after.recallAt1),
    champion_auc_roc: rounded(before.auc),
    champion_average_precision: rounded(before.averagePrecision),
    champion_recall_at_1_percent_fp: rounded(before.recallAt1),
  };
};

/** Trains a challenger on past items and measures it against the champion. Runs in a thread. */
export const trainChallenger = async (
  past: PastItems,
  options: ChallengerOptions,
  measureKnownAttacks: MeasureKnownAttacks,
  onProgress: (share: number) => void,
): Promise<TrainingResult> => {
  const { base, champion, policy, maturityMs, now } = options;
  const part = (from: number, to: number) => (share: number) => onProgress(from + (to - from) * share);
  const survey = makeSurvey(now, maturityMs);
  for await (const item of past.summaries(part(0, 0.1))) survey.add(item);
  const from = survey.windowFrom(options.championUntil);
  const lack = lackOf(survey, from, options.championUntil, maturityMs);
  if (lack !== undefined) return { notEnough: lack };
  const weightOf = survey.weightsAround(from);

  const table = makeTrainingTable(MAX_TRAINING_ROWS);
  let first: number | undefined;
  for await (const item of past.items(part(0.1, 0.35))) {
    if (item.at >= from) break;
    const outcome = survey.outcomeOf(item);
    if (outcome === undefined) continue;
    first ??= item.at;
    const weight = item.label === undefined ? 1 : weightOf(item);
    table.add(item.facts, item.subject, outcome, weight, item.isExpired);
  }
  const data = table.between(Number.NEGATIVE_INFINITY, from, base.features);
  const file = fineTune(data, base, {
    seed: SEED,
    source: 'screenings and labels of the account',
    from: writeTimestamp(first ?? from),
    until: writeTimestamp(from),
    riskSign,
    onProgress: part(0.35, 0.75),
  });

  const challenger = makeModel(file);
  const policies = [
    { ...policy, model: makeModel(champion) },
    { ...policy, model: challenger },
  ] as const;
  const { measured, until } = await measure(past, survey, from, policies, part(0.75, 0.9));
  const attacks = measureKnownAttacks(makeModel(base), challenger);
  const frauds = measured.labels.filter((label) => label === 1).length;
  return {
    file,
    learnedUntil: from,
    report: {
      gates: gatesOf(measured, survey.reviewed, attacks),
      metrics: metricsOf(measured),
      curves: curvesOf(measured),
      window: { from: writeTimestamp(from), until: writeTimestamp(until), rows: measured.labels.length, frauds },
    },
  };
};
