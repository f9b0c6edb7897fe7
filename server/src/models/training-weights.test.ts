import { describe, expect, test } from 'vitest';
import type { ItemSummary } from './training-items.ts';
import { makeSurvey } from './training-weights.ts';

const DAY_MS = 86_400_000;
const NOW = 100 * DAY_MS;
const MATURITY_MS = 30 * DAY_MS;
const item = (of: Partial<ItemSummary> = {}): ItemSummary => ({
  at: NOW - 40 * DAY_MS,
  score: 5,
  decision: 'allow',
  probability: 0.01,
  label: undefined,
  isExpired: false,
  ...of,
});
const surveyOf = (items: readonly ItemSummary[]) => {
  const survey = makeSurvey(NOW, MATURITY_MS);
  for (const one of items) survey.add(one);
  return survey;
};

describe('the training label of an item', () => {
  const { outcomeOf } = surveyOf([]);
  test.each<[string, Partial<ItemSummary>, 0 | 1 | undefined]>([
    ['labelled fraud', { label: 'fraud' }, 1],
    ['labelled fraud, newer than the ordinary items', { label: 'fraud', at: NOW - MATURITY_MS + 1 }, undefined],
    ['labelled legitimate, newer than the ordinary items', { label: 'legitimate', at: NOW }, undefined],
    ['labelled fraud whose screening is expired', { label: 'fraud', at: 0, isExpired: true }, 1],
    ['labelled legitimate', { label: 'legitimate', decision: 'review' }, 0],
    ['allowed longer ago than the maturity, without a label', {}, 0],
    ['allowed exactly the maturity ago', { at: NOW - MATURITY_MS }, 0],
    ['allowed more recently', { at: NOW - MATURITY_MS + 1 }, undefined],
    ['held and never reviewed', { decision: 'review', score: 60 }, undefined],
    ['blocked and never reviewed', { decision: 'block', score: 90 }, undefined],
  ])('%s', (_, of, outcome) => {
    expect(outcomeOf(item(of))).toBe(outcome);
  });
});

describe('the weight of an item', () => {
  const held = (score: number, label?: ItemSummary['label']): ItemSummary => item({ score, decision: 'review', label });
  const survey = surveyOf([
    ...Array.from({ length: 4 }, () => held(55, 'fraud')),
    ...Array.from({ length: 8 }, () => held(52)),
    held(71, 'legitimate'),
    ...Array.from({ length: 99 }, () => held(79)),
  ]);
  test.each<[string, ItemSummary, number]>([
    ['four of twelve held items in its band are labelled: it stands for three', held(58, 'fraud'), 3],
    ['one of a hundred is labelled: at most twenty', held(70, 'fraud'), 20],
    ['allowed: one', item({ label: 'fraud' }), 1],
    ['expired: a tenth', item({ label: 'fraud', isExpired: true }), 0.1],
  ])('%s', (_, item, weight) => {
    expect(survey.weightsAround(NOW)(item)).toBe(weight);
  });
});

test('labels in the window do not change weights before it, nor the other way round', () => {
  const held = (at: number, label?: ItemSummary['label']): ItemSummary =>
    item({ at, score: 60, decision: 'review', label });
  const before = [held(1, 'fraud'), held(2), held(3, 'legitimate')];
  const within = [held(10), held(11, 'fraud'), held(12), held(13)];
  const weights = (items: readonly ItemSummary[]): number[] => {
    const weightOf = surveyOf(items).weightsAround(10);
    return [weightOf(held(1, 'fraud')), weightOf(held(11, 'fraud'))];
  };
  expect(weights([...before, ...within])).toEqual([1.5, 4]);
  expect(weights([...before, ...within.map((one) => ({ ...one, label: 'fraud' as const }))])).toEqual([1.5, 1]);
});

describe('the window for measuring', () => {
  const frauds = (count: number) =>
    surveyOf(Array.from({ length: count }, (_, i) => item({ at: i * DAY_MS, label: 'fraud' })));

  test('has the newest quarter of the frauds, at least twenty', () => {
    expect(frauds(100).windowFrom(0)).toBe(75 * DAY_MS);
    expect(frauds(50).windowFrom(0)).toBe(30 * DAY_MS);
    expect(frauds(10).windowFrom(0)).toBe(Number.POSITIVE_INFINITY);
  });

  test('leaves frauds to the training that are older than the window and than the maturity', () => {
    const expired = Array.from({ length: 3 }, () => item({ at: 0, label: 'fraud', isExpired: true }));
    const survey = surveyOf([
      ...expired,
      ...Array.from({ length: 100 }, (_, i) => item({ at: i * DAY_MS, label: 'fraud' })),
    ]);
    expect([survey.fraudsBefore(40 * DAY_MS), survey.fraudsBefore(90 * DAY_MS)]).toEqual([43, 74]);
  });

  test('excludes its ordinary items from the training', () => {
    const survey = surveyOf([
      ...Array.from({ length: 9 }, (_, i) => item({ at: i * DAY_MS })),
      item({ at: 0, label: 'legitimate' }),
      item({ at: 0, decision: 'review' }),
      item({ at: NOW - MATURITY_MS + 1 }),
    ]);
    expect([survey.matureBefore(4 * DAY_MS), survey.matureBefore(Number.POSITIVE_INFINITY)]).toEqual([4, 9]);
  });

  test('has no item the champion was trained on', () => {
    const survey = frauds(100);
    const from = survey.windowFrom(90 * DAY_MS);
    expect([from, survey.countFrom(from).frauds]).toEqual([90 * DAY_MS, 10]);
  });

  test('has only stored items: expired frauds are used for training only', () => {
    const expired = Array.from({ length: 90 }, (_, i) => item({ at: i, label: 'fraud', isExpired: true }));
    const stored = (count: number) =>
      Array.from({ length: count }, (_, i) => item({ at: (i + 1) * DAY_MS, label: 'fraud' }));
    const few = surveyOf([...expired, ...stored(19)]);
    expect([few.frauds(), few.windowFrom(0)]).toEqual([109, Number.POSITIVE_INFINITY]);
    const enough = surveyOf([...expired, ...stored(40)]);
    const from = enough.windowFrom(0);
    expect([enough.frauds(), from, enough.countFrom(from).frauds]).toEqual([130, 21 * DAY_MS, 20]);
  });
});
