/**
 * What people say of screenings afterwards. `seq` is of the same sequence as that of screenings, which is what lets the counters fold over
 * both in their order. A label keeps what a training needs of its screening, which is deleted after 90 days, and nothing that names anybody.
 * `counted_at` is since when the histories count what it says; `replaced_at`, where the opposite was said before, since when that was.
 */
export const labels = `
CREATE TABLE labels (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  tenant BIGINT NOT NULL,
  screening_id TEXT NOT NULL,
  screening_seq BIGINT NOT NULL,
  subject_type TEXT NOT NULL,
  label TEXT NOT NULL,
  origin TEXT NOT NULL,
  source TEXT NOT NULL,
  author TEXT NOT NULL,
  notes TEXT,
  occurred_at BIGINT,
  labelled_at BIGINT NOT NULL,
  counted_at BIGINT NOT NULL,
  replaced_at BIGINT,
  repeats BIGINT NOT NULL,
  screened_at BIGINT NOT NULL,
  request TEXT NOT NULL,
  score BIGINT NOT NULL,
  decision TEXT NOT NULL,
  model_version TEXT,
  facts_version BIGINT NOT NULL,
  facts BLOB NOT NULL
);
CREATE INDEX labels_by_screening ON labels (tenant, screening_seq, seq);
CREATE INDEX labels_by_time ON labels (tenant, seq);
`;
