import { readTimestamp } from '@portcullis/contract';
import { RETENTION_MS } from '../screening/screen.ts';
import type { Span, SumReader } from '../search/sum-reader.ts';
import { invalidRequest } from '../validation/errors.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const DEFAULT_MS = 30 * DAY_MS;

/** What statistics over sums need. */
export interface SumStatsDeps {
  readonly sums: SumReader;
  readonly clock: () => number;
}

interface AskedRange {
  readonly from?: string | undefined;
  readonly until?: string | undefined;
}

/**
 * The whole hours or days that a query asks for. None began before the retention: an item of theirs may be deleted.
 */
export const rangeOf = (query: AskedRange, stepMs: number, now: number): Span => {
  const end = (Math.floor(now / stepMs) + 1) * stepMs;
  const askedUntil = query.until === undefined ? end : (readTimestamp(query.until) as number);
  const askedFrom = query.from === undefined ? undefined : (readTimestamp(query.from) as number);
  if (askedFrom !== undefined && askedUntil < askedFrom)
    throw invalidRequest([
      query.until === undefined
        ? { field: 'from', message: 'must not be in the future' }
        : { field: 'until', message: 'must not be less than `from`' },
    ]);
  const oldest = Math.ceil((now - RETENTION_MS) / stepMs) * stepMs;
  const until = Math.max(oldest, Math.min(end, Math.ceil(askedUntil / stepMs) * stepMs));
  const from = askedFrom ?? until - DEFAULT_MS;
  return { from: Math.min(until, Math.max(oldest, Math.floor(from / stepMs) * stepMs)), until };
};
