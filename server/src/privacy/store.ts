import type { Backend, Statement } from '../backend/backend.ts';

export interface ErasureRow {
  readonly id: string;
  readonly tenant: number;
  readonly person: string;
  readonly status: 'running' | 'done';
  readonly progress: number;
  /** JSON. */
  readonly counts: string;
  readonly requested_at: number;
  readonly completed_at: number | null;
  /** Null once it is done. */
  readonly sealed: Uint8Array | null;
}

const COLUMNS = 'id, tenant, person, status, progress, counts, requested_at, completed_at, sealed';

export const insertErasure = (row: ErasureRow): Statement => ({
  sql: `INSERT INTO erasures (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  params: [
    ...[row.id, row.tenant, row.person, row.status, row.progress, row.counts, row.requested_at, row.completed_at],
    row.sealed,
  ],
});

export const findErasure = async (backend: Backend, tenant: number, id: string): Promise<ErasureRow | undefined> =>
  (await backend.read<ErasureRow>(`SELECT ${COLUMNS} FROM erasures WHERE id = ? AND tenant = ?`, id, tenant))[0];

/** Running erasures, the oldest first. */
export const runningErasures = (backend: Backend, limit: number): Promise<ErasureRow[]> =>
  backend.read<ErasureRow>(`SELECT ${COLUMNS} FROM erasures WHERE status = 'running' ORDER BY id LIMIT ?`, limit);

export const updateErasure = (
  id: string,
  { progress, counts, sealed }: Pick<ErasureRow, 'progress' | 'counts' | 'sealed'>,
): Statement => ({
  sql: "UPDATE erasures SET progress = ?, counts = ?, sealed = ? WHERE id = ? AND status = 'running'",
  params: [progress, counts, sealed, id],
});

export const endErasure = (id: string, counts: string, at: number): Statement => ({
  sql: "UPDATE erasures SET status = 'done', progress = 1, counts = ?, completed_at = ?, sealed = NULL WHERE id = ? AND status = 'running'",
  params: [counts, at, id],
  expect: 1,
});
