/**
 * Who works on a case, since when, and how urgent it is. Defaults let an earlier version, which does not know the
 * columns, open cases. `tags` is a JSON list. Of 0 to 3, a higher priority is more urgent.
 *
 * A waiting case is open and assigned to nobody. Its index repeats both columns: SQLite prefers the index with the most
 * columns that are compared. Expired cases stay `open`, so reads bound the time.
 */
export const caseWork = `
ALTER TABLE cases ADD COLUMN assignee TEXT;
ALTER TABLE cases ADD COLUMN assigned_at BIGINT;
ALTER TABLE cases ADD COLUMN priority BIGINT NOT NULL DEFAULT 1;
ALTER TABLE cases ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
CREATE INDEX cases_waiting ON cases (tenant, status, assignee, created_at, id) WHERE status = 'open' AND assignee IS NULL;
CREATE INDEX cases_by_assignee ON cases (tenant, assignee, created_at, id) WHERE assignee IS NOT NULL;

CREATE TABLE case_notes (
  tenant BIGINT NOT NULL,
  case_id TEXT NOT NULL,
  id TEXT NOT NULL,
  author TEXT NOT NULL,
  text TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, case_id, id)
);
`;
