/**
 * Rules and their matches. Hits of one rule are stored together in the order of decisions. Their number is stored
 * apart, by version: counting millions for each read would delay every screening.
 */
export const rules = `
CREATE TABLE rules (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  expression TEXT NOT NULL,
  action TEXT NOT NULL,
  subject_types TEXT NOT NULL,
  state TEXT NOT NULL,
  expires_at BIGINT,
  version BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX rules_by_tenant ON rules (tenant, state, id);

CREATE TABLE rule_hits (
  rule_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  tenant BIGINT NOT NULL,
  screening_id TEXT NOT NULL,
  at BIGINT NOT NULL,
  state TEXT NOT NULL,
  version BIGINT NOT NULL,
  decision TEXT NOT NULL,
  PRIMARY KEY (rule_id, seq)
);

CREATE TABLE rule_counts (
  rule_id TEXT NOT NULL,
  version BIGINT NOT NULL,
  tenant BIGINT NOT NULL,
  matched BIGINT NOT NULL,
  PRIMARY KEY (rule_id, version)
);
`;
