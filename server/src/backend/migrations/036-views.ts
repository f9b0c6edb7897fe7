/** Saved views of pages. `owner` is `person_…` or `key_…`, `columns` a JSON list. Only its owner sees a view that is not shared. */
export const views = `
CREATE TABLE views (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  owner TEXT NOT NULL,
  page TEXT NOT NULL,
  name TEXT NOT NULL,
  query TEXT NOT NULL,
  columns TEXT NOT NULL,
  shared BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX views_by_owner ON views (tenant, owner, id);
CREATE INDEX views_shared ON views (tenant, id) WHERE shared = 1;
`;
