import { expect, test } from 'vitest';
import { asPercent, atLeast, atMost, formatPart, formatRequirement } from './report.ts';

test('a requirement line says whether the limit is kept, and by how much it is missed', () => {
  expect(formatRequirement(atLeast('flagged', 0.72, 0.7, asPercent))).toBe(
    'reached  flagged: 72.0 % (at least 70.0 %)',
  );
  expect(formatRequirement(atLeast('flagged', 0.44, 0.7, asPercent))).toBe(
    'MISSED   flagged: 44.0 % (at least 70.0 %, missed by 26.0 %)',
  );
  expect(formatRequirement(atMost('blocked', 0.012, 0.01, asPercent))).toBe(
    'MISSED   blocked: 1.2 % (at most 1.0 %, missed by 0.2 %)',
  );
  expect(atMost('unknown', Number.NaN, 1, asPercent).isReached).toBe(false);
});

test('every table and every requirement is printed', () => {
  const table = {
    title: 'T',
    head: ['name', 'n'],
    rows: [
      ['first', '1'],
      ['x', '20'],
    ],
  };
  const part = { tables: [table], requirements: [atMost('n', 1, 2, String)], figures: {} };
  expect(formatPart(part)).toBe('T\nname    n\n-----  --\nfirst   1\nx      20\n\nreached  n: 1 (at most 2)');
});
