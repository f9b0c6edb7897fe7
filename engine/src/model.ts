import type { ModelFile } from '@portcullis/contract';
import { meaningOf, pointsOf, sigmoid } from './calibrate.ts';
import { categoryOf } from './categories.ts';
import { ENTITY_KINDS } from './entity.ts';
import { type Facts, isNotHad } from './facts.ts';
import { makeFeatureReader } from './features.ts';
import { makeLogisticScorer } from './logistic.ts';
import { makeScorer, type Scorer } from './scorer.ts';
import { shapley } from './shap.ts';
import type { Subject } from './subject.ts';
import { treeFault } from './tree.ts';

/** What a model says of a subject. Reused for the next: copy what is to be kept. */
export interface Judgement {
  /** Of fraud, calibrated. */
  probability: number;
  /** Score points, not rounded; and those of a subject of which nothing is known. */
  points: number;
  basePoints: number;
  /** What each feature adds, in points: with `basePoints` they add up to `points`, unless a history could not be had. */
  readonly contributions: Float64Array;
}

export interface Model {
  readonly version: string;
  readonly kind: ModelFile['kind'];
  /** Names of what it looks at, in the order of the contributions. */
  readonly features: readonly string[];
  readonly judge: (facts: Facts, subject: Subject) => Judgement;
  /** The same in half the time, without what each feature adds. */
  readonly rate: (facts: Facts, subject: Subject) => Omit<Judgement, 'contributions'>;
  /** The same with exact Shapley values, which take a hundred times as long: for those who ask. Undefined for a model without trees. */
  readonly judgeExactly: ((facts: Facts, subject: Subject) => Judgement) | undefined;
}

/** What makes a file no model, in words. */
export class ModelFault extends Error {
  override name = 'ModelFault';
}

const fault = (message: string): never => {
  throw new ModelFault(message);
};

const scorerOf = (file: ModelFile, columns: number): Scorer => {
  if (file.kind === 'logistic') {
    const { logistic } = file;
    if (logistic === undefined) return fault('it is said to be a logistic regression but holds none');
    if (
      logistic.means.length !== columns ||
      logistic.deviations.length !== columns ||
      logistic.weights.length !== 2 * columns
    )
      return fault(`its weights are not those of ${columns} features`);
    if (!logistic.deviations.every((deviation) => deviation > 0)) return fault('a deviation of it is not above 0');
    return makeLogisticScorer(logistic);
  }
  const { forest } = file;
  if (forest === undefined) return fault('it is said to be made of trees but holds none');
  forest.trees.forEach((tree, i) => {
    const wrong = treeFault(tree, columns);
    if (wrong !== undefined) fault(`tree ${i + 1} ${wrong}`);
  });
  const furthest = forest.trees.reduce(
    (sum, { value }) => sum + value.reduce((most, at) => Math.max(most, Math.abs(at)), 0),
    Math.abs(forest.base),
  );
  if (!Number.isFinite(furthest)) return fault('its trees add up to more than a number can be');
  return makeScorer(forest);
};

/** For each feature whose history it is about; -1 for those that are about none. */
const kindsOf = (features: readonly string[]): Int8Array =>
  Int8Array.from(features, (name) =>
    ENTITY_KINDS.findIndex((kind) => name.startsWith(`${kind}.`) || name.startsWith(`amount_over_${kind}.`)),
  );

const isCalibration = ({ said, meant }: ModelFile['calibration']): boolean =>
  said.length > 0 &&
  said.length === meant.length &&
  said.every((at, i) => i === 0 || at > (said[i - 1] as number)) &&
  meant.every((at, i) => i === 0 || at >= (meant[i - 1] as number));

/** A model ready to judge. Throws a ModelFault that says what is wrong with the file, whose shape must have been checked. */
export const makeModel = (file: ModelFile): Model => {
  const { calibration, categories, features } = file;
  const numeric = features.length - categories.length;
  const read = makeFeatureReader(features.slice(0, numeric));
  if (read === undefined) {
    const strange = features.slice(0, numeric).find((name) => makeFeatureReader([name]) === undefined);
    return fault(`it looks at \`${strange}\`, a feature this version does not know`);
  }
  if (categories.some(({ member }, i) => member !== features[numeric + i]))
    return fault('its last features are not the members of its categories');
  if (!isCalibration(calibration)) return fault('its calibration does not rise');
  const scorer = scorerOf(file, features.length);
  const tables = categories.map(({ member, values }) => ({ member, values: new Map(Object.entries(values)) }));
  const values = new Float64Array(features.length);
  const contributions = new Float64Array(features.length);
  const kinds = kindsOf(features);
  const hidden = new Uint8Array(features.length);
  const judgement: Judgement = { probability: 0, points: 0, basePoints: 0, contributions };

  const fill = (facts: Facts, subject: Subject): void => {
    read(facts, subject, values);
    for (let i = 0; i < tables.length; i++) {
      const { member, values: numbers } = tables[i] as (typeof tables)[number];
      const value = categoryOf(subject, member);
      values[numeric + i] = (value === undefined ? undefined : numbers.get(value)) ?? Number.NaN;
    }
  };
  /** Whether a history could not be had. What it would tell is then `hidden`: taken for unknown, its entity would be taken for new. */
  const isPartial = (facts: Facts, { hashes }: Subject): boolean => {
    let some = false;
    for (let kind = 0; kind < ENTITY_KINDS.length; kind++) some ||= isNotHad(hashes, kind, facts);
    if (some)
      for (let i = 0; i < kinds.length; i++) {
        const kind = kinds[i] as number;
        hidden[i] = Number(kind >= 0 && isNotHad(hashes, kind, facts));
      }
    return some;
  };
  const rate = (logOdds: number, baseline: number): Judgement => {
    const meaning = meaningOf(calibration, logOdds);
    judgement.probability = sigmoid(meaning);
    judgement.points = pointsOf(meaning);
    judgement.basePoints = pointsOf(meaningOf(calibration, baseline));
    return judgement;
  };
  /** From log-odds, and what each feature adds to them, to points. */
  const tell = (logOdds: number, baseline: number): Judgement => {
    rate(logOdds, baseline);
    const away = logOdds - baseline;
    const slope = away === 0 ? 0 : (judgement.points - judgement.basePoints) / away;
    for (let i = 0; i < contributions.length; i++) contributions[i] = (contributions[i] as number) * slope;
    return judgement;
  };
  const tellPartly = (): Judgement => tell(scorer.partly(values, hidden, contributions), scorer.baseline);
  const { forest } = file;
  return {
    version: file.model_version,
    kind: file.kind,
    features,
    judge: (facts, subject) => {
      fill(facts, subject);
      if (isPartial(facts, subject)) return tellPartly();
      return tell(scorer.explain(values, contributions), scorer.baseline);
    },
    rate: (facts, subject) => {
      fill(facts, subject);
      if (isPartial(facts, subject)) return tellPartly();
      return rate(scorer.logOdds(values), scorer.baseline);
    },
    judgeExactly:
      forest === undefined
        ? undefined
        : (facts, subject) => {
            fill(facts, subject);
            if (isPartial(facts, subject)) return tellPartly();
            const baseline = shapley(forest, values, contributions);
            return tell(scorer.logOdds(values), baseline);
          },
  };
};
