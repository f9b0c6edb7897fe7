import type { SumReader } from '../search/sum-reader.ts';

export { DAY_MS, HOUR_MS, rangeOf, stepsOf } from '../search/range.ts';

/** What statistics over sums need. */
export interface SumStatsDeps {
  readonly sums: SumReader;
  readonly clock: () => number;
}
