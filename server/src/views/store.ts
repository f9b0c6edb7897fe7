import type { Backend, Statement } from '../backend/backend.ts';

export interface ViewRow {
  readonly id: string;
  /** `person_…` or `key_…`. */
  readonly owner: string;
  readonly page: string;
  readonly name: string;
  readonly query: string;
  /** A JSON list. */
  readonly columns: string;
  readonly shared: 0 | 1;
  readonly created_at: number;
  readonly updated_at: number;
}

const COLUMNS = 'id, owner, page, name, query, columns, shared, created_at, updated_at';

export const insertView = (tenant: number, row: ViewRow): Statement => ({
  sql: `INSERT INTO views (tenant, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  params: [
    ...[tenant, row.id, row.owner, row.page, row.name, row.query, row.columns, row.shared],
    ...[row.created_at, row.updated_at],
  ],
});

/** Refused for a view that was deleted. */
export const updateView = (tenant: number, row: ViewRow): Statement => ({
  sql: 'UPDATE views SET name = ?, query = ?, columns = ?, shared = ?, updated_at = ? WHERE id = ? AND tenant = ?',
  params: [row.name, row.query, row.columns, row.shared, row.updated_at, row.id, tenant],
  expect: 1,
});

export const deleteView = (tenant: number, id: string): Statement => ({
  sql: 'DELETE FROM views WHERE id = ? AND tenant = ?',
  params: [id, tenant],
  expect: 1,
});

/** A view that the owner can see. */
export const findView = async (
  backend: Backend,
  tenant: number,
  id: string,
  owner: string,
): Promise<ViewRow | undefined> =>
  (
    await backend.read<ViewRow>(
      `SELECT ${COLUMNS} FROM views WHERE id = ? AND tenant = ? AND (shared = 1 OR owner = ?)`,
      id,
      tenant,
      owner,
    )
  )[0];

/** The views of an owner, and those that others share. Quotas bound both. */
export const viewsFor = (backend: Backend, tenant: number, owner: string): Promise<ViewRow[]> =>
  backend.readLong<ViewRow>(
    tenant,
    `SELECT ${COLUMNS} FROM views WHERE tenant = ? AND (shared = 1 OR owner = ?) ORDER BY id`,
    tenant,
    owner,
  );

/** Every view of a tenant after an id, in order. */
export const viewsAfter = (backend: Backend, tenant: number, after: string, limit: number): Promise<ViewRow[]> =>
  backend.readLong<ViewRow>(
    tenant,
    `SELECT ${COLUMNS} FROM views WHERE tenant = ? AND id > ? ORDER BY id LIMIT ?`,
    tenant,
    after,
    limit,
  );

/** Deletes the views that only their owner sees. */
export const deletePrivateViews = (tenant: number, owner: string): Statement => ({
  sql: 'DELETE FROM views WHERE tenant = ? AND owner = ? AND shared = 0',
  params: [tenant, owner],
});
