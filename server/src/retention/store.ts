import type { Backend, Statement } from '../backend/backend.ts';

/** The time as of which all rows past their retention are deleted; undefined before the first sweep. */
export const readThrough = async (backend: Backend): Promise<number | undefined> =>
  (await backend.read<{ at: number }>('SELECT at FROM retention_through WHERE id = 1'))[0]?.at;

export const writeThrough = (at: number): Statement => ({
  sql: 'INSERT INTO retention_through (id, at) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at',
  params: [at],
});
