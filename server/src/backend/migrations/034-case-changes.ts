/**
 * Changes of cases that follow from no screening and no label, for the live feed: assigned, released, reopened, expired. In
 * the embedded store `seq` is the order of commits. Rows are swept after two days.
 */
export const caseChanges = `
CREATE TABLE case_changes (
  seq BIGINT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  case_id TEXT NOT NULL,
  type TEXT NOT NULL,
  subject_type TEXT NOT NULL,
  score BIGINT NOT NULL,
  at BIGINT NOT NULL
);
`;

/** PostgreSQL only: the number of the transaction, by which changes are read in the order of commits. */
export const caseChangesWritten = `
ALTER TABLE case_changes ADD COLUMN written BIGINT NOT NULL
  DEFAULT CAST(CAST(pg_current_xact_id() AS text) AS BIGINT);
CREATE INDEX case_changes_by_written ON case_changes (written, seq);
`;
