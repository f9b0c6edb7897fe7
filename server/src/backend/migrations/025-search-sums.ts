/**
 * Finds the cases that were resolved in a time, with everything that statistics need of them. About one screening in a
 * hundred has a case, so the index is made in seconds.
 */
export const casesByResolution = `
CREATE INDEX cases_by_resolution ON cases (tenant, resolved_at, created_at, status, analyst_id)
  WHERE resolved_at IS NOT NULL;
`;

/**
 * PostgreSQL only: sums over the items of an hour or a day, which the projection adds to. The same rows change with every
 * page, so their pages keep room for the next version.
 */
export const searchSums = `
CREATE TABLE search_sums (
  tenant BIGINT NOT NULL,
  kind TEXT NOT NULL,
  hours BIGINT NOT NULL,
  start BIGINT NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  items BIGINT NOT NULL,
  cents DOUBLE PRECISION NOT NULL,
  fraud BIGINT NOT NULL,
  legitimate BIGINT NOT NULL,
  fraud_cents DOUBLE PRECISION NOT NULL,
  PRIMARY KEY (tenant, kind, hours, start, type, name)
) WITH (fillfactor = 70);
`;

/**
 * PostgreSQL only: the events of the live feed, in the order in which the projection met them. `number` is a position in the
 * feed, `entry` the screening or label that the event comes from.
 */
export const searchFeed = `
CREATE TABLE search_feed (
  number BIGINT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  entry BIGINT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  at BIGINT NOT NULL,
  id TEXT NOT NULL,
  subject_type TEXT NOT NULL,
  has_case BIGINT NOT NULL,
  score BIGINT NOT NULL,
  decision TEXT NOT NULL
);
CREATE INDEX search_feed_by_tenant ON search_feed (tenant, number);
`;
