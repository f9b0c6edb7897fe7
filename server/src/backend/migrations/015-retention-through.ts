/** The time as of which the sweep has deleted all rows past their retention. It advances in steps. */
export const retentionThrough = `
CREATE TABLE retention_through (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  at BIGINT NOT NULL
);
`;
