/**
 * `imported` is 1 for an item that happened before it was stored. `imported_items` has a keyed hash of each imported id
 * and of its content, so that an item is imported once. `imports` has the number of imported items of a tenant, and the
 * numbers of the entries that are stored but perhaps not counted; 0 where there are none.
 */
export const imports = `
ALTER TABLE screenings ADD COLUMN imported BIGINT NOT NULL DEFAULT 0;
CREATE TABLE imported_items (
  tenant BIGINT NOT NULL,
  key TEXT NOT NULL,
  content TEXT NOT NULL,
  screening_seq BIGINT NOT NULL,
  PRIMARY KEY (tenant, key)
) WITHOUT ROWID;
CREATE TABLE imports (
  tenant BIGINT PRIMARY KEY,
  items BIGINT NOT NULL,
  open_first BIGINT NOT NULL,
  open_last BIGINT NOT NULL
);
`;
