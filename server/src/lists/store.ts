import type { ListKind } from '@portcullis/contract';
import type { Treatment } from '@portcullis/engine';
import { type Backend, NO_TENANT, type Page, type Statement, type Value } from '../backend/backend.ts';

export interface ListRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly treatment: Treatment;
  /** 1 if analysts may add entries that end. */
  readonly open_to_analysts: 0 | 1;
  readonly created_at: number;
  readonly updated_at: number;
}
export interface EntryRow {
  readonly id: string;
  readonly kind: ListKind;
  readonly value: string;
  readonly reason: string | null;
  readonly author: string;
  readonly expires_at: number | null;
  readonly created_at: number;
}

/** The lists of all tenants, in order of creation. */
export const allLists = (backend: Backend): Promise<(ListRow & { readonly tenant: number })[]> =>
  backend.read(
    `SELECT tenant, id, name, description, treatment, open_to_analysts, created_at, updated_at FROM lists
      WHERE deleted_at IS NULL ORDER BY id`,
  );

export const listsOf = (backend: Backend, tenant: number): Promise<ListRow[]> =>
  backend.readLong(
    tenant,
    `SELECT id, name, description, treatment, open_to_analysts, created_at, updated_at FROM lists
      WHERE tenant = ? AND deleted_at IS NULL ORDER BY id`,
    tenant,
  );

