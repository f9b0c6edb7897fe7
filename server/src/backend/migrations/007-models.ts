/**
 * Models that were trained for an account, and the trainings. They belong to the account and not to a tenant: its sandbox and its production are scored by
 * the same one. `previous` is the champion before a promotion, null for the model that ships: going back follows it.
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
