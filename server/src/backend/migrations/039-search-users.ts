/**
 * PostgreSQL only: the embedded store has the projection in a file of its own. The ids of users, to find them by their
 * start. Search is written again at the next start, which fills it.
 */
export const searchUsers = `
CREATE TABLE search_users (
  tenant BIGINT NOT NULL,
  user_id TEXT NOT NULL,
  user_term BIGINT NOT NULL,
  newest_day BIGINT NOT NULL,
  PRIMARY KEY (tenant, user_id)
);
`;
