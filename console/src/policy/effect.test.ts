import type { ScoreFigures } from '@portcullis/client';
import { expect, test } from 'vitest';
import { effectOf, moveThreshold } from './effect.ts';

const scores: ScoreFigures[] = Array.from({ length: 101 }, (_, score) => ({
  score,
  items: 10,
  amount_usd: 100,
  fraud: score >= 60 ? 2 : 0,
  legitimate: score < 70 ? 1 : 0,
  fraud_usd: 0,
}));

test('a threshold holds the items from its score on', () => {
  expect(effectOf(scores, { review: 50, block: 80 })).toEqual({
    held: 510,
    blocked: 210,
    amountUsd: 5100,
    fraudHeld: 82,
    fraud: 82,
    falsePositives: 20,
    legitimate: 70,
  });
});

test('review stays below block, whichever moves', () => {
  expect(moveThreshold({ review: 50, block: 80 }, 'review', 85)).toEqual({ review: 85, block: 86 });
  expect(moveThreshold({ review: 50, block: 80 }, 'block', 40)).toEqual({ review: 39, block: 40 });
  expect(moveThreshold({ review: 50, block: 80 }, 'review', 0)).toEqual({ review: 1, block: 80 });
  expect(moveThreshold({ review: 50, block: 80 }, 'block', 200)).toEqual({ review: 50, block: 100 });
});
