import type { CaseOrder, CaseStatus, Environment, EventType, LabelReason, SubjectType } from '@portcullis/contract';
import { TENANT_ENVIRONMENTS } from '../access/access.ts';
import { type Backend, NO_TENANT, type Statement } from '../backend/backend.ts';
import type { ReviewRow } from '../reviews/reviews.ts';
import { type CaseFilter, filtered, ORDERS } from './filter-store.ts';

export type { CaseFilter } from './filter-store.ts';

/** The columns that a case is opened with. */
export interface OpenedCaseRow {
  readonly id: string;
  readonly subject_type: SubjectType;
  readonly user_id: string;
  /** As stored. An expired case stays `open` here. */
  readonly status: 'open' | 'approved' | 'rejected';
  readonly risk_score: number;
  readonly signals: string;
  /** Null in cases that an earlier version opened. */
  readonly summary: string | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly resolved_at: number | null;
  readonly reason: LabelReason | null;
  readonly analyst_id: string | null;
  readonly notes: string | null;
  /** Null for an event. */
  readonly amount: number | null;
  readonly currency: string | null;
  /** Null for an event, and for a currency without a rate. */
  readonly usd: number | null;
  /** The country of the address; null if unknown. */
  readonly country: string | null;
  /** Null for a transaction. */
  readonly event_type: EventType | null;
}

export interface CaseRow extends OpenedCaseRow {
  /** Who works on the case. */
  readonly assignee: string | null;
  readonly assigned_at: number | null;
  /** The index in `PRIORITIES`: a higher number is more urgent. */
  readonly priority: number;
  /** A JSON list, in order. */
  readonly tags: string;
  /** The id of the first case of its attack. Null in cases of earlier versions. */
  readonly attack: string | null;
  /** The case is given to nobody before this time. */
  readonly snoozed_until: number | null;
  readonly notes_count: number;
}

const OPENED =
  'id, subject_type, user_id, status, risk_score, signals, summary, created_at, expires_at, resolved_at, reason, analyst_id, notes, amount, currency, usd, country, event_type';
const COLUMNS = `${OPENED}, assignee, assigned_at, priority, tags, attack, snoozed_until, notes_count`;

