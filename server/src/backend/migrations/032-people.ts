/**
 * People of an account with their roles, sessions, one-time links, and failed sign-ins. Tokens of sessions and links are
 * stored as hashes. Names of failed sign-ins are hashes too: an address that nobody owns must not be stored. The indexes
 * of times serve the sweep.
 */
export const people = `
CREATE TABLE people (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  email TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  password TEXT,
  sandbox_role TEXT,
  production_role TEXT,
  created_at BIGINT NOT NULL,
  signed_in_at BIGINT
);
CREATE INDEX people_by_account ON people (account, email);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  person TEXT NOT NULL,
  address TEXT NOT NULL,
  user_agent TEXT,
  created_at BIGINT NOT NULL,
  used_at BIGINT NOT NULL
);
CREATE INDEX sessions_by_person ON sessions (person, id);
CREATE INDEX sessions_by_use ON sessions (used_at);

CREATE TABLE sign_in_links (
  hash TEXT PRIMARY KEY,
  account TEXT NOT NULL,
  person TEXT,
  expires_at BIGINT NOT NULL
);
CREATE INDEX sign_in_links_by_person ON sign_in_links (person);
CREATE INDEX sign_in_links_by_end ON sign_in_links (expires_at);

CREATE TABLE sign_in_failures (
  name TEXT PRIMARY KEY,
  failures BIGINT NOT NULL,
  failed_at BIGINT NOT NULL
);
CREATE INDEX sign_in_failures_by_time ON sign_in_failures (failed_at);
`;
