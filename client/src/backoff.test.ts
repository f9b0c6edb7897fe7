import { expect, test } from 'vitest';
import { pauseMs, readRetryAfter } from './backoff.ts';

test('delays double up to two seconds, less up to half at random', () => {
  const pauses = (random: number) => [1, 2, 3, 4, 5, 6, 50].map((retry) => pauseMs(retry, 0, random));
  expect(pauses(0)).toEqual([100, 200, 400, 800, 1600, 2000, 2000]);
  expect(pauses(1)).toEqual([50, 100, 200, 400, 800, 1000, 1000]);
});

test('Retry-After is waited for in full, plus a random delay', () => {
  expect(pauseMs(1, 1000, 1)).toBe(1050);
  expect(pauseMs(1, 1000, 0)).toBe(1100);
});

test.each([
  ['1', 1000],
  [' 30 ', 30_000],
  ['0', 0],
  ['Sun, 15 Nov 2026 10:00:05 GMT', 5000],
  ['Sun, 15 Nov 2026 09:00:00 GMT', 0],
  ['soon', 0],
  ['-1', 0],
  [null, 0],
])('Retry-After %j is %i ms', (header, ms) => {
  expect(readRetryAfter(header, Date.parse('2026-11-15T10:00:00Z'))).toBe(ms);
});
