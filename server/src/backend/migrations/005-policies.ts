/**
 * Versions of the policy of a tenant, and the audit log. The head of an audit log identifies its newest entry: without
 * it, the newest entries could be deleted unnoticed.
 */
export const policies = `
CREATE TABLE policies (
  tenant BIGINT NOT NULL,
  version BIGINT NOT NULL,
  thresholds TEXT NOT NULL,
  points TEXT NOT NULL,
  rules TEXT NOT NULL,
  author TEXT,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, version)
);

CREATE TABLE audit (
  tenant BIGINT NOT NULL,
  number BIGINT NOT NULL,
  at BIGINT NOT NULL,
  key_id TEXT NOT NULL,
  role TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (tenant, number)
);
CREATE INDEX audit_by_target ON audit (tenant, target, number);

CREATE TABLE audit_heads (
  tenant BIGINT PRIMARY KEY,
  number BIGINT NOT NULL,
  hash TEXT NOT NULL,
  seal TEXT NOT NULL
);
`;
