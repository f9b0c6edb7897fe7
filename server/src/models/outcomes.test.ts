import { describe, expect, test } from 'vitest';
import { makeSurvey } from './outcomes.ts';
import type { Glance } from './past.ts';

const DAY_MS = 86_400_000;
const NOW = 100 * DAY_MS;
const MATURITY_MS = 30 * DAY_MS;
const glance = (of: Partial<Glance> = {}): Glance => ({
  at: NOW - 40 * DAY_MS,
  score: 5,
  decision: 'allow',
  probability: 0.01,
  label: undefined,
  isOutlived: false,
  ...of,
});
const surveyOf = (seen: readonly Glance[]) => {
  const survey = makeSurvey(NOW, MATURITY_MS);
  for (const one of seen) survey.see(one);
  return survey;
};

describe('what is learned of an item', () => {
  const { outcomeOf } = surveyOf([]);
  test.each<[string, Partial<Glance>, 0 | 1 | undefined]>([
    ['that somebody called fraud, however new', { label: 'fraud', at: NOW }, 1],
    ['that somebody called legitimate', { label: 'legitimate', decision: 'review' }, 0],
    ['that was allowed long enough ago, without a complaint', {}, 0],
    ['that was allowed just as long ago', { at: NOW - MATURITY_MS }, 0],
    ['that was allowed lately', { at: NOW - MATURITY_MS + 1 }, undefined],
    ['that was held and never reviewed', { decision: 'review', score: 60 }, undefined],
    ['that was blocked and never reviewed', { decision: 'block', score: 90 }, undefined],
  ])('%s', (_, of, outcome) => {
    expect(outcomeOf(glance(of))).toBe(outcome);
  });
});

describe('how much an item counts', () => {
  const held = (score: number, label?: Glance['label']): Glance => glance({ score, decision: 'review', label });
  const survey = surveyOf([
    ...Array.from({ length: 4 }, () => held(55, 'fraud')),
    ...Array.from({ length: 8 }, () => held(52)),
    held(71, 'legitimate'),
    ...Array.from({ length: 99 }, () => held(79)),
  ]);
  test.each<[string, Glance, number]>([
    ['one of four labelled of twelve that were held with a score like its own', held(58, 'fraud'), 3],
    ['one labelled of a hundred, but never more than twenty', held(70, 'fraud'), 20],
    ['one that was allowed', glance({ label: 'fraud' }), 1],
    ['one whose screening is gone', glance({ label: 'fraud', isOutlived: true }), 0.1],
  ])('%s', (_, item, weight) => {
    expect(survey.weightsAround(NOW)(item)).toBe(weight);
  });
});

test('what is said of the window does not change what counts before it, nor the other way round', () => {
  const held = (at: number, label?: Glance['label']): Glance => glance({ at, score: 60, decision: 'review', label });
  const before = [held(1, 'fraud'), held(2), held(3, 'legitimate')];
  const within = [held(10), held(11, 'fraud'), held(12), held(13)];
  const weights = (seen: readonly Glance[]): number[] => {
    const weightOf = surveyOf(seen).weightsAround(10);
    return [weightOf(held(1, 'fraud')), weightOf(held(11, 'fraud'))];
  };
  expect(weights([...before, ...within])).toEqual([1.5, 4]);
  expect(weights([...before, ...within.map((one) => ({ ...one, label: 'fraud' as const }))])).toEqual([1.5, 1]);
});

describe('the window on which models are measured', () => {
  const frauds = (count: number) =>
    surveyOf(Array.from({ length: count }, (_, i) => glance({ at: i * DAY_MS, label: 'fraud' })));

  test('holds the newest quarter of the frauds, and twenty at least', () => {
    expect(frauds(100).windowFrom(0)).toBe(75 * DAY_MS);
    expect(frauds(50).windowFrom(0)).toBe(30 * DAY_MS);
    expect(frauds(10).windowFrom(0)).toBe(Number.POSITIVE_INFINITY);
  });

  test('leaves what is ordinary in it out of what there is to learn from', () => {
    const survey = surveyOf([
      ...Array.from({ length: 9 }, (_, i) => glance({ at: i * DAY_MS })),
      glance({ at: 0, label: 'legitimate' }),
      glance({ at: 0, decision: 'review' }),
      glance({ at: NOW - MATURITY_MS + 1 }),
    ]);
    expect([survey.matureBefore(4 * DAY_MS), survey.matureBefore(Number.POSITIVE_INFINITY)]).toEqual([4, 9]);
  });

  test('holds nothing that the champion learned from', () => {
    const survey = frauds(100);
    const from = survey.windowFrom(90 * DAY_MS);
    expect([from, survey.countFrom(from).frauds]).toEqual([90 * DAY_MS, 10]);
  });

  test('is made of what is still stored: frauds whose screenings are gone are learned from alone', () => {
    const gone = Array.from({ length: 90 }, (_, i) => glance({ at: i, label: 'fraud', isOutlived: true }));
    const stored = (count: number) =>
      Array.from({ length: count }, (_, i) => glance({ at: (i + 1) * DAY_MS, label: 'fraud' }));
    const few = surveyOf([...gone, ...stored(19)]);
    expect([few.frauds(), few.windowFrom(0)]).toEqual([109, Number.POSITIVE_INFINITY]);
    const enough = surveyOf([...gone, ...stored(40)]);
    const from = enough.windowFrom(0);
    expect([enough.frauds(), from, enough.countFrom(from).frauds]).toEqual([130, 21 * DAY_MS, 20]);
  });
});
