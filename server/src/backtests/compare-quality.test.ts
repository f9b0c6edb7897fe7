import { DEFAULT_POLICY, type Subject, type Verdict } from '@portcullis/engine';
import { expect, test } from 'vitest';
import { makeQuality } from './compare-quality.ts';

const subject = { type: 'event', at: 0 } as Subject;
const verdict = (score: number, probability: number | null = null): Verdict => ({
  score,
  decision: score >= 50 ? 'review' : 'allow',
  baseScore: score,
  signals: [],
  factors: [],
  modelVersion: null,
  probability,
  lists: [],
  rules: [],
  shadow: [],
  isForced: false,
});

test('thresholds within the budget come from the scores after the change, known fraud and forced decisions left out', () => {
  const quality = makeQuality(DEFAULT_POLICY, {
    transaction: null,
    event: { reviewed_per_10k: 200, blocked_per_10k: 10 },
  });
  for (let i = 0; i < 980; i++) quality.add(subject, false, verdict(90), verdict(7));
  for (let i = 0; i < 20; i++) quality.add(subject, false, verdict(90), verdict(30));
  for (let i = 0; i < 300; i++) quality.add(subject, false, verdict(90), { ...verdict(100), isForced: true });
  for (let i = 0; i < 500; i++) quality.add(subject, true, verdict(0), verdict(100));
  const { thresholds_by_budget, model, before, after } = quality.result();
  expect(thresholds_by_budget).toEqual({ transaction: null, event: { review: 8, block: 31 } });
  expect(model).toBeNull();
  expect(before.average_precision).toBeCloseTo(500 / 1800, 12);
  expect(after.average_precision).toBeCloseTo(500 / 800, 12);
});