/** A new case is assigned to nobody: the other columns have their defaults. */
export const insertCaseRow = (tenant: number, row: OpenedCaseRow): Statement => ({
  sql: `INSERT INTO cases (tenant, ${OPENED}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  params: [
    tenant,
    row.id,
    row.subject_type,
    row.user_id,
    row.status,
    row.risk_score,
    row.signals,
    row.summary,
    row.created_at,
    row.expires_at,
    row.resolved_at,
    row.reason,
    row.analyst_id,
    row.notes,
    row.amount,
    row.currency,
    row.usd,
    row.country,
    row.event_type,
  ],
});

export const findCase = async (backend: Backend, tenant: number, id: string): Promise<CaseRow | undefined> =>
  (await backend.read<CaseRow>(`SELECT ${COLUMNS} FROM cases WHERE id = ? AND tenant = ?`, id, tenant))[0];

export const listCaseRows = async (
  backend: Backend,
  tenant: number,
  filter: CaseFilter,
  now: number,
  sort: CaseOrder,
  limit: number,
  offset: number,
): Promise<{ rows: CaseRow[]; total: number }> => {
  const { text: where, params } = filtered(tenant, filter, now);
  // The inner query skips using only an index; without it, the rows of all earlier pages would be read.
  const rows = await backend.readLong<CaseRow>(
    tenant,
    `SELECT ${COLUMNS} FROM cases WHERE id IN
      (SELECT id FROM cases WHERE ${where} ORDER BY ${ORDERS[sort]} LIMIT ? OFFSET ?)
      ORDER BY ${ORDERS[sort]}`,
    ...params,
    limit,
    offset,
  );
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
  if (isLast) return { rows, total: offset + rows.length };
  const [count] = await backend.readLong<{ total: number }>(
    tenant,
    `SELECT COUNT(*) AS total FROM cases WHERE ${where}`,
    ...params,
  );
  return { rows, total: count?.total ?? 0 };
};

/** The first case of the list. */
export const firstCaseRow = async (
  backend: Backend,
  tenant: number,
  filter: CaseFilter,
  now: number,
  sort: CaseOrder,
): Promise<CaseRow | undefined> => {
  const { text: where, params } = filtered(tenant, filter, now);
  const sql = `SELECT ${COLUMNS} FROM cases WHERE ${where} ORDER BY ${ORDERS[sort]} LIMIT 1`;
  return (await backend.readLong<CaseRow>(tenant, sql, ...params))[0];
};

/** Refused if the case is no longer open, or was assigned to another person since `row` was read. */
export const assignCaseRow = (tenant: number, row: CaseRow, assignee: string | null, now: number): Statement => ({
  sql: `UPDATE cases SET assignee = ?, assigned_at = ?
    WHERE id = ? AND tenant = ? AND status = 'open' AND expires_at > ? AND COALESCE(assignee, '') = ?`,
  params: [assignee, assignee === null ? null : now, row.id, tenant, now, row.assignee ?? ''],
  expect: 1,
});

/** Refused if the case is no longer open. */
export const snoozeCaseRow = (tenant: number, id: string, until: number | null, now: number): Statement => ({
  sql: "UPDATE cases SET snoozed_until = ? WHERE id = ? AND tenant = ? AND status = 'open' AND expires_at > ?",
  params: [until, id, tenant, now],
  expect: 1,
});

/** The caller has read the row under the lock of the item. */
export const markCaseRow = (tenant: number, { id, priority, tags }: CaseRow): Statement => ({
  sql: 'UPDATE cases SET priority = ?, tags = ? WHERE id = ? AND tenant = ?',
  params: [priority, tags, id, tenant],
  expect: 1,
});

/**
 * The caller has checked, under the lock of the item, that the case is open. Of two concurrent callers the second finds
 * it resolved.
 */
export const resolveCaseRow = (
  tenant: number,
  id: string,
  status: 'approved' | 'rejected',
  { reason, analyst_id, notes, reviewed_at: now }: ReviewRow,
): Statement => ({
  sql: `UPDATE cases SET status = ?, reason = ?, analyst_id = ?, notes = ?, resolved_at = ?, snoozed_until = NULL
    WHERE id = ? AND tenant = ? AND status = 'open' AND expires_at > ?`,
  params: [status, reason, analyst_id, notes, now, id, tenant, now],
  must: 1,
});

/** The caller has checked, under the lock of the item, that the case can be reopened. */
export const reopenCaseRow = (tenant: number, id: string): Statement => ({
  sql: `UPDATE cases SET status = 'open', reason = NULL, analyst_id = NULL, notes = NULL, resolved_at = NULL
    WHERE id = ? AND tenant = ? AND status <> 'open'`,
  params: [id, tenant],
  expect: 1,
});

/** Expired cases whose `case.expired` was not sent yet. */
export const casesToExpire = (
  backend: Backend,
  now: number,
  limit: number,
): Promise<(CaseRow & { tenant: number; environment: Environment })[]> =>
  backend.readLong(
    NO_TENANT,
    `SELECT t.tenant, t.environment, ${COLUMNS} FROM cases JOIN (${TENANT_ENVIRONMENTS}) t ON t.tenant = cases.tenant
      WHERE status = 'open' AND expiry_told = 0 AND expires_at <= ? ORDER BY expires_at LIMIT ?`,
    now,
    limit,
  );

/** Marks that `case.expired` was sent. Refused the second time, so that it is sent once. */
export const markExpirySent = (tenant: number, id: string): Statement => ({
  sql: "UPDATE cases SET expiry_told = 1 WHERE id = ? AND tenant = ? AND status = 'open' AND expiry_told = 0",
  params: [id, tenant],
  expect: 1,
});

export const countCases = async (
  backend: Backend,
  tenant: number,
  userId: string,
  now: number,
): Promise<Record<CaseStatus, number>> => {
  const rows = await backend.readLong<{ status: CaseStatus; count: number }>(
    tenant,
    `SELECT CASE WHEN status = 'open' AND expires_at <= ? THEN 'expired' ELSE status END AS status, COUNT(*) AS count
      FROM cases WHERE tenant = ? AND user_id = ? GROUP BY 1`,
    now,
    tenant,
    userId,
  );
  const counts = { open: 0, approved: 0, rejected: 0, expired: 0 };
  for (const { status, count } of rows) counts[status] = count;
  return counts;
};
