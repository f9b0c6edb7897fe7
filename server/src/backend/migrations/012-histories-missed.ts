/**
 * Processes that hold updates which Redis has not received, each with a lease. They are stored with the records,
 * because Redis is unavailable then. If such a process ends before it sends them, the histories in Redis are
 * incomplete.
 */
export const historiesMissed = `
CREATE TABLE histories_missed (
  process TEXT PRIMARY KEY,
  alive_until BIGINT NOT NULL
);
`;
