import type { ModelFile } from '@portcullis/contract';
import { type Facts, isHistoryUnavailable } from '../history/facts.ts';
import { type ActiveSignals, evaluateSignals, makeActiveSignals } from '../signals/evaluate.ts';
import { categoryOf } from '../subject/categories.ts';
import { ENTITY_KINDS } from '../subject/entity.ts';
import type { Subject } from '../subject/subject.ts';
import { applyCalibration, type Calibration, pointsFor, sigmoid } from './calibration.ts';
import { featureTopic } from './feature-descriptions.ts';
import { type FillFeatures, makeFeatureReader, signalIndexOf } from './features.ts';
import { makeScorer, type Scorer } from './forest-scorer.ts';
import { makeLogisticScorer } from './logistic.ts';
import { shapley } from './shap.ts';
import { treeError } from './tree.ts';

/** A model's score of a subject. The object is reused for the next subject: copy it to keep it. */
export interface ModelScore {
  /** Calibrated probability of fraud. */
  probability: number;
  /** Score points, not rounded. */
  points: number;
  /** Score points of a subject about which nothing is known. */
  basePoints: number;
  /** Points by feature. With `basePoints` they add up to `points`, unless a history could not be read. */
  readonly contributions: Float64Array;
}

/** A subject to be scored, and its score. */
export interface Scored {
  readonly facts: Facts;
  readonly subject: Subject;
  readonly active: ActiveSignals;
  /** Set by `scoreAll`, as in a ModelScore. */
  probability: number;
  points: number;
}

/** A caller that has evaluated the signals passes them; otherwise the model evaluates them. */
export interface Model {
  readonly version: string;
  readonly kind: ModelFile['kind'];
  /** Names of the model's features, in the order of the contributions. */
  readonly features: readonly string[];
  /** By feature: the index in SIGNALS of the signal that it is, or -1. */
  readonly signals: Int32Array;
  /** The features of each topic, without signals. Features of one topic are one reason. */
  readonly topics: readonly Int32Array[];
  readonly explain: (facts: Facts, subject: Subject, active?: ActiveSignals) => ModelScore;
  /** As in a ModelScore. */
  readonly basePoints: number;
  /** Sets the same scores, without contributions. */
  readonly scoreAll: (subjects: readonly Scored[]) => void;
  /** Returns the same score of one subject. */
  readonly score: (facts: Facts, subject: Subject) => Omit<ModelScore, 'contributions'>;
  /**
   * The same score with exact Shapley values, which take a hundred times as long. Undefined for a model without
   * trees.
   */
  readonly explainExactly: ((facts: Facts, subject: Subject, active?: ActiveSignals) => ModelScore) | undefined;
}

/** The reason why a file is not a usable model. */
export class ModelError extends Error {
  override name = 'ModelError';
}

const fail = (message: string): never => {
  throw new ModelError(message);
};

const scorerOf = (file: ModelFile, columns: number): Scorer => {
  if (file.kind === 'logistic') {
    const { logistic } = file;
    if (logistic === undefined) return fail('its kind is logistic, but it has no `logistic` field');
    if (
      logistic.means.length !== columns ||
      logistic.deviations.length !== columns ||
      logistic.weights.length !== 2 * columns
    )
      return fail(`its weights do not match its ${columns} features`);
    if (!logistic.deviations.every((deviation) => deviation > 0)) return fail('one of its deviations is not above 0');
    return makeLogisticScorer(logistic);
  }
  const { forest } = file;
  if (forest === undefined) return fail(`its kind is ${file.kind}, but it has no \`forest\` field`);
  forest.trees.forEach((tree, i) => {
    const error = treeError(tree, columns);
    if (error !== undefined) fail(`tree ${i + 1} ${error}`);
  });
  const furthest = forest.trees.reduce(
    (sum, { value }) => sum + value.reduce((most, at) => Math.max(most, Math.abs(at)), 0),
    Math.abs(forest.base),
  );
  if (!Number.isFinite(furthest)) return fail('the values of its trees add up to infinity');
  return makeScorer(forest);
};

