/**
 * PostgreSQL only: the embedded store has the projection in a file of its own. `written` is the number of the
 * transaction that wrote the row. A column without a default is added at once to a table of any size; rows of before
 * have none. The indexes on it are made here while the tables are empty, else later, without a lock
 * (`postgres/follow-index.ts`).
 */
export const search = `
ALTER TABLE screenings ADD COLUMN written BIGINT;
ALTER TABLE screenings ALTER COLUMN written SET DEFAULT CAST(CAST(pg_current_xact_id() AS text) AS BIGINT);
ALTER TABLE labels ADD COLUMN written BIGINT;
ALTER TABLE labels ALTER COLUMN written SET DEFAULT CAST(CAST(pg_current_xact_id() AS text) AS BIGINT);
DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM screenings) AND NOT EXISTS (SELECT 1 FROM labels) THEN
    CREATE INDEX screenings_by_written ON screenings (written, seq) WHERE written IS NOT NULL;
    CREATE INDEX labels_by_written ON labels (written, seq) WHERE written IS NOT NULL;
  END IF;
END $$;

CREATE TABLE search_items (
  tenant BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  user_term BIGINT NOT NULL,
  at BIGINT NOT NULL,
  type TEXT NOT NULL,
  event_type TEXT,
  outcome TEXT,
  score BIGINT NOT NULL,
  decision TEXT NOT NULL,
  currency TEXT,
  usd DOUBLE PRECISION,
  country TEXT,
  model BIGINT,
  label TEXT,
  label_seq BIGINT NOT NULL,
  review_seq BIGINT NOT NULL,
  terms BLOB NOT NULL,
  PRIMARY KEY (tenant, seq)
) PARTITION BY RANGE (seq);
CREATE INDEX search_items_held ON search_items (tenant, decision, seq) WHERE decision <> 'allow';
CREATE INDEX search_items_labelled ON search_items (tenant, label, seq) WHERE label IS NOT NULL;

CREATE TABLE search_terms (
  tenant BIGINT NOT NULL,
  term BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (tenant, term, seq)
) PARTITION BY RANGE (seq);

CREATE TABLE search_through (
  part TEXT PRIMARY KEY,
  follows BIGINT NOT NULL,
  written BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  drift BIGINT NOT NULL,
  source TEXT NOT NULL
);
`;
