import type { Backend, Statement } from '../backend/backend.ts';

/** `identity` is the key of the histories' identities; `data` encrypts, hashes and signs everything else. */
export type Purpose = 'identity' | 'data';

export interface WrappedKeyRow {
  readonly purpose: Purpose;
  readonly version: number;
  readonly secret_id: string;
  readonly wrapped: Uint8Array;
  readonly created_at: number;
  readonly active_at: number;
}

const COLUMNS = 'purpose, version, secret_id, wrapped, created_at, active_at';
const paramsOf = (row: WrappedKeyRow) =>
  [row.purpose, row.version, row.secret_id, row.wrapped, row.created_at, row.active_at] as const;

export const readWrappedKeys = (backend: Backend): Promise<WrappedKeyRow[]> =>
  backend.read<WrappedKeyRow>(`SELECT ${COLUMNS} FROM installation_keys ORDER BY purpose, version, secret_id`);

/** The first keys of a store. Refused if it has keys: a second set would make the data of the first unusable. */
export const insertFirstKeys = (rows: readonly WrappedKeyRow[]): Statement[] =>
  rows.map((row, index) =>
    index === 0
      ? {
          sql: `INSERT INTO installation_keys (${COLUMNS}) SELECT ?, ?, ?, ?, ?, ?
            WHERE NOT EXISTS (SELECT 1 FROM installation_keys)`,
          params: paramsOf(row),
          expect: 1,
        }
      : { sql: `INSERT INTO installation_keys (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)`, params: paramsOf(row) },
  );

/** The keys wrapped under a second secret key. Refused if the store accepts one already. */
export const insertKeysOfNewSecret = (rows: readonly WrappedKeyRow[], presentId: string): Statement[] =>
  rows.map((row) => ({
    sql: `INSERT INTO installation_keys (${COLUMNS}) SELECT ?, ?, ?, ?, ?, ? WHERE NOT EXISTS
      (SELECT 1 FROM installation_keys WHERE secret_id <> ? AND secret_id <> ?)`,
    params: [...paramsOf(row), presentId, row.secret_id],
    expect: 1,
  }));

/** Does nothing if the given secret key was retired: then no secret key would open the store. */
export const deleteOtherSecrets = (keptId: string): Statement => ({
  sql: `DELETE FROM installation_keys WHERE secret_id <> ?
    AND EXISTS (SELECT 1 FROM installation_keys kept WHERE kept.secret_id = ?)`,
  params: [keptId, keptId],
});
