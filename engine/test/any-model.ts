import type { ModelFile } from '@portcullis/contract';
import fc from 'fast-check';
import { FACT_NAMES, makeFacts } from '../src/history/facts.ts';
import { FEATURE_NAMES } from '../src/model/features.ts';
import { type Model, makeModel } from '../src/model/model.ts';
import { makeRandom } from '../src/random.ts';
import { upTo } from './subjects.ts';

/** A logistic regression over every feature, so that more features contribute than a verdict lists. */
export const wideModel = (seed: number): Model => {
  const random = makeRandom(seed);
  const each = (make: () => number): number[] => FEATURE_NAMES.map(make);
  const file: ModelFile = {
    schema: 'portcullis.model',
    schema_version: 1,
    model_version: 'mdl_wide',
    kind: 'logistic',
    trained: { source: 'a test', from: '2026-01-01', until: '2026-01-01', rows: 1, frauds: 1, seed },
    features: [...FEATURE_NAMES],
    categories: [],
    logistic: {
      intercept: -1,
      means: each(() => random() * 5),
      deviations: each(() => 1 + random()),
      weights: [...each(() => random() - 0.5), ...each(() => (random() - 0.5) / 10)],
    },
    calibration: { said: [-3, 3], meant: [-4, 2] },
    metrics: {},
  };
  return makeModel(file);
};

/** Counts, times and amounts. None is so close to 0 that a ratio would overflow. */
const anyNumber = fc.oneof(
  fc.integer({ min: -80, max: 1e5 }).map((eighths) => eighths / 8),
  fc.constantFrom(Number.NaN, 0, 1, 50, 1e12),
);
export const anyFacts = fc
  .tuple(anyNumber, fc.array(fc.tuple(fc.nat(FACT_NAMES.length - 1), anyNumber), upTo(100)))
  .map(([everywhere, places]) => {
    const facts = makeFacts().fill(everywhere);
    for (const [at, value] of places) facts[at] = value;
    return facts;
  });
