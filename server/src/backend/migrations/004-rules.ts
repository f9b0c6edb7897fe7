/**
 * Rules, and what they matched. Hits of one rule lie together in the order of deciding; how many there are is kept apart, by version, for
 * counting millions whenever somebody looks would keep every screening waiting.
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
