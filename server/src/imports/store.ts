import type { Backend, Statement } from '../backend/backend.ts';

/**
 * Counted items of a tenant, and the numbers of the entries that may not be counted; 0 if all are. A negative `open_last`
 * is the last number of entries that are counted and perhaps not settled.
 */
export interface ImportsRow {
  readonly items: number;
  readonly open_first: number;
  readonly open_last: number;
}

export const readImports = async (backend: Backend, tenant: number): Promise<ImportsRow | undefined> =>
  (await backend.read<ImportsRow>('SELECT items, open_first, open_last FROM imports WHERE tenant = ?', tenant))[0];

/** Tenants with entries that may not be counted or settled. */
export const openTenants = async (backend: Backend): Promise<number[]> =>
  (await backend.read<{ tenant: number }>('SELECT tenant FROM imports WHERE open_last <> 0')).map(
    ({ tenant }) => tenant,
  );

export const insertImports = (tenant: number): Statement => ({
  sql: 'INSERT INTO imports (tenant, items, open_first, open_last) VALUES (?, 0, 0, 0) ON CONFLICT (tenant) DO NOTHING',
  params: [tenant],
});

/** Adds items, and opens the range of their numbers unless they are counted. */
export const addToImports = (tenant: number, items: number, first: number, last: number): Statement => ({
  sql: 'UPDATE imports SET items = items + ?, open_first = ?, open_last = ? WHERE tenant = ? AND open_last <= 0',
  params: [items, first, last, tenant],
  must: 1,
});

/** The entries up to a number are counted. */
export const confirmImports = (tenant: number, last: number): Statement => ({
  sql: 'UPDATE imports SET open_last = -open_last WHERE tenant = ? AND open_last = ?',
  params: [tenant, last],
});

/** The counted entries are settled. */
export const closeImports = (tenant: number): Statement => ({
  sql: 'UPDATE imports SET open_first = 0, open_last = 0 WHERE tenant = ? AND open_last < 0',
  params: [tenant],
});

export interface ImportedRow {
  readonly key: string;
  readonly content: string;
  readonly screening_seq: number;
}

export const insertImported = (tenant: number, { key, content, screening_seq }: ImportedRow): Statement => ({
  sql: 'INSERT INTO imported_items (tenant, key, content, screening_seq) VALUES (?, ?, ?, ?)',
  params: [tenant, key, content, screening_seq],
});

/** The items with these keys that were imported. */
export const findImported = async (
  backend: Backend,
  tenant: number,
  keys: readonly string[],
): Promise<Map<string, ImportedRow>> => {
  const rows = await backend.readLong<ImportedRow>(
    tenant,
    `SELECT key, content, screening_seq FROM imported_items
      WHERE tenant = ? AND key IN (${keys.map(() => '?').join(', ')})`,
    tenant,
    ...keys,
  );
  return new Map(rows.map((row) => [row.key, row]));
};
