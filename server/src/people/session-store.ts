import { type Backend, NO_TENANT, type Statement } from '../backend/backend.ts';
import { PERSON_COLUMNS, type PersonRow } from './store.ts';

export interface SessionRow {
  readonly id: string;
  readonly hash: string;
  readonly person: string;
  readonly address: string;
  readonly user_agent: string | null;
  readonly created_at: number;
  readonly used_at: number;
}

/** A session with its person. */
export type OpenSession = PersonRow & {
  readonly session: string;
  readonly session_created_at: number;
  readonly session_used_at: number;
};

export const findSession = async (backend: Backend, hash: string): Promise<OpenSession | undefined> =>
  (
    await backend.read<OpenSession>(
      `SELECT ${PERSON_COLUMNS}, s.id AS session, s.created_at AS session_created_at, s.used_at AS session_used_at
        FROM sessions s JOIN people p ON p.id = s.person WHERE s.hash = ?`,
      hash,
    )
  )[0];

export const insertSession = (row: SessionRow): Statement => ({
  sql: 'INSERT INTO sessions (id, hash, person, address, user_agent, created_at, used_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  params: [row.id, row.hash, row.person, row.address, row.user_agent, row.created_at, row.used_at],
});

export const touchSession = (id: string, now: number): Statement => ({
  sql: 'UPDATE sessions SET used_at = ? WHERE id = ? AND used_at < ?',
  params: [now, id, now],
});

export const deleteSessionByHash = (hash: string): Statement => ({
  sql: 'DELETE FROM sessions WHERE hash = ?',
  params: [hash],
});

export const deleteSession = (person: string, id: string): Statement => ({
  sql: 'DELETE FROM sessions WHERE person = ? AND id = ?',
  params: [person, id],
  expect: 1,
});

export const deleteSessionsOf = (person: string): Statement => ({
  sql: 'DELETE FROM sessions WHERE person = ?',
  params: [person],
});

export const sessionsOf = (backend: Backend, tenant: number, person: string): Promise<SessionRow[]> => {
  const sql = `SELECT id, hash, person, address, user_agent, created_at, used_at FROM sessions
    WHERE person = ? ORDER BY id DESC LIMIT 100`;
  return backend.readLong<SessionRow>(tenant, sql, person);
};

/** Deletes up to `limit` sessions that were last used before `before`. Returns how many. */
export const sweepSessions = async (backend: Backend, before: number, limit: number): Promise<number> => {
  const sql = 'SELECT id FROM sessions WHERE used_at < ? ORDER BY used_at LIMIT ?';
  const old = await backend.readLong<{ id: string }>(NO_TENANT, sql, before, limit);
  if (old.length > 0)
    await backend.write(
      old.map(({ id }) => ({ sql: 'DELETE FROM sessions WHERE id = ? AND used_at < ?', params: [id, before] })),
    );
  return old.length;
};
