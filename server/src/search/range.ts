import { MAX_DAYS_OF_HOURS, readTimestamp, type StatStep } from '@portcullis/contract';
import { RETENTION_MS } from '../screening/screen.ts';
import { invalidRequest } from '../validation/errors.ts';
import type { Span } from './sum-reader.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
const DEFAULT_MS = 30 * DAY_MS;

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

/** The range of a series, and the length of its steps. A series has a bounded number of points. */
export const stepsOf = (query: AskedRange, step: StatStep, now: number): Span & { readonly stepMs: number } => {
  const stepMs = step === '1h' ? HOUR_MS : DAY_MS;
  const { from, until } = rangeOf(query, stepMs, now);
  if (step === '1h' && until - from > MAX_DAYS_OF_HOURS * DAY_MS + HOUR_MS) {
    const message = `covers at most ${MAX_DAYS_OF_HOURS} days with \`1h\`: choose a shorter range, or \`1d\``;
    throw invalidRequest([{ field: 'step', message }]);
  }
  return { from, until, stepMs };
};
