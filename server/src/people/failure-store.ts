import { type Backend, NO_TENANT, type Statement } from '../backend/backend.ts';

export interface FailureRow {
  readonly name: string;
  readonly failures: number;
  readonly failed_at: number;
}

export const readFailures = (backend: Backend, names: readonly [string, string]): Promise<FailureRow[]> =>
  backend.read<FailureRow>('SELECT name, failures, failed_at FROM sign_in_failures WHERE name IN (?, ?)', ...names);

/** Stores a failure. Refused if another one was stored since `before` was read. */
export const putFailure = (before: FailureRow | undefined, after: FailureRow): Statement =>
  before === undefined
    ? {
        sql: `INSERT INTO sign_in_failures (name, failures, failed_at) VALUES (?, ?, ?) ON CONFLICT (name) DO NOTHING`,
        params: [after.name, after.failures, after.failed_at],
        expect: 1,
      }
    : {
        sql: 'UPDATE sign_in_failures SET failures = ?, failed_at = ? WHERE name = ? AND failures = ? AND failed_at = ?',
        params: [after.failures, after.failed_at, after.name, before.failures, before.failed_at],
        expect: 1,
      };

export const deleteFailures = (name: string): Statement => ({
  sql: 'DELETE FROM sign_in_failures WHERE name = ?',
  params: [name],
});

/** Takes one failure back, and its time unless another failure came after it. */
export const forgiveFailure = ({ name, failed_at }: FailureRow, before: number): Statement => ({
  sql: `UPDATE sign_in_failures SET failures = failures - 1, failed_at = CASE WHEN failed_at = ? THEN ? ELSE failed_at END
    WHERE name = ? AND failures > 0`,
  params: [failed_at, before, name],
});

/** Deletes up to `limit` rows without a failure since `before`. Returns how many. */
export const sweepFailures = async (backend: Backend, before: number, limit: number): Promise<number> => {
  const sql = 'SELECT name FROM sign_in_failures WHERE failed_at < ? ORDER BY failed_at LIMIT ?';
  const old = await backend.readLong<{ name: string }>(NO_TENANT, sql, before, limit);
  if (old.length > 0)
    await backend.write(
      old.map(({ name }) => ({
        sql: 'DELETE FROM sign_in_failures WHERE name = ? AND failed_at < ?',
        params: [name, before],
      })),
    );
  return old.length;
};
