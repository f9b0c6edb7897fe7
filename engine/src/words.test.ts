import { describe, expect, test } from 'vitest';
import { countOf, duration, inTheLast, ordinal, plural, rounded, spanOf, times } from './words.ts';

describe('a number in words', () => {
  test.each([
    [1, '1st'],
    [2, '2nd'],
    [3, '3rd'],
    [4, '4th'],
    [10, '10th'],
    [11, '11th'],
    [12, '12th'],
    [13, '13th'],
    [14, '14th'],
    [21, '21st'],
    [22, '22nd'],
    [23, '23rd'],
    [101, '101st'],
    [111, '111th'],
    [112, '112th'],
    [113, '113th'],
    [1003, '1,003rd'],
  ])('%i is the %s', (count, text) => {
    expect(ordinal(count)).toBe(text);
  });

  test('of one has a noun in the singular, any other in the plural', () => {
    expect([0, 1, 2, 1234].map((count) => plural(count, 'user'))).toEqual([
      '0 users',
      '1 user',
      '2 users',
      '1,234 users',
    ]);
    expect([0, 1, 2].map((count) => countOf(count, 'country', 'countries'))).toEqual([
      'No countries',
      '1 country',
      '2 countries',
    ]);
  });

  test('that is no count has two digits', () => {
    expect([0.125, 1.26, 9.96, 10, 12.4, 1234.5].map(rounded)).toEqual(['0.13', '1.3', '10', '10', '12', '1,235']);
    expect([1.5, 2, 2.04, 3, 12.4].map(times)).toEqual(['1.5 times', 'twice', 'twice', '3 times', '12 times']);
  });

  test.each([
    [0, '1 second'],
    [1999, '1 second'],
    [2000, '2 seconds'],
    [119_999, '119 seconds'],
    [120_000, '2 minutes'],
    [7_199_999, '119 minutes'],
    [7_200_000, '2 hours'],
    [172_799_999, '47 hours'],
    [172_800_000, '2 days'],
  ])('%i ms is %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });

  test.each([
    [0, 'a minute', 'in the last minute'],
    [59_999, 'a minute', 'in the last minute'],
    [60_001, '2 minutes', 'in the last 2 minutes'],
    [10 * 60_000 + 1, '15 minutes', 'in the last 15 minutes'],
    [43 * 60_000, '45 minutes', 'in the last 45 minutes'],
    [56 * 60_000, 'an hour', 'in the last hour'],
    [110 * 60_000, '2 hours', 'in the last 2 hours'],
    [25.2 * 3_600_000, '26 hours', 'in the last 26 hours'],
    [49 * 3_600_000, '3 days', 'in the last 3 days'],
  ])('at most %i ms ago is within %s', (ms, span, text) => {
    expect(spanOf(ms)).toBe(span);
    expect(inTheLast(spanOf(ms))).toBe(text);
  });
});
