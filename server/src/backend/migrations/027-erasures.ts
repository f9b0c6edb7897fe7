/**
 * Erasures of a person. `person` is a keyed hash of the name that was given. `sealed` has the name itself, encrypted, and
 * how far the erasure is; it is null once the person is erased. `counts` is how much was erased, as JSON.
 *
 * `erased` of an audit entry proves that the entry continued its log before a person was taken out of it.
 */
export const erasures = `
CREATE TABLE erasures (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  person TEXT NOT NULL,
  status TEXT NOT NULL,
  progress DOUBLE PRECISION NOT NULL,
  counts TEXT NOT NULL,
  requested_at BIGINT NOT NULL,
  completed_at BIGINT,
  sealed BLOB
);
CREATE INDEX erasures_by_tenant ON erasures (tenant, id);
CREATE INDEX erasures_running ON erasures (id) WHERE status = 'running';
ALTER TABLE audit ADD COLUMN erased TEXT;
`;
