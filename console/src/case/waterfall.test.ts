import type { Factor } from '@portcullis/client';
import { expect, test } from 'vitest';
import { roundToSum, stepsOf } from './waterfall.ts';

const factor = (theme: Factor['theme'], contribution: number): Factor => ({ theme, contribution, description: 'x' });

test('whole points add up to the score, whatever the fractions are', () => {
  for (const [values, sum] of [
    [[13.6, 23.7, 17.4, 12.9, -5.6], 62],
    [[0.5, 0.5, 0.5, 0.5], 2],
    [[2], 2],
    [[33.4, 33.3, 33.3], 100],
  ] as const)
    expect(roundToSum(values, sum).reduce((a, b) => a + b)).toBe(sum);
});

test('the steps lead from the base to the score, with what lowers it at the end', () => {
  const factors = [
    factor('device', 11.2),
    factor('device', 5.8),
    factor(null, 3),
    factor('pace', 24),
    factor('account', -6),
  ];
  const steps = stepsOf({ factors, base_score: 14, risk_score: 52 });
  expect(steps.map(({ name, points }) => [name, points])).toEqual([
    ['base', 14],
    ['pace', 24],
    ['device', 17],
    ['other', 3],
    ['for', -6],
  ]);
  expect(steps[0]?.from).toBe(0);
  expect(steps.at(-1)?.to).toBe(52);
  for (const [index, { from }] of steps.entries()) if (index > 0) expect(from).toBe(steps[index - 1]?.to);
});
