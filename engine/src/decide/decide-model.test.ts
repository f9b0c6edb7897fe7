import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyFacts, wideModel } from '../../test/any-model.ts';
import { anySubject, pay, START } from '../../test/subjects.ts';
import { factsOf, makeRows, paidFor, planted, train } from '../../test/training.ts';
import { featureTopic } from '../model/feature-descriptions.ts';
import { SIGNAL_FEATURE } from '../model/features.ts';
import { makeModel } from '../model/model.ts';
import { evaluateSignals, makeActiveSignals } from '../signals/evaluate.ts';
import { MODEL_SIGNAL, SIGNALS } from '../signals/signals.ts';
import { decide, decideAll } from './decide.ts';
import { recomputeFactors } from './model-score.ts';
import { DEFAULT_POLICY } from './policy.ts';
import { OTHER_FEATURES } from './verdict.ts';

const TREES = makeModel(train(makeRows(2000, 1, planted)));
const anyModel = fc.constantFrom(TREES, wideModel(1), wideModel(2));
const POINTS = {
  ...DEFAULT_POLICY,
  alwaysReviewed: [],
  points: Object.fromEntries(SIGNALS.map(({ name }, i) => [name, 3 + (i % 20)])),
};
const NO_RULES = { ...DEFAULT_POLICY, points: {}, testAddresses: {} };
const MAX_LISTED = 12;

describe('a decision with a model', () => {
  test('is the same without its explanation, but for the factors and the order of signals', () => {
    fc.assert(
      fc.property(anyModel, anySubject(START), anyFacts, (model, subject, facts) => {
        for (const policy of [
          { ...DEFAULT_POLICY, model },
          { ...POINTS, model },
        ]) {
          const { factors, signals, ...explained } = decide(policy, subject, facts);
          const { factors: few, signals: unordered, ...plain } = decide(policy, subject, facts, [], false);
          expect(plain).toEqual(explained);
          expect(unordered.toSorted()).toEqual(signals.toSorted());
          expect(few.length).toBeLessThanOrEqual(factors.length);
        }
      }),
    );
  });

  test('is the same in a batch of any policies and models as alone', () => {
    const models = [undefined, TREES, wideModel(1)];
    const anyItem = fc
      .tuple(fc.constantFrom(...models), anySubject(START), anyFacts)
      .map(([model, subject, facts]) => ({
        policy: model === undefined ? POINTS : { ...DEFAULT_POLICY, model },
        subject,
        facts,
        lists: [],
      }));
    fc.assert(
      fc.property(fc.array(anyItem, { minLength: 1, maxLength: 90, size: 'max' }), (items) => {
        const alone = items.map(({ policy, subject, facts }) => decide(policy, subject, facts));
        expect(decideAll(items)).toEqual(alone);
      }),
      { numRuns: 60 },
    );
  });

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

  test('starts at the score of the model; points of a policy close a percentage of the gap to 100; known fraud is reviewed', () => {
    fc.assert(
      fc.property(anyModel, anySubject(START), anyFacts, (model, subject, facts) => {
        const { points, basePoints, probability } = { ...model.explain(facts, subject) };
        const alone = decide({ ...NO_RULES, model }, subject, facts);
        expect([alone.score, alone.baseScore]).toEqual([Math.round(points), Math.round(basePoints)]);
        expect(alone.probability).toBe(probability);
        for (const policy of [DEFAULT_POLICY, POINTS]) {
          const ruled = decide({ ...policy, testAddresses: {}, model }, subject, facts);
          const worth = ruled.signals.reduce((sum, name) => sum + (policy.points[name] ?? 0), 0);
          const byPoints = alone.score + Math.round(((100 - alone.score) * Math.min(100, worth)) / 100);
          const isReviewed = ruled.signals.some((name) => policy.alwaysReviewed.includes(name));
          expect(ruled.score).toBe(isReviewed ? Math.max(50, byPoints) : byPoints);
          expect(ruled.factors.every(({ of, contribution }) => of === 'feature' || contribution > 0)).toBe(true);
          expect(ruled.factors.filter(({ of }) => of === 'feature')).toEqual(alone.factors);
        }
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

  test('lists the topics with the largest contributions by their strongest feature, and the others as one', () => {
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
        const active = makeActiveSignals();
        evaluateSignals(facts, pay(0), active);
        const isSignal = (name: string): boolean => name.startsWith(SIGNAL_FEATURE);
        const isActive = (name: string): boolean =>
          active[SIGNALS.findIndex((of) => `signal.${of.name}` === name)] === 1;
        const partOf = (name: string): number => contributions[model.features.indexOf(name)] as number;
        const learned = factors.filter(({ name }) => isSignal(name));
        const expectedSignals = model.features.filter(
          (name) => isSignal(name) && isActive(name) && Math.round(partOf(name)) !== 0,
        );
        expect(learned.map(({ name }) => name).toSorted()).toEqual(expectedSignals.toSorted());
        for (const { name, contribution } of learned) expect(contribution).toBe(Math.round(partOf(name)));
        const topics = Map.groupBy(
          model.features.filter((name) => !isSignal(name)),
          featureTopic,
        );
        const sumOf = (names: readonly string[]): number => names.reduce((sum, name) => sum + partOf(name), 0);
        const listed = factors.filter(({ name }) => name !== OTHER_FEATURES && !isSignal(name));
        expect(listed.length).toBeLessThanOrEqual(MAX_LISTED);
        for (const { name, contribution } of listed) {
          const names = topics.get(featureTopic(name)) as string[];
          expect(contribution).toBe(Math.round(sumOf(names)));
          const strongest = Math.max(...names.map((of) => partOf(of) * Math.sign(contribution)));
          expect(partOf(name) * Math.sign(contribution)).toBe(strongest);
        }
        const sizes = [...topics.values()].map((names) => Math.abs(Math.round(sumOf(names)))).sort((x, y) => y - x);
        const expected = sizes.slice(0, MAX_LISTED).filter((size) => size > 0);
        expect(listed.map(({ contribution }) => Math.abs(contribution)).sort((x, y) => y - x)).toEqual(expected);
        summedUp += factors.filter(({ name }) => name === OTHER_FEATURES).length;
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
});