/** By feature: the index of the entity kind whose history it describes, or -1. */
const entityKindsOf = (features: readonly string[]): Int8Array =>
  Int8Array.from(features, (name) =>
    ENTITY_KINDS.findIndex((kind) => name.startsWith(`${kind}.`) || name.startsWith(`amount_over_${kind}.`)),
  );

const isCalibration = ({ said, meant }: ModelFile['calibration']): boolean =>
  said.length > 0 &&
  said.length === meant.length &&
  said.every((at, i) => i === 0 || at > (said[i - 1] as number)) &&
  meant.every((at, i) => i === 0 || at >= (meant[i - 1] as number));

const readerOf = (numbers: readonly string[]): FillFeatures => {
  const read = makeFeatureReader(numbers);
  if (read !== undefined) return read;
  const unknown = numbers.find((name) => makeFeatureReader([name]) === undefined);
  return fail(`it uses the feature \`${unknown}\`, which this version does not have`);
};

interface CategoryTable {
  readonly member: string;
  readonly values: ReadonlyMap<string, number>;
}

/** A loaded model with its reused buffers. */
interface ModelState {
  readonly read: FillFeatures;
  readonly categories: readonly CategoryTable[];
  /** Number of features before the categories. */
  readonly numeric: number;
  readonly entityKinds: Int8Array;
  readonly scorer: Scorer;
  readonly calibration: Calibration;
  /** The features of up to BATCH subjects. */
  readonly values: Float64Array;
  readonly logOdds: Float64Array;
  /** The signals of a subject whose caller did not evaluate them. */
  readonly active: ActiveSignals;
  /** 1 for features whose history could not be read. */
  readonly hidden: Uint8Array;
  readonly score: ModelScore;
}

const fillValues = (
  state: ModelState,
  facts: Facts,
  subject: Subject,
  evaluated: ActiveSignals | undefined,
  from = 0,
): void => {
  const { read, categories, numeric, values } = state;
  if (evaluated === undefined) evaluateSignals(facts, subject, state.active);
  read(facts, subject, evaluated ?? state.active, values, from);
  for (let i = 0; i < categories.length; i++) {
    const { member, values: numbers } = categories[i] as CategoryTable;
    const value = categoryOf(subject, member);
    values[from + numeric + i] = (value === undefined ? undefined : numbers.get(value)) ?? Number.NaN;
  }
};

/**
 * Whether a history could not be read. Marks its features as hidden: as unknown values they would make its entity
 * look new.
 */
const markHidden = ({ entityKinds, hidden }: ModelState, facts: Facts, { hashes }: Subject): boolean => {
  let isAny = false;
  for (let kind = 0; kind < ENTITY_KINDS.length; kind++) isAny ||= isHistoryUnavailable(hashes, kind, facts);
  if (isAny)
    for (let i = 0; i < entityKinds.length; i++) {
      const kind = entityKinds[i] as number;
      hidden[i] = Number(kind >= 0 && isHistoryUnavailable(hashes, kind, facts));
    }
  return isAny;
};

const setScore = ({ calibration, score }: ModelState, logOdds: number, baseline: number): ModelScore => {
  const calibrated = applyCalibration(calibration, logOdds);
  score.probability = sigmoid(calibrated);
  score.points = pointsFor(calibrated);
  score.basePoints = pointsFor(applyCalibration(calibration, baseline));
  return score;
};

/** Sets the score and converts the contributions from log-odds to points. */
const setExplainedScore = (state: ModelState, logOdds: number, baseline: number): ModelScore => {
  const { points, basePoints, contributions } = setScore(state, logOdds, baseline);
  const away = logOdds - baseline;
  const slope = away === 0 ? 0 : (points - basePoints) / away;
  for (let i = 0; i < contributions.length; i++) contributions[i] = (contributions[i] as number) * slope;
  return state.score;
};

const explainPartly = (state: ModelState): ModelScore => {
  const { scorer, values, hidden, score } = state;
  return setExplainedScore(state, scorer.partly(values, hidden, score.contributions), scorer.baseline);
};

