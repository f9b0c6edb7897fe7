import type { ModelFile } from '@portcullis/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anySubject, pay, START, upTo } from '../test/subjects.ts';
import { factsOf, makeRows, paidFor, planted, train } from '../test/training.ts';
import { decide, factorsAnew, OTHER_FEATURES } from './decide.ts';
import { explain } from './explain.ts';
import { FACT_NAMES, makeFacts } from './facts.ts';
import { FEATURE_NAMES } from './features.ts';
import { type Model, makeModel } from './model.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { makeRandom } from './random.ts';
import { MODEL_SIGNAL } from './signals.ts';

/** A line through every feature there is, so that more of them speak than a decision tells of. */
const wideModel = (seed: number): Model => {
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
const TREES = makeModel(train(makeRows(2000, 1, planted)));
const anyModel = fc.constantFrom(TREES, wideModel(1), wideModel(2));

/** Facts are counts, times and amounts: none is so near to nothing that a share of it would be endless. */
const anyNumber = fc.oneof(
  fc.integer({ min: -80, max: 1e5 }).map((eighths) => eighths / 8),
  fc.constantFrom(Number.NaN, 0, 1, 50, 1e12),
);
const anyFacts = fc
  .tuple(anyNumber, fc.array(fc.tuple(fc.nat(FACT_NAMES.length - 1), anyNumber), upTo(100)))
  .map(([everywhere, places]) => {
    const facts = makeFacts().fill(everywhere);
    for (const [at, value] of places) facts[at] = value;
    return facts;
  });
const NO_RULES = { ...DEFAULT_POLICY, points: {}, testAddresses: {} };
const MOST_TOLD = 8;

describe('a decision with a model', () => {
  test('has a whole score of 0 to 100 that signals and features, largest first, add up to', () => {
    fc.assert(
      fc.property(anyModel, anySubject(START), anyFacts, (model, subject, facts) => {
        const verdict = decide({ ...DEFAULT_POLICY, model }, subject, facts);
        const { score, baseScore, factors, decision, signals } = verdict;
        expect(Number.isInteger(score) && score >= 0 && score <= 100).toBe(true);
        const contributions = factors.map(({ contribution }) => contribution);
        expect(contributions.reduce((sum, added) => sum + added, baseScore)).toBe(score);
        expect(contributions).toEqual(contributions.toSorted((a, b) => b - a));
        expect(contributions.every((added) => Number.isInteger(added) && added !== 0)).toBe(true);
        expect(decision).toBe(score >= 80 ? 'block' : score >= 50 ? 'review' : 'allow');
        expect(new Set(signals).size).toBe(signals.length);
        expect(verdict.modelVersion).toBe(model.version);
      }),
      { numRuns: 400 },
    );
  });

  test('stands where the model says before rules, which only raise it, by their part of the rest', () => {
    fc.assert(
      fc.property(anyModel, anySubject(START), anyFacts, (model, subject, facts) => {
        const { points, basePoints, probability } = { ...model.judge(facts, subject) };
        const alone = decide({ ...NO_RULES, model }, subject, facts);
        expect([alone.score, alone.baseScore]).toEqual([Math.round(points), Math.round(basePoints)]);
        expect(alone.probability).toBe(probability);
        const ruled = decide({ ...DEFAULT_POLICY, testAddresses: {}, model }, subject, facts);
        const worth = ruled.signals.reduce((sum, name) => sum + (DEFAULT_POLICY.points[name] ?? 0), 0);
        expect(ruled.score).toBe(alone.score + Math.round(((100 - alone.score) * Math.min(100, worth)) / 100));
        expect(ruled.factors.every(({ of, contribution }) => of === 'feature' || contribution > 0)).toBe(true);
        expect(ruled.factors.filter(({ of }) => of === 'feature')).toEqual(alone.factors);
      }),
      { numRuns: 300 },
    );
  });

  test('is said to be a risk to the model only when the model alone would hold it', () => {
    fc.assert(
      fc.property(anyModel, anySubject(START), anyFacts, (model, subject, facts) => {
        const { signals } = decide({ ...DEFAULT_POLICY, model }, subject, facts);
        expect(signals.includes(MODEL_SIGNAL)).toBe(Math.round(model.judge(facts, subject).points) >= 50);
      }),
      { numRuns: 300 },
    );
    const risky = factsOf([5, 10, 9, 5]);
    expect(decide({ ...NO_RULES, model: TREES }, paidFor('gift'), risky).signals).toEqual([MODEL_SIGNAL]);
    expect(decide({ ...NO_RULES, model: TREES }, paidFor('book'), factsOf([5, 1, 1, 1])).signals).toEqual([]);
    expect(decide(NO_RULES, paidFor('gift'), risky)).toMatchObject({ signals: [], modelVersion: null });
  });

  test('tells the features that matter most, and the others as one', () => {
    let untold = 0;
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 99 }), anyFacts, (seed, facts) => {
        const model = wideModel(seed);
        const verdict = decide({ ...NO_RULES, model }, pay(0), facts);
        const { factors } = factorsAnew(verdict, model, pay(0), facts, false) ?? verdict;
        const { contributions, points } = model.judge(facts, pay(0));
        // Where the model says little it is only told to who asks.
        if (points >= 20) expect(verdict.factors).toEqual(factors);
        else expect(verdict.factors.every(({ name }) => name === OTHER_FEATURES)).toBe(true);
        const told = factors.filter(({ name }) => name !== OTHER_FEATURES);
        expect(told.length).toBeLessThanOrEqual(MOST_TOLD);
        const sizes = [...contributions].map((added) => Math.abs(Math.round(added))).sort((a, b) => b - a);
        const expected = sizes.slice(0, MOST_TOLD).filter((size) => size > 0);
        expect(told.map(({ contribution }) => Math.abs(contribution)).sort((a, b) => b - a)).toEqual(expected);
        for (const { name, contribution } of told)
          expect(contribution).toBe(Math.round(contributions[model.features.indexOf(name)] as number));
        untold += factors.length - told.length;
      }),
      { numRuns: 100 },
    );
    expect(untold).toBeGreaterThan(20);
  });

  test('keeps an address for trying it out to its decision, whatever the model says', () => {
    for (const [ip_address, decision] of Object.entries(DEFAULT_POLICY.testAddresses)) {
      for (const facts of [factsOf([5, 10, 9, 5]), factsOf([1, 1, 1, 1])]) {
        const verdict = decide({ ...DEFAULT_POLICY, model: TREES }, pay(0, { ip_address }), facts);
        expect(verdict.decision).toBe(decision);
        const sum = verdict.factors.reduce((total, { contribution }) => total + contribution, verdict.baseScore);
        expect(sum).toBe(verdict.score);
      }
    }
  });

  test('is told in words without holes, with its facts and without', () => {
    fc.assert(
      fc.property(anyModel, anySubject(START), anyFacts, (model, subject, facts) => {
        const verdict = decide({ ...NO_RULES, model }, subject, facts);
        for (const known of [facts, undefined]) {
          const told = explain(verdict, subject, known);
          expect(told.map(({ feature, contribution }) => ({ of: 'feature', name: feature, contribution }))).toEqual(
            verdict.factors,
          );
          for (const { feature, description } of told) {
            expect(description).not.toMatch(/NaN|undefined|Infinity|\[object|^$/);
            expect(description).not.toBe(feature);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
