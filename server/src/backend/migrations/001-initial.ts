/**
 * Times are epoch milliseconds. Ids are the 26 characters after the prefix. A transaction or event, its decision and
 * its case share one id, so none of them needs a further index.
 */
export const initial = `
CREATE TABLE tenants (
  tenant INTEGER PRIMARY KEY,
  account TEXT NOT NULL,
  environment TEXT NOT NULL,
  UNIQUE (account, environment)
);

CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL,
  label TEXT,
  hint TEXT NOT NULL,
  rate_limit_per_minute BIGINT,
  from_settings BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  revoked_at BIGINT
);
CREATE INDEX api_keys_by_tenant ON api_keys (tenant, id);

-- seq is the time and counter of the id. It is the order of decisions, which the counters fold over, and the key that
-- screenings are found by. An index of ids would cost as much as the rows.
CREATE TABLE screenings (
  seq INTEGER PRIMARY KEY,
  id TEXT NOT NULL,
  tenant BIGINT NOT NULL,
  type TEXT NOT NULL,
  screened_at BIGINT NOT NULL,
  request TEXT NOT NULL,
  verdict TEXT NOT NULL,
  ruleset_version TEXT NOT NULL,
  facts_version BIGINT NOT NULL,
  facts BLOB NOT NULL
);

CREATE TABLE cases (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  subject_type TEXT NOT NULL,
  user_id TEXT NOT NULL,
  status TEXT NOT NULL,
  risk_score BIGINT NOT NULL,
  signals TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  resolved_at BIGINT,
  analyst_id TEXT,
  notes TEXT
);
CREATE INDEX cases_by_time ON cases (tenant, created_at, id);
CREATE INDEX cases_by_status ON cases (tenant, status, created_at, id, expires_at);
CREATE INDEX cases_by_user ON cases (tenant, user_id, status, expires_at);

CREATE TABLE reviews (
  tenant BIGINT NOT NULL,
  id TEXT NOT NULL,
  number BIGINT NOT NULL,
  user_id TEXT NOT NULL,
  decision TEXT NOT NULL,
  analyst_id TEXT,
  notes TEXT,
  reviewed_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, id, number)
);
CREATE INDEX reviews_by_user ON reviews (tenant, user_id, id, number);

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  url TEXT NOT NULL,
  events TEXT NOT NULL,
  label TEXT,
  status TEXT NOT NULL,
  sealed_secret BLOB NOT NULL,
  created_at BIGINT NOT NULL
);
CREATE INDEX webhooks_by_tenant ON webhooks (tenant, id);

-- One row per message and endpoint, pending from the commit that inserted it.
CREATE TABLE outbox (
  message_id TEXT NOT NULL,
  webhook_id TEXT NOT NULL,
  tenant BIGINT NOT NULL,
  type TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (message_id, webhook_id)
);
CREATE INDEX outbox_by_webhook ON outbox (tenant, webhook_id, message_id);

CREATE TABLE idempotency (
  tenant BIGINT NOT NULL,
  path TEXT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status BIGINT NOT NULL,
  sealed_response BLOB NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, path, key)
);
CREATE INDEX idempotency_by_time ON idempotency (created_at);
`;
