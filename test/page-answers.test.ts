import { describe, expect, test } from 'vitest';
import { type Difference, makeComparison } from './page-answers.ts';

const differ = (printed: unknown, actual: unknown, counted: string[] = []): Difference[] =>
  makeComparison(counted)(printed, actual);

const ONE = 'case_01m7fd5wfgew29c9armae6cs6g';
const OTHER = 'case_01m7fd5wfgew29c9armae6cs6h';

describe('a response compared with the one on a page', () => {
  test.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: 2 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ a: [] }, { a: {} }],
    [{ a: 'text' }, { a: null }],
    [[1], [1, 2]],
    [{ a: ONE }, { a: 'evt_01m7fd5wfgew29c9armae6cs6g' }],
    [{ a: '2026-11-14T09:30:00.000Z' }, { a: null }],
  ])('differs: %j from %j', (printed, actual) => {
    expect(differ(printed, actual)).toHaveLength(1);
  });

  test('may have other ids and times, but each id is used consistently', () => {
    const at = { at: '2026-11-14T09:30:00.000Z' };
    expect(differ({ a: ONE, b: ONE, ...at }, { a: OTHER, b: OTHER, at: '2027-01-01T00:00:00.000Z' })).toEqual([]);
    expect(differ({ a: ONE, b: ONE }, { a: ONE, b: OTHER })).toHaveLength(1);
  });

  test('may have more only where the page shows an omission', () => {
    expect(differ({ a: 1, '…': '…' }, { a: 1, b: 2 })).toEqual([]);
    expect(differ({ a: 1, '…': '…' }, { b: 2 })).toHaveLength(1);
    expect(differ([{ a: 1 }, '…'], [{ a: 1 }, { a: 2 }])).toEqual([]);
    expect(differ([{ a: 1 }, '…'], [{ a: 2 }])).toHaveLength(1);
    expect(differ({ a: 'mdl_…' }, { a: 'mdl_gfbwnumoqv27rg191xgqh' })).toEqual([]);
    expect(differ({ a: 'mdl_…' }, { a: 'trn_gfbwnumoqv27rg191xgqh' })).toHaveLength(1);
  });

  test('may have other numbers in the given fields, but only numbers', () => {
    expect(differ({ of: { a: 1 } }, { of: { a: 2 } }, ['of'])).toEqual([]);
    expect(differ({ of: { a: 1 } }, { of: { a: '2' } }, ['of'])).toHaveLength(1);
    expect(differ({ of: { a: true } }, { of: { a: false } }, ['of'])).toHaveLength(1);
    expect(differ({ of: { a: 1 } }, { of: {} }, ['of'])).toHaveLength(1);
  });
});
