/**
 * Processes that remember what Redis has not been told, until when they can be counted on to remember it. Noted with the records, since Redis is
 * away then: of one that ended meanwhile it must be known that histories are missing what it screened.
 */
export const historiesMissed = `
CREATE TABLE histories_missed (
  process TEXT PRIMARY KEY,
  alive_until BIGINT NOT NULL
);
`;
