import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeComparison } from './page-answers.ts';
import { withValues } from './page-json.ts';

/** The printed JSON, updated to the actual response. */
const update = (printed: string, actual: unknown): string => {
  const differences = makeComparison()(JSON.parse(printed), actual);
  return withValues(
    printed,
    actual,
    differences.map(({ path }) => path),
  );
};

const SHOWN = `{
  "id": "dec_01m7fd5wfgew29c9armae6cs6g", "score": 5, "signals": ["a", "b"],
  "factors": [
    {
      "feature": "x", "contribution": 3
    },
    {
      "feature": "y", "contribution": 1
    }
  ],
  "limits": { "review": 50 }, "…": "…"
}`;
const ID = 'dec_01m7fd5wfgew29c9armae6cs6h';
const FACTORS = [
  { feature: 'x', contribution: 3 },
  { feature: 'y', contribution: 1 },
];

describe('a printed response that is updated', () => {
  test('keeps its layout, its ids and its omissions where values changed', () => {
    const actual = { id: ID, score: 12, signals: ['a', 'c'], factors: FACTORS, limits: { review: 60 }, more: 1 };
    const expected = SHOWN.replace('5,', '12,').replace('"b"', '"c"').replace('50', '60');
    expect(update(SHOWN, actual)).toBe(expected);
  });

  test('gets new fields and list items in the layout of the old ones', () => {
    const factors = [
      { signal: 'z', contribution: 9 },
      { feature: 'x', contribution: 3 },
      { feature: 'y', contribution: 1 },
    ];
    const actual = { id: ID, score: 5, signals: [], factors, limits: { review: 50, block: 80 } };
    expect(update(SHOWN, actual)).toBe(`{
  "id": "dec_01m7fd5wfgew29c9armae6cs6g", "score": 5, "signals": [],
  "factors": [
    {
      "signal": "z", "contribution": 9
    },
    {
      "feature": "x", "contribution": 3
    },
    {
      "feature": "y", "contribution": 1
    }
  ],
  "limits": { "review": 50, "block": 80 }, "…": "…"
}`);
  });

  test('does not differ from the actual response, whatever changed', () => {
    const anyJson = fc.object({
      key: fc.constantFrom('a', 'b', 'c'),
      values: [fc.integer(), fc.boolean(), fc.constantFrom(null, '', 'a "quoted" text, {not} [json]: …!')],
      withBoxedValues: false,
    });
    fc.assert(
      fc.property(anyJson, anyJson, fc.constantFrom(0, 2), (printed, actual, indent) => {
        const updated = update(JSON.stringify(printed, null, indent), actual);
        expect(makeComparison()(JSON.parse(updated), actual)).toEqual([]);
      }),
    );
  });
});
