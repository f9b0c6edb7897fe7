import { type ModelFile, type ModelGate, writeTimestamp } from '@portcullis/contract';
import {
  decide,
  FEWEST_FRAUDS,
  makeModel,
  makeTrainingTable,
  type Policy,
  rankMetrics,
  trainOnTop,
} from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import { rises } from './base.ts';
import { curvesOf, gatesOf, type Measured, rounded } from './gates.ts';
import { findKnownAttacks } from './known-attacks.ts';
import { FEWEST_IN_WINDOW, isHeld, makeSurvey, type Survey } from './outcomes.ts';
import { glances, pastItems, type Snapshot, takeSnapshot } from './past.ts';

export interface LearnOptions {
  readonly account: string;
  /** Of the account's production: nothing of the sandbox is ever learned from. */
  readonly tenant: number;
  readonly base: ModelFile;
  readonly champion: ModelFile;
  /** Nothing from here on was learned by the champion. */
  readonly championUntil: number;
  /** What decides beside the model, as far as it can be handed to another thread. */
  readonly policy: Omit<Policy, 'model' | 'rules' | 'treatments'>;
  readonly maturityMs: number;
  readonly now: number;
}
/** What is told of a model beside what its file holds. */
export interface Told {
  readonly gates: ModelGate[];
  readonly metrics: Record<string, number>;
  readonly curves: ReturnType<typeof curvesOf>;
  readonly window: { readonly from: string; readonly until: string; readonly rows: number; readonly frauds: number };
}
export type Learned =
  | { readonly notEnough: string }
  | { readonly file: ModelFile; readonly learnedUntil: number; readonly told: Told };

/** Beside a service that screens, memory is dearer than on a machine for training alone: a sixth of the rows, some 300 MB. */
const MOST_LEARNING_ROWS = 60_000;
/** One seed for all: the same rows give the same model. */
const SEED = 1;
/** Ordinary items: fewer say nothing of what an ordinary item is. */
const FEWEST_MATURE = 200;

const lackOf = (survey: Survey, from: number, championUntil: number, maturityMs: number): string | undefined => {
  const window = survey.countFrom(from);
  const older = survey.frauds() - window.frauds;
  if (window.frauds < FEWEST_IN_WINDOW || older < FEWEST_FRAUDS)
    return `there are ${survey.frauds()} items labelled as fraud, of which ${survey.countFrom(championUntil).frauds} are stored and newer than what the champion learned from; ${FEWEST_IN_WINDOW} such are needed to measure on, and ${FEWEST_FRAUDS} older ones to learn from`;
  if (window.others < FEWEST_IN_WINDOW)
    return `there are ${window.others} other items since the window began; ${FEWEST_IN_WINDOW} are needed to measure on`;
  const mature = survey.matureBefore(from);
  if (mature < FEWEST_MATURE)
    return `there are ${mature} allowed items without a label that are older than ${maturityMs / 86_400_000} days and than what is measured on; ${FEWEST_MATURE} are needed to tell what is ordinary`;
  return undefined;
};

/** Both models on the same rows of the window, which neither learned from, by the whole of a decision. */
const measure = async (
  backend: Backend,
  snapshot: Snapshot,
  survey: Survey,
  from: number,
  [champion, challenger]: readonly [Policy, Policy],
  onProgress: (share: number) => void,
): Promise<{ measured: Measured; until: number }> => {
  const side = () => ({ probability: [] as number[], held: [] as number[] });
  const measured: Measured = { labels: [], weights: [], champion: side(), challenger: side() };
  const step = survey.thinningFrom(from);
  const weightOf = survey.weightsAround(from);
  let ordinary = 0;
  let until = from;
  for await (const item of pastItems(backend, snapshot, onProgress)) {
    if (item.at < from || item.isOutlived || (item.label === undefined && isHeld(item))) continue;
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

const metricsOf = ({ labels, weights, champion, challenger }: Measured): Record<string, number> => {
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

/** A challenger from what is stored, and how it did against the champion. For a thread of its own. */
export const learn = async (
  backend: Backend,
  options: LearnOptions,
  onProgress: (share: number) => void,
): Promise<Learned> => {
  const { account, tenant, base, champion, policy, maturityMs, now } = options;
  const part = (from: number, to: number) => (share: number) => onProgress(from + (to - from) * share);
  const snapshot = await takeSnapshot(backend, account, tenant, now);
  const survey = makeSurvey(now, maturityMs);
  for await (const glance of glances(backend, snapshot, part(0, 0.1))) survey.see(glance);
  const from = survey.windowFrom(options.championUntil);
  const lack = lackOf(survey, from, options.championUntil, maturityMs);
  if (lack !== undefined) return { notEnough: lack };
  const weightOf = survey.weightsAround(from);

  const table = makeTrainingTable(MOST_LEARNING_ROWS);
  let first: number | undefined;
  for await (const item of pastItems(backend, snapshot, part(0.1, 0.35))) {
    if (item.at >= from) break;
    const outcome = survey.outcomeOf(item);
    if (outcome === undefined) continue;
    first ??= item.at;
    const counts = item.label === undefined ? 1 : weightOf(item);
    table.add(item.facts, item.subject, outcome, counts, item.isOutlived);
  }
  const data = table.between(Number.NEGATIVE_INFINITY, from, base.features);
  const file = trainOnTop(data, base, {
    seed: SEED,
    source: 'what was screened and labelled here',
    from: writeTimestamp(first ?? from),
    until: writeTimestamp(from),
    rises,
    onProgress: part(0.35, 0.75),
  });

  const challenger = makeModel(file);
  const policies = [
    { ...policy, model: makeModel(champion) },
    { ...policy, model: challenger },
  ] as const;
  const { measured, until } = await measure(backend, snapshot, survey, from, policies, part(0.75, 0.9));
  const attacks = findKnownAttacks(makeModel(base), challenger);
  const frauds = measured.labels.filter((label) => label === 1).length;
  return {
    file,
    learnedUntil: from,
    told: {
      gates: gatesOf(measured, survey.reviewed, attacks),
      metrics: metricsOf(measured),
      curves: curvesOf(measured),
      window: { from: writeTimestamp(from), until: writeTimestamp(until), rows: measured.labels.length, frauds },
    },
  };
};
