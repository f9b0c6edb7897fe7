import type { CaseFigures, CaseStats } from '@portcullis/contract';
import { MAX_COUNTED_CASES, MAX_STAT_ANALYSTS, writeTimestamp } from '@portcullis/contract/values';
import type { Backend } from '../backend/backend.ts';
import {
  type CaseSpan,
  type DayCount,
  expiredByDay,
  openedByDay,
  type Resolved,
  resolvedCases,
  timeBeyond,
} from './stats-store.ts';

export type { CaseSpan } from './stats-store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** The days of which every case can be counted: fewer than asked for if there are too many cases. */
const countableSpan = async (backend: Backend, tenant: number, span: CaseSpan): Promise<CaseSpan> => {
  const beyond = await Promise.all(
    (['created_at', 'resolved_at'] as const).map((column) =>
      timeBeyond(backend, tenant, column, span, MAX_COUNTED_CASES),
    ),
  );
  const starts = beyond.flatMap((at) => (at === undefined ? [] : [(Math.floor(at / DAY_MS) + 1) * DAY_MS]));
  return { from: Math.min(span.until, Math.max(span.from, ...starts)), until: span.until };
};

const NONE = { approved: 0, rejected: 0, within_target: 0 };
const figuresOf = (
  row: Resolved<unknown> | undefined,
  hasTarget: boolean,
): Pick<CaseFigures, 'approved' | 'rejected' | 'seconds_to_resolve' | 'within_target'> => {
  const { approved, rejected, within_target } = row ?? NONE;
  return {
    approved,
    rejected,
    seconds_to_resolve: row === undefined ? null : { p50: row.p50 / 1000, p90: row.p90 / 1000 },
    within_target: hasTarget ? within_target : null,
  };
};

const sumOf = (rows: readonly DayCount[]): number => rows.reduce((sum, { cases }) => sum + cases, 0);
const byDay = (rows: readonly DayCount[]): ReadonlyMap<number, number> =>
  new Map(rows.map(({ day, cases }) => [day, cases]));

/** How the cases of some whole days were handled. An open case counts as expired from its `expires_at` on. */
export const caseStats = async (
  backend: Backend,
  tenant: number,
  asked: CaseSpan,
  now: number,
  lifetimeMs: number,
  targetMinutes: number | null,
): Promise<CaseStats> => {
  const hasTarget = targetMinutes !== null;
  const targetMs = (targetMinutes ?? 0) * MINUTE_MS;
  const span = await countableSpan(backend, tenant, asked);
  const [opened, expired, [total], days, analysts] = await Promise.all([
    openedByDay(backend, tenant, span),
    expiredByDay(backend, tenant, span, now, lifetimeMs),
    resolvedCases<string>(backend, tenant, 'all', span, targetMs, 1),
    resolvedCases<number>(backend, tenant, 'day', span, targetMs, (span.until - span.from) / DAY_MS),
    resolvedCases<string | null>(backend, tenant, 'analyst', span, targetMs, MAX_STAT_ANALYSTS),
  ]);
  const [openedOn, expiredOn] = [byDay(opened), byDay(expired)];
  const resolvedOn = new Map(days.map((row) => [row.value, row]));
  const [first, end] = [span.from / DAY_MS, span.until / DAY_MS];
  return {
    from: writeTimestamp(span.from),
    until: writeTimestamp(span.until),
    as_of: writeTimestamp(now),
    totals: { opened: sumOf(opened), ...figuresOf(total, hasTarget), expired: sumOf(expired) },
    days: Array.from({ length: end - first }, (_, index) => {
      const day = first + index;
      return {
        at: writeTimestamp(day * DAY_MS),
        opened: openedOn.get(day) ?? 0,
        ...figuresOf(resolvedOn.get(day), hasTarget),
        expired: expiredOn.get(day) ?? 0,
      };
    }),
    analysts: analysts.map((row) => ({ analyst_id: row.value, ...figuresOf(row, hasTarget) })),
  };
};