/** Writes nothing if the name is taken: another process may have created the list a moment ago. */
export const insertList = (tenant: number, row: ListRow): Statement => ({
  sql: `INSERT INTO lists (id, tenant, name, description, treatment, open_to_analysts, created_at, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
  params: [
    ...[row.id, tenant, row.name, row.description, row.treatment, row.open_to_analysts],
    ...[row.created_at, row.updated_at],
  ],
  expect: 1,
});

/** Writes nothing if another process deleted or changed the list since it was read. */
export const updateList = (tenant: number, before: ListRow, row: ListRow): Statement => ({
  sql: `UPDATE lists SET description = ?, treatment = ?, open_to_analysts = ?, updated_at = ?
    WHERE id = ? AND tenant = ? AND deleted_at IS NULL AND description = ? AND treatment = ? AND open_to_analysts = ?`,
  params: [
    ...[row.description, row.treatment, row.open_to_analysts, row.updated_at, row.id, tenant],
    ...[before.description, before.treatment, before.open_to_analysts],
  ],
  expect: 1,
});

/** Leaves the entries to the sweep. Writes nothing if the list is deleted already. */
export const markDeleted = (tenant: number, id: string, now: number): Statement => ({
  sql: 'UPDATE lists SET deleted_at = ? WHERE id = ? AND tenant = ? AND deleted_at IS NULL',
  params: [now, id, tenant],
  expect: 1,
});

const COLUMNS = 'id, kind, value, reason, author, expires_at, created_at';

/** Inserts an entry, or replaces the one with the same value. */
export const putEntry = (tenant: number, list: string, row: EntryRow): Statement => ({
  sql: `INSERT INTO list_entries (tenant, list, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant, kind, value, list) DO UPDATE SET id = excluded.id, reason = excluded.reason,
      author = excluded.author, expires_at = excluded.expires_at, created_at = excluded.created_at`,
  params: [tenant, list, row.id, row.kind, row.value, row.reason, row.author, row.expires_at, row.created_at],
});

export const deleteEntry = (tenant: number, list: string, kind: ListKind, value: string): Statement => ({
  sql: 'DELETE FROM list_entries WHERE tenant = ? AND kind = ? AND value = ? AND list = ?',
  params: [tenant, kind, value, list],
});

const UNEXPIRED = '(expires_at IS NULL OR expires_at > ?)';

/** The entries with a value on any list of the tenant; a value is on few lists. */
export const entriesWith = (
  backend: Backend,
  tenant: number,
  kind: ListKind,
  value: string,
  now: number,
): Promise<(EntryRow & { readonly list: string })[]> =>
  backend.read(
    `SELECT list, ${COLUMNS} FROM list_entries WHERE tenant = ? AND kind = ? AND value = ? AND ${UNEXPIRED} ORDER BY list`,
    tenant,
    kind,
    value,
    now,
  );

/** A page of a list, newest first. */
export const listEntryRows = (
  backend: Backend,
  tenant: number,
  list: string,
  { kind, before }: { kind: ListKind | undefined; before: string | undefined },
  now: number,
  limit: number,
): Promise<Page<EntryRow>> => {
  const conditions = ['tenant = ?', 'list = ?'];
  const params: Value[] = [tenant, list];
  if (kind !== undefined) {
    conditions.push('kind = ?');
    params.push(kind);
  }
  if (before !== undefined) {
    conditions.push('id < ?');
    params.push(before);
  }
  return backend.readPage<EntryRow>(
    tenant,
    limit,
    `SELECT ${COLUMNS} FROM list_entries WHERE ${conditions.join(' AND ')} AND ${UNEXPIRED} ORDER BY id DESC`,
    ...params,
    now,
  );
};

/** The number of unexpired entries on these lists. */
export const countEntries = async (
  backend: Backend,
  tenant: number,
  lists: readonly ListRow[],
  now: number,
): Promise<number> =>
  (
    await backend.readLong<{ count: number }>(
      tenant,
      `SELECT COUNT(*) AS count FROM list_entries
        WHERE tenant = ? AND list IN (${lists.map(() => '?').join(', ')}) AND ${UNEXPIRED}`,
      tenant,
      ...lists.map(({ id }) => id),
      now,
    )
  )[0]?.count ?? 0;

/** The columns of an entry that matching needs. */
export interface StoredEntry {
  readonly tenant: number;
  readonly list: string;
  readonly kind: ListKind;
  readonly value: string;
  readonly expires_at: number | null;
}
const MATCH_COLUMNS = 'tenant, kind, value, list, expires_at';

/** The entries of all tenants after `after`, in key order. */
export const entriesAfter = (
  backend: Backend,
  after: StoredEntry | undefined,
  limit: number,
): Promise<StoredEntry[]> =>
  after === undefined
    ? backend.read(`SELECT ${MATCH_COLUMNS} FROM list_entries ORDER BY tenant, kind, value, list LIMIT ?`, limit)
    : backend.read(
        `SELECT ${MATCH_COLUMNS} FROM list_entries WHERE (tenant, kind, value, list) > (?, ?, ?, ?)
          ORDER BY tenant, kind, value, list LIMIT ?`,
        after.tenant,
        after.kind,
        after.value,
        after.list,
        limit,
      );

export const expiredEntries = (backend: Backend, now: number, limit: number): Promise<StoredEntry[]> =>
  backend.readLong(
    NO_TENANT,
    `SELECT ${MATCH_COLUMNS} FROM list_entries WHERE expires_at <= ? ORDER BY expires_at LIMIT ?`,
    now,
    limit,
  );

/** Deletes an expired entry, unless it was replaced by one that is not expired. */
export const deleteExpired = ({ tenant, kind, value, list }: StoredEntry, now: number): Statement => ({
  sql: 'DELETE FROM list_entries WHERE tenant = ? AND kind = ? AND value = ? AND list = ? AND expires_at <= ?',
  params: [tenant, kind, value, list, now],
});

const DELETED_LISTS = 1000;

/** The lists that were deleted first. */
export const deletedLists = (backend: Backend): Promise<{ readonly tenant: number; readonly id: string }[]> =>
  backend.readLong(
    NO_TENANT,
    'SELECT tenant, id FROM lists WHERE deleted_at IS NOT NULL ORDER BY deleted_at LIMIT ?',
    DELETED_LISTS,
  );

export const entriesOfList = (backend: Backend, tenant: number, list: string, limit: number): Promise<StoredEntry[]> =>
  backend.readLong(
    NO_TENANT,
    `SELECT ${MATCH_COLUMNS} FROM list_entries WHERE tenant = ? AND list = ? ORDER BY id LIMIT ?`,
    tenant,
    list,
    limit,
  );

/** The entries of a list that were added in one request: their ids are consecutive. */
export const entriesBetween = (
  backend: Backend,
  tenant: number,
  list: string,
  from: string,
  to: string,
): Promise<StoredEntry[]> =>
  backend.readLong(
    tenant,
    `SELECT ${MATCH_COLUMNS} FROM list_entries WHERE tenant = ? AND list = ? AND id >= ? AND id <= ? ORDER BY id`,
    tenant,
    list,
    from,
    to,
  );

export const deleteList = (tenant: number, id: string): Statement => ({
  sql: 'DELETE FROM lists WHERE id = ? AND tenant = ? AND deleted_at IS NOT NULL',
  params: [id, tenant],
});
