import type { Backend, Statement } from '../backend/backend.ts';
import type { ScreeningRow } from '../backend/journal.ts';
import { expiredScreenings } from '../backend/journal-pages.ts';
import { firstSeqAt, seqOf, timeOfSeq } from '../runtime/ids.ts';

export const RETENTION_MS = 90 * 24 * 3_600_000;

const COLUMNS = 'seq, id, tenant, type, screened_at, request, verdict, ruleset_version, facts_version, facts';
const INSERT = `INSERT INTO screenings (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_IMPORTED = `INSERT INTO screenings (${COLUMNS}, imported) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)`;

export const insertScreening = (tenant: number, row: ScreeningRow): Statement => ({
  sql: row.imported === 1 ? INSERT_IMPORTED : INSERT,
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

/** Finds a screening that is still retained at `now`. An imported one is retained from its import on. */
export const findScreening = async (
  backend: Backend,
  tenant: number,
  id: string,
  now: number,
): Promise<ScreeningRow | undefined> => {
  const seq = seqOf(id);
  const oldest = now - RETENTION_MS;
  const [row] = await backend.read<ScreeningRow>(
    `SELECT id, type, screened_at, request, verdict, ruleset_version, facts_version, facts, imported FROM screenings
      WHERE seq = ? AND id = ? AND tenant = ?`,
    seq,
    id,
    tenant,
  );
  if (row === undefined) return undefined;
  return (row.imported === 1 ? timeOfSeq(seq) : row.screened_at) > oldest ? row : undefined;
};

/** Screenings of a tenant by their numbers, whatever their age. */
export const screeningRows = (backend: Backend, tenant: number, numbers: readonly number[]): Promise<ScreeningRow[]> =>
  backend.readLong<ScreeningRow>(
    tenant,
    `SELECT id, type, screened_at, request, verdict, ruleset_version, facts_version, facts, imported FROM screenings
      WHERE tenant = ? AND seq IN (${numbers.map(() => '?').join(', ')})`,
    tenant,
    ...numbers,
  );

/**
 * A label refers to its entities only through its screening. After a crash the label may have to be counted again, so a
 * screening that was labelled in its last hours stays until the label has certainly reached the histories on disk.
 */
const LABEL_SETTLES_MS = 24 * 3_600_000;

/**
 * Deletes expired screenings of all tenants. Their age is in their sequence number. Whole weeks are dropped a day after
 * the last moment at which one of their screenings could be labelled.
 */
export const sweepScreenings = async (backend: Backend, now: number, limit: number): Promise<number> => {
  const { dropped, rest } = await backend.dropOld('screenings', now - RETENTION_MS - LABEL_SETTLES_MS);
  let deleted = dropped;
  for (const table of rest) {
    const expired = await expiredScreenings(
      backend,
      table,
      firstSeqAt(now - RETENTION_MS),
      firstSeqAt(now - LABEL_SETTLES_MS),
      limit,
    );
    if (expired.length > 0)
      await backend.write(expired.map(({ seq }) => ({ sql: `DELETE FROM ${table} WHERE seq = ?`, params: [seq] })));
    deleted += expired.length;
  }
  return deleted;
};

/** Replaces the request and the facts of a screening. */
export const replaceSubject = (tenant: number, seq: number, request: string, facts: Uint8Array): Statement => ({
  sql: 'UPDATE screenings SET request = ?, facts = ? WHERE seq = ? AND tenant = ?',
  params: [request, facts, seq, tenant],
});
