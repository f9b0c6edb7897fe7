import type { Backend, Page, Statement } from '../backend/backend.ts';

export interface NoteRow {
  readonly id: string;
  readonly author: string;
  readonly text: string;
  readonly created_at: number;
}

export const insertNote = (tenant: number, caseId: string, row: NoteRow): Statement => ({
  sql: 'INSERT INTO case_notes (tenant, case_id, id, author, text, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  params: [tenant, caseId, row.id, row.author, row.text, row.created_at],
});

/** Counts a new note in its case. */
export const countNote = (tenant: number, caseId: string): Statement => ({
  sql: 'UPDATE cases SET notes_count = notes_count + 1 WHERE id = ? AND tenant = ?',
  params: [caseId, tenant],
});

export const countNotes = async (backend: Backend, tenant: number, caseId: string): Promise<number> => {
  const sql = 'SELECT COUNT(*) AS count FROM case_notes WHERE tenant = ? AND case_id = ?';
  return (await backend.readLong<{ count: number }>(tenant, sql, tenant, caseId))[0]?.count ?? 0;
};

/** Sorts after every id. */
const AFTER_ALL_IDS = '~';

/** Notes of a case with ids below `before`, the newest first. */
export const listNoteRows = (
  backend: Backend,
  tenant: number,
  caseId: string,
  before: string | undefined,
  limit: number,
): Promise<Page<NoteRow>> =>
  backend.readPage<NoteRow>(
    tenant,
    limit,
    `SELECT id, author, text, created_at FROM case_notes WHERE tenant = ? AND case_id = ? AND id < ? ORDER BY id DESC`,
    tenant,
    caseId,
    before ?? AFTER_ALL_IDS,
  );
