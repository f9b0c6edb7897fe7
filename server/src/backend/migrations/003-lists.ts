/**
 * Custom lists of an account, and entries of all lists. A deleted list keeps its row until its entries are swept:
 * deleting a million of them at once would delay every screening. Entries refer to a custom list by id, so that a new
 * list of the same name starts empty. Built-in lists have no rows; their entries refer to them by name. The indexes of
 * entries serve, in this order: the lists of a value, pages of a list, pages of one kind, and the sweep.
 */
export const lists = `
CREATE TABLE lists (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  treatment TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  deleted_at BIGINT
);
CREATE UNIQUE INDEX lists_by_name ON lists (tenant, name) WHERE deleted_at IS NULL;
CREATE INDEX lists_deleted ON lists (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE TABLE list_entries (
  tenant BIGINT NOT NULL,
  kind TEXT NOT NULL,
  value TEXT NOT NULL,
  list TEXT NOT NULL,
  id TEXT NOT NULL,
  reason TEXT,
  author TEXT NOT NULL,
  expires_at BIGINT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, kind, value, list)
);
CREATE INDEX list_entries_by_list ON list_entries (tenant, list, id);
CREATE INDEX list_entries_by_kind ON list_entries (tenant, list, kind, id);
CREATE INDEX list_entries_to_expire ON list_entries (expires_at) WHERE expires_at IS NOT NULL;
`;
