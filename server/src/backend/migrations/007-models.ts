/**
 * Models trained for an account, and the trainings. They belong to the account, not to a tenant: one model scores its
 * sandbox and its production. `previous` is the champion before a promotion, null for the base model; a rollback
 * follows it.
 */
export const models = `
CREATE TABLE models (
  account TEXT NOT NULL,
  model_version TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT,
  file TEXT NOT NULL,
  told TEXT NOT NULL,
  learned_until BIGINT NOT NULL,
  trained_at BIGINT NOT NULL,
  trained_by TEXT,
  promoted_at BIGINT,
  previous TEXT,
  PRIMARY KEY (account, model_version)
);
CREATE INDEX models_by_time ON models (account, trained_at, model_version);
CREATE UNIQUE INDEX models_champion ON models (account) WHERE status = 'champion';

CREATE TABLE trainings (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  status TEXT NOT NULL,
  message TEXT,
  model_version TEXT,
  started_at BIGINT NOT NULL,
  started_by TEXT,
  ended_at BIGINT,
  labels_through BIGINT NOT NULL
);
CREATE UNIQUE INDEX trainings_running ON trainings (account) WHERE status = 'running';
CREATE INDEX trainings_by_account ON trainings (account, started_at);
`;
