import type { Backend, Statement } from '../backend/backend.ts';

/** Takes the person out of a case. Notes and tags may contain anything. */
export const eraseCaseRow = (tenant: number, id: string): Statement[] => [
  {
    sql: "UPDATE cases SET user_id = '', notes = NULL, tags = '[]', notes_count = 0 WHERE id = ? AND tenant = ?",
    params: [id, tenant],
  },
  { sql: 'DELETE FROM case_notes WHERE tenant = ? AND case_id = ?', params: [tenant, id] },
];

/** Ids of cases of a user between two ids, in order. */
export const idsOfUser = async (
  backend: Backend,
  tenant: number,
  userId: string,
  after: string,
  before: string,
  limit: number,
): Promise<string[]> =>
  (
    await backend.readLong<{ id: string }>(
      tenant,
      'SELECT id FROM cases WHERE tenant = ? AND user_id = ? AND id > ? AND id < ? ORDER BY id LIMIT ?',
      ...[tenant, userId, after, before, limit],
    )
  ).map(({ id }) => id);

/** Deletes what cases of an entity are joined by. `key` is the key of its identity. */
export const eraseAttackLink = (tenant: number, key: number): Statement => ({
  sql: 'DELETE FROM attack_links WHERE tenant = ? AND link = ?',
  params: [tenant, key],
});