/** Subjects whose features are filled in before they are scored together. */
const BATCH = 64;

const scoreAll = (state: ModelState, subjects: readonly Scored[]): void => {
  const { scorer, calibration, values, logOdds, hidden } = state;
  for (let from = 0; from < subjects.length; from += BATCH) {
    const count = Math.min(BATCH, subjects.length - from);
    for (let i = 0; i < count; i++) {
      const { facts, subject, active } = subjects[from + i] as Scored;
      fillValues(state, facts, subject, active, i * hidden.length);
    }
    scorer.logOddsOfRows(values, count, hidden.length, logOdds);
    for (let i = 0; i < count; i++) {
      const scored = subjects[from + i] as Scored;
      const calibrated = applyCalibration(calibration, logOdds[i] as number);
      scored.probability = sigmoid(calibrated);
      scored.points = pointsFor(calibrated);
    }
  }
  // Few subjects, and only while a history cannot be read.
  for (const scored of subjects) {
    const { facts, subject, active } = scored;
    if (!markHidden(state, facts, subject)) continue;
    fillValues(state, facts, subject, active);
    const { probability, points } = explainPartly(state);
    scored.probability = probability;
    scored.points = points;
  }
};

const stateOf = (file: ModelFile): ModelState => {
  const { calibration, categories, features } = file;
  const numeric = features.length - categories.length;
  const read = readerOf(features.slice(0, numeric));
  if (categories.some(({ member }, i) => member !== features[numeric + i]))
    fail('its last features are not the fields of its categories');
  if (!isCalibration(calibration)) fail('its calibration does not rise');
  return {
    read,
    categories: categories.map(({ member, values }) => ({ member, values: new Map(Object.entries(values)) })),
    numeric,
    entityKinds: entityKindsOf(features),
    scorer: scorerOf(file, features.length),
    calibration,
    values: new Float64Array(BATCH * features.length),
    logOdds: new Float64Array(BATCH),
    active: makeActiveSignals(),
    hidden: new Uint8Array(features.length),
    score: { probability: 0, points: 0, basePoints: 0, contributions: new Float64Array(features.length) },
  };
};

const topicsOf = (features: readonly string[]): Int32Array[] => {
  const numbers = [...features.keys()].filter((i) => signalIndexOf(features[i] as string) < 0);
  return [...Map.groupBy(numbers, (i) => featureTopic(features[i] as string)).values()].map((members) =>
    Int32Array.from(members),
  );
};

/** Makes a model from a file whose shape was checked. Throws a ModelError if the content is not usable. */
export const makeModel = (file: ModelFile): Model => {
  const state = stateOf(file);
  const { forest } = file;
  const { scorer, values, score } = state;
  const { basePoints } = setScore(state, scorer.baseline, scorer.baseline);
  return {
    version: file.model_version,
    kind: file.kind,
    features: file.features,
    signals: Int32Array.from(file.features, signalIndexOf),
    topics: topicsOf(file.features),
    explain: (facts, subject, active) => {
      fillValues(state, facts, subject, active);
      if (markHidden(state, facts, subject)) return explainPartly(state);
      return setExplainedScore(state, scorer.explain(values, score.contributions), scorer.baseline);
    },
    basePoints,
    scoreAll: (subjects) => scoreAll(state, subjects),
    score: (facts, subject) => {
      evaluateSignals(facts, subject, state.active);
      const scored: Scored = { facts, subject, active: state.active, probability: 0, points: 0 };
      scoreAll(state, [scored]);
      return { probability: scored.probability, points: scored.points, basePoints };
    },
    explainExactly:
      forest === undefined
        ? undefined
        : (facts, subject, active) => {
            fillValues(state, facts, subject, active);
            if (markHidden(state, facts, subject)) return explainPartly(state);
            const baseline = shapley(forest, values, score.contributions);
            return setExplainedScore(state, scorer.logOdds(values), baseline);
          },
  };
};
