import type { SubjectType } from '@portcullis/contract';
import type { Backend, Statement } from '../backend/backend.ts';
import { firstSeqAt, seqOf } from '../ids.ts';

export const RETENTION_MS = 90 * 24 * 3_600_000;

export interface ScreeningRow {
  readonly id: string;
  readonly type: SubjectType;
  readonly screened_at: number;
  readonly request: string;
  readonly verdict: string;
  readonly ruleset_version: string;
  readonly facts_version: number;
  readonly facts: Uint8Array;
}

const INSERT = `INSERT INTO screenings (seq, id, tenant, type, screened_at, request, verdict, ruleset_version, facts_version, facts)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

export const insertScreening = (tenant: number, row: ScreeningRow): Statement => ({
  sql: INSERT,
  params: [
    seqOf(row.id),
    row.id,
    tenant,
    row.type,
    row.screened_at,
    row.request,
    row.verdict,
    row.ruleset_version,
    row.facts_version,
    row.facts,
  ],
});

/** A screening that is still retained at `now`. */
export const findScreening = async (
  backend: Backend,
  tenant: number,
  id: string,
  now: number,
): Promise<ScreeningRow | undefined> => {
  const [row] = await backend.read<ScreeningRow>(
    `SELECT id, type, screened_at, request, verdict, ruleset_version, facts_version, facts FROM screenings
      WHERE seq = ? AND id = ? AND tenant = ? AND screened_at > ?`,
    seqOf(id),
    id,
    tenant,
    now - RETENTION_MS,
  );
  return row;
};

/**
 * A label says whom it is about by its screening alone. One that was labelled in its last hours stays until the label has surely reached the
 * histories on disk: after a crash it has to be counted in again.
 */
const LABEL_SETTLES_MS = 24 * 3_600_000;

/** Of all tenants: the end of retention is the same for all, and their numbers tell the time. */
export const expiredScreenings = async (backend: Backend, now: number, limit: number): Promise<number[]> => {
  const rows = await backend.read<{ seq: number }>(
    `SELECT seq FROM screenings s WHERE seq < ? AND NOT EXISTS
      (SELECT 1 FROM labels l WHERE l.tenant = s.tenant AND l.screening_seq = s.seq AND l.seq >= ?) ORDER BY seq LIMIT ?`,
    firstSeqAt(now - RETENTION_MS),
    firstSeqAt(now - LABEL_SETTLES_MS),
    limit,
  );
  return rows.map(({ seq }) => seq);
};

export const deleteScreening = (seq: number): Statement => ({
  sql: 'DELETE FROM screenings WHERE seq = ?',
  params: [seq],
});
