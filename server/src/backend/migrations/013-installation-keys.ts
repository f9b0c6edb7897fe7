/**
 * The keys of the installation. Each is random and encrypted ("wrapped") under the secret key, which is not stored
 * here. `secret_id` identifies that secret key: during a rotation every key has one row per secret key. `active_at` is
 * when processes start to use a version for new data.
 */
export const installationKeys = `
CREATE TABLE installation_keys (
  purpose TEXT NOT NULL,
  version BIGINT NOT NULL,
  secret_id TEXT NOT NULL,
  wrapped BLOB NOT NULL,
  created_at BIGINT NOT NULL,
  active_at BIGINT NOT NULL,
  PRIMARY KEY (purpose, version, secret_id)
);
`;
