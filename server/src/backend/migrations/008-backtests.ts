/** Backtests of a rule or a policy: request and outcome. `alive_until` is the lease of the process that runs it. */
export const backtests = `
CREATE TABLE backtests (
  id TEXT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  status TEXT NOT NULL,
  request TEXT NOT NULL,
  from_at BIGINT NOT NULL,
  until_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  ended_at BIGINT,
  message TEXT,
  outcome TEXT,
  alive_until BIGINT NOT NULL,
  progress DOUBLE PRECISION NOT NULL
);
CREATE INDEX backtests_by_tenant ON backtests (tenant, id);
`;
