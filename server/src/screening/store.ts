import type { SubjectType } from '@portcullis/contract';
import type { Backend, Statement } from '../backend/backend.ts';
import { firstIdAt } from '../ids.ts';

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

export const insertScreening = (tenant: number, seq: number, row: ScreeningRow): Statement => ({
  sql: INSERT,
  params: [
    seq,
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
      WHERE id = ? AND tenant = ? AND screened_at > ?`,
    id,
    tenant,
    now - RETENTION_MS,
  );
  return row;
};

/** Of all tenants: the end of retention is the same for all, and ids tell the time. */
export const expiredScreenings = async (backend: Backend, now: number, limit: number): Promise<string[]> => {
  const rows = await backend.read<{ id: string }>(
    'SELECT id FROM screenings WHERE id < ? ORDER BY id LIMIT ?',
    firstIdAt(now - RETENTION_MS),
    limit,
  );
  return rows.map(({ id }) => id);
};

export const deleteScreening = (id: string): Statement => ({
  sql: 'DELETE FROM screenings WHERE id = ?',
  params: [id],
});
