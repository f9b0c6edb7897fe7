import type { CaseOrder, CaseStatus, Environment, LabelReason, SubjectType } from '@portcullis/contract';
import { TENANT_ENVIRONMENTS } from '../access/access.ts';
import { type Backend, NO_TENANT, type Statement, type Value } from '../backend/backend.ts';
import type { ReviewRow } from '../reviews/reviews.ts';

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
}

const OPENED =
  'id, subject_type, user_id, status, risk_score, signals, summary, created_at, expires_at, resolved_at, reason, analyst_id, notes';
const COLUMNS = `${OPENED}, assignee, assigned_at, priority, tags, attack`;

/** A new case is assigned to nobody: the other columns have their defaults. */
export const insertCaseRow = (tenant: number, row: OpenedCaseRow): Statement => ({
  sql: `INSERT INTO cases (tenant, ${OPENED}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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
  ],
});

export const findCase = async (backend: Backend, tenant: number, id: string): Promise<CaseRow | undefined> =>
  (await backend.read<CaseRow>(`SELECT ${COLUMNS} FROM cases WHERE id = ? AND tenant = ?`, id, tenant))[0];

/** Expiry is not stored, so the filter for a status is one on status and time. */
const statusIs = (status: CaseStatus, now: number): { where: string; params: Value[] } => {
  if (status === 'open') return { where: "status = 'open' AND expires_at > ?", params: [now] };
  if (status === 'expired') return { where: "status = 'open' AND expires_at <= ?", params: [now] };
  return { where: 'status = ?', params: [status] };
};

export interface CaseFilter {
  readonly status?: CaseStatus | undefined;
  readonly from?: number | undefined;
  readonly before?: number | undefined;
  readonly userId?: string | undefined;
  readonly subjectType?: SubjectType | undefined;
  readonly scoreMin?: number | undefined;
  readonly scoreMax?: number | undefined;
  readonly signal?: string | undefined;
  /** Null: cases that are assigned to nobody. */
  readonly assignee?: string | null | undefined;
  readonly priority?: number | undefined;
  readonly tag?: string | undefined;
  /** The id of the first case of an attack. */
  readonly attack?: string | undefined;
}

/** The text is the same whichever of these is set: each text is a prepared statement. */
const NARROWED = `subject_type = COALESCE(?, subject_type) AND risk_score >= ? AND risk_score <= ? AND signals LIKE ? ESCAPE '!'
  AND priority = COALESCE(?, priority) AND tags LIKE ? ESCAPE '!'`;
/** The pattern of a JSON list with the name. Signals and tags have no character that JSON escapes. */
const listWith = (name: string | undefined): string => (name === undefined ? '%' : `%"${name.replaceAll('_', '!_')}"%`);
const narrowed = (filter: CaseFilter): { where: string; params: Value[] } => {
  const { subjectType, scoreMin, scoreMax, signal, priority, tag } = filter;
  if ([subjectType, scoreMin, scoreMax, signal, priority, tag].every((value) => value === undefined))
    return { where: '', params: [] };
  const params = [
    subjectType ?? null,
    scoreMin ?? 0,
    scoreMax ?? 100,
    listWith(signal),
    priority ?? null,
    listWith(tag),
  ];
  return { where: NARROWED, params };
};

const filtered = (tenant: number, filter: CaseFilter, now: number): { where: string; params: Value[] } => {
  const conditions = ['tenant = ?'];
  const params: Value[] = [tenant];
  if (filter.status !== undefined) {
    const status = statusIs(filter.status, now);
    conditions.push(status.where);
    params.push(...status.params);
  }
  if (filter.from !== undefined) {
    conditions.push('created_at >= ?');
    params.push(filter.from);
  }
  if (filter.before !== undefined) {
    conditions.push('created_at < ?');
    params.push(filter.before);
  }
  if (filter.userId !== undefined) {
    conditions.push('user_id = ?');
    params.push(filter.userId);
  }
  if (filter.assignee === null) conditions.push('assignee IS NULL');
  else if (filter.assignee !== undefined) {
    conditions.push('assignee = ?');
    params.push(filter.assignee);
  }
  if (filter.attack !== undefined) {
    conditions.push('attack = ?');
    params.push(filter.attack);
  }
  const { where, params: further } = narrowed(filter);
  if (where !== '') conditions.push(where);
  return { where: conditions.join(' AND '), params: [...params, ...further] };
};

const ORDERS: Readonly<Record<CaseOrder, string>> = {
  newest: 'created_at DESC, id DESC',
  oldest: 'created_at, id',
  score: 'risk_score DESC, created_at DESC, id DESC',
  priority: 'priority DESC, created_at, id',
};

export const listCaseRows = async (
  backend: Backend,
  tenant: number,
  filter: CaseFilter,
  now: number,
  sort: CaseOrder,
  limit: number,
  offset: number,
): Promise<{ rows: CaseRow[]; total: number }> => {
  const { where, params } = filtered(tenant, filter, now);
  // The inner query skips in an index alone; without it, the rows of all earlier pages would be read.
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
  const { where, params } = filtered(tenant, filter, now);
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
  sql: `UPDATE cases SET status = ?, reason = ?, analyst_id = ?, notes = ?, resolved_at = ?
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
