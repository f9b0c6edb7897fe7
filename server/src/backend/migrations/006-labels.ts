/**
 * Labels of screenings. `seq` belongs to the same sequence as that of screenings, so that counters fold over both in
 * one order. A label keeps the columns of its screening that a training needs, because the screening is deleted after
 * 90 days. None of them identifies a person. `counted_at` is when histories began to count this value; `replaced_at` is
 * `counted_at` of the opposite label that this one replaced.
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
