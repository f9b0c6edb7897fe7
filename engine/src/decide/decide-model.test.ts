import type { ModelFile } from '@portcullis/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anySubject, pay, START, upTo } from '../../test/subjects.ts';
import { factsOf, makeRows, paidFor, planted, train } from '../../test/training.ts';
import { FACT_NAMES, makeFacts } from '../history/facts.ts';
import { FEATURE_NAMES } from '../model/features.ts';
import { ITEM_TYPE_FEATURES } from '../model/features-derived.ts';
import { type Model, makeModel } from '../model/model.ts';
import { makeRandom } from '../random.ts';
import { MODEL_SIGNAL } from '../signals/signals.ts';
import { decide } from './decide.ts';
import { explain } from './explain.ts';
import { recomputeFactors } from './model-score.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { OTHER_FEATURES } from './verdict.ts';

/** A logistic regression over every feature, so that more features contribute than a verdict lists. */
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

/** Counts, times and amounts. None is so close to 0 that a ratio would overflow. */
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
const MAX_LISTED = 8;

describe('a decision with a model', () => {
  test('has a whole score of 0 to 100, to which signals and features, largest first, add up', () => {
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

  test('starts at the score of the model; signals close a percentage of the gap to 100', () => {
    fc.assert(
      fc.property(anyModel, anySubject(START), anyFacts, (model, subject, facts) => {
        const { points, basePoints, probability } = { ...model.explain(facts, subject) };
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

  test('has the signal of the model only if the model alone leads to a review', () => {
    fc.assert(
      fc.property(anyModel, anySubject(START), anyFacts, (model, subject, facts) => {
        const { signals } = decide({ ...DEFAULT_POLICY, model }, subject, facts);
        expect(signals.includes(MODEL_SIGNAL)).toBe(Math.round(model.explain(facts, subject).points) >= 50);
      }),
      { numRuns: 300 },
    );
    const risky = factsOf([5, 10, 9, 5]);
    expect(decide({ ...NO_RULES, model: TREES }, paidFor('gift'), risky).signals).toEqual([MODEL_SIGNAL]);
    expect(decide({ ...NO_RULES, model: TREES }, paidFor('book'), factsOf([5, 1, 1, 1])).signals).toEqual([]);
    expect(decide(NO_RULES, paidFor('gift'), risky)).toMatchObject({ signals: [], modelVersion: null });
  });

  test('lists the features with the largest contributions, and the others as one', () => {
    let summedUp = 0;
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 99 }), anyFacts, (seed, facts) => {
        const model = wideModel(seed);
        const verdict = decide({ ...NO_RULES, model }, pay(0), facts);
        const { factors } = recomputeFactors(verdict, model, pay(0), facts, false) ?? verdict;
        const { contributions, points } = model.explain(facts, pay(0));
        // At a low score the contributions are only computed on request.
        if (points >= 20) expect(verdict.factors).toEqual(factors);
        else expect(verdict.factors.every(({ name }) => name === OTHER_FEATURES)).toBe(true);
        const listed = factors.filter(({ name }) => name !== OTHER_FEATURES);
        expect(listed.length).toBeLessThanOrEqual(MAX_LISTED);
        const sizes = [...contributions].map((added) => Math.abs(Math.round(added))).sort((a, b) => b - a);
        const expected = sizes.slice(0, MAX_LISTED).filter((size) => size > 0);
        expect(listed.map(({ contribution }) => Math.abs(contribution)).sort((a, b) => b - a)).toEqual(expected);
        for (const { name, contribution } of listed)
          expect(contribution).toBe(Math.round(contributions[model.features.indexOf(name)] as number));
        summedUp += factors.length - listed.length;
      }),
      { numRuns: 100 },
    );
    expect(summedUp).toBeGreaterThan(20);
  });

  test('keeps the fixed decision of a test address, for any score of the model', () => {
    for (const [ip_address, decision] of Object.entries(DEFAULT_POLICY.testAddresses)) {
      for (const facts of [factsOf([5, 10, 9, 5]), factsOf([1, 1, 1, 1])]) {
        const verdict = decide({ ...DEFAULT_POLICY, model: TREES }, pay(0, { ip_address }), facts);
        expect(verdict.decision).toBe(decision);
        const sum = verdict.factors.reduce((total, { contribution }) => total + contribution, verdict.baseScore);
        expect(sum).toBe(verdict.score);
      }
    }
  });

  test('has complete descriptions, with facts and without', () => {
    fc.assert(
      fc.property(anyModel, anySubject(START), anyFacts, (model, subject, facts) => {
        const verdict = decide({ ...NO_RULES, model }, subject, facts);
        for (const known of [facts, undefined]) {
          const described = explain(verdict, subject, known);
          const isReason = ({ name }: { readonly name: string }): boolean =>
            !ITEM_TYPE_FEATURES.has(name) && name !== OTHER_FEATURES && name !== 'is_failed';
          const factors = described.map(({ feature = '', contribution }) => ({
            of: 'feature',
            name: feature,
            contribution,
          }));
          expect(factors.filter(isReason)).toEqual(verdict.factors.filter(isReason));
          expect(factors.filter(({ name }) => ITEM_TYPE_FEATURES.has(name))).toEqual([]);
          const sumOf = (of: readonly { contribution: number }[]): number =>
            of.reduce((sum, { contribution }) => sum + contribution, 0);
          expect(sumOf(factors)).toBe(sumOf(verdict.factors));
          expect(factors.map(({ contribution }) => contribution)).toEqual(
            factors.map(({ contribution }) => contribution).toSorted((a, b) => b - a),
          );
          for (const { feature, description } of described) {
            expect(description).not.toMatch(/NaN|undefined|Infinity|\[object|^$/);
            expect(description).not.toBe(feature);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
