import type { Backend } from '../backend/backend.ts';

/** The SQL that counts cases. */

/** Times from `from` on and before `until`. */
export interface CaseSpan {
  readonly from: number;
  readonly until: number;
}
type Reader = Pick<Backend, 'readLong'>;

const DAY = 86_400_000;

const AFTER_NEWEST = {
  created_at: `SELECT created_at AS at FROM cases WHERE tenant = ? AND created_at >= ? AND created_at < ?
    ORDER BY created_at DESC LIMIT 1 OFFSET ?`,
  resolved_at: `SELECT resolved_at AS at FROM cases WHERE tenant = ? AND resolved_at >= ? AND resolved_at < ?
    ORDER BY resolved_at DESC LIMIT 1 OFFSET ?`,
} as const;

/** The time of the newest case beyond the newest `max`; undefined if there are no more. */
export const timeBeyond = async (
  backend: Reader,
  tenant: number,
  column: keyof typeof AFTER_NEWEST,
  { from, until }: CaseSpan,
  max: number,
): Promise<number | undefined> =>
  (await backend.readLong<{ at: number }>(tenant, AFTER_NEWEST[column], tenant, from, until, max))[0]?.at;

export interface DayCount {
  readonly day: number;
  readonly cases: number;
}

/** Cases opened by day, as the number of days since 1970. */
export const openedByDay = (backend: Reader, tenant: number, { from, until }: CaseSpan): Promise<DayCount[]> =>
  backend.readLong(
    tenant,
    `SELECT created_at / ${DAY} AS day, COUNT(*) AS cases FROM cases
      WHERE tenant = ? AND created_at >= ? AND created_at < ? GROUP BY 1`,
    tenant,
    from,
    until,
  );

/** Cases expired by day. They were opened at most `lifetime` before, which narrows the index. */
export const expiredByDay = (
  backend: Reader,
  tenant: number,
  { from, until }: CaseSpan,
  now: number,
  lifetime: number,
): Promise<DayCount[]> =>
  backend.readLong(
    tenant,
    `SELECT expires_at / ${DAY} AS day, COUNT(*) AS cases FROM cases
      WHERE tenant = ? AND status = 'open' AND created_at >= ? AND created_at < ?
        AND expires_at >= ? AND expires_at < ? AND expires_at <= ? GROUP BY 1`,
    tenant,
    from - lifetime,
    until,
    from,
    until,
    now,
  );

export interface Resolved<Group> {
  readonly value: Group;
  readonly approved: number;
  readonly rejected: number;
  readonly within_target: number;
  /** Milliseconds to the resolution. */
  readonly p50: number;
  readonly p90: number;
}

/** Cases resolved, by the value of an expression. Quantiles are the smallest time that enough cases do not exceed. */
const resolvedBy = (value: string): string => `SELECT value,
    CAST(SUM(CASE WHEN status = 'approved' THEN 1 ELSE 0 END) AS BIGINT) AS approved,
    CAST(SUM(CASE WHEN status = 'rejected' THEN 1 ELSE 0 END) AS BIGINT) AS rejected,
    CAST(SUM(CASE WHEN took <= ? THEN 1 ELSE 0 END) AS BIGINT) AS within_target,
    MIN(CASE WHEN place * 2 >= total THEN took END) AS p50,
    MIN(CASE WHEN place * 10 >= total * 9 THEN took END) AS p90
  FROM (SELECT ${value} AS value, status, resolved_at - created_at AS took,
      ROW_NUMBER() OVER (PARTITION BY ${value} ORDER BY resolved_at - created_at) AS place,
      COUNT(*) OVER (PARTITION BY ${value}) AS total
    FROM cases WHERE tenant = ? AND resolved_at >= ? AND resolved_at < ?) r
  GROUP BY value ORDER BY COUNT(*) DESC, value LIMIT ?`;
const RESOLVED_BY = {
  all: resolvedBy("'all'"),
  day: resolvedBy(`resolved_at / ${DAY}`),
  analyst: resolvedBy('analyst_id'),
} as const;

export const resolvedCases = <Group>(
  backend: Reader,
  tenant: number,
  by: keyof typeof RESOLVED_BY,
  { from, until }: CaseSpan,
  targetMs: number,
  limit: number,
): Promise<Resolved<Group>[]> => backend.readLong(tenant, RESOLVED_BY[by], targetMs, tenant, from, until, limit);
