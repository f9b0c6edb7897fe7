import { type Backend, NO_TENANT, type Statement } from '../backend/backend.ts';

/** The oldest cases with ids below one. */
export const oldestCases = (
  backend: Backend,
  before: string,
  limit: number,
): Promise<{ readonly tenant: number; readonly id: string }[]> =>
  backend.readLong(NO_TENANT, 'SELECT tenant, id FROM cases WHERE id < ? ORDER BY id LIMIT ?', before, limit);

/** Deletes a case with its notes. */
export const deleteCase = (tenant: number, id: string): Statement[] => [
  { sql: 'DELETE FROM case_notes WHERE tenant = ? AND case_id = ?', params: [tenant, id] },
  { sql: 'DELETE FROM cases WHERE id = ? AND tenant = ?', params: [id, tenant] },
];
