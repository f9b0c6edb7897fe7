import type { BacktestOutcome } from '@portcullis/client';
import { expect, test } from 'vitest';
import { formatCount, formatShare } from '../parts/format.ts';
import { differenceOf, moneyPairs, type Pair, signalPairs } from './difference.ts';

const pair = (a: number | null, b: number | null, format = formatCount): Pair => ({ name: 'figure', a, b, format });
const signal = (name: string, frauds: number, items: number) => ({
  signal: name,
  frauds,
  items,
  precision: frauds / items,
});
const money = (currency: string, fraud_held: number) => ({
  currency,
  fraud_held,
  fraud_missed: 0,
  legitimate_held: 0,
});
const outcome = (signals: readonly ReturnType<typeof signal>[], amounts: readonly ReturnType<typeof money>[]) =>
  ({
    dollars: { hits: 10, fraud_hits: 4, legitimate_hits: 6 },
    quality: { signals, after: { money: amounts } },
  }) as unknown as BacktestOutcome;

test('a difference is B minus A with its sign, and shares differ by percentage points', () => {
  expect(differenceOf(pair(3, 5))).toBe('+2');
  expect(differenceOf(pair(5, 3))).toBe('−2');
  expect(differenceOf(pair(0.5, 0.25, formatShare))).toBe('−25 points');
});

test('a difference that rounds to zero has no sign, and a missing figure has no difference', () => {
  expect(differenceOf(pair(4, 4))).toBe('±0');
  expect(differenceOf(pair(0.5, 0.500001, formatShare))).toBe('±0');
  expect(differenceOf(pair(null, 4))).toBe('–');
  expect(differenceOf(pair(4, null))).toBe('–');
});

test('each side has the counts of its own signals, also where only one has the signal', () => {
  const pairs = signalPairs(
    outcome([signal('new_device', 1, 4)], []),
    outcome([signal('new_device', 3, 5), signal('rule.large', 2, 2)], []),
  );
  expect(pairs.map(({ name, a, b, notes }) => ({ name, a, b, notes }))).toEqual([
    { name: 'New device', a: 0.25, b: 0.6, notes: ['1 of 4', '3 of 5'] },
    { name: 'rule.large', a: null, b: 1, notes: ['', '2 of 2'] },
  ]);
});

test('amounts have every currency that one of the two has', () => {
  const held = moneyPairs(outcome([], [money('EUR', 100)]), outcome([], [money('EUR', 300), money('NOK', 50)])).filter(
    ({ name }) => name.endsWith(', fraud held'),
  );
  expect(held.map(({ name, a, b }) => [name, a, b])).toEqual([
    ['EUR, fraud held', 100, 300],
    ['NOK, fraud held', null, 50],
  ]);
});
