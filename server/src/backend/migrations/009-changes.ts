/**
 * Changes of configuration. Each process reads the changes of others and applies them in memory. The number is
 * incremented in a row of its own, whose lock makes the order of numbers the order of commits: a reader never misses an
 * earlier one. A training gets a lease (`alive_until`) and its progress, so that an interrupted training can be
 * recognized.
 */
export const changes = `
CREATE TABLE changes_through (id BIGINT PRIMARY KEY, number BIGINT NOT NULL);
INSERT INTO changes_through (id, number) VALUES (1, 0);

CREATE TABLE changes (
  number BIGINT PRIMARY KEY,
  tenant BIGINT NOT NULL,
  part TEXT NOT NULL,
  detail TEXT NOT NULL,
  made_by TEXT NOT NULL,
  at BIGINT NOT NULL
);

ALTER TABLE trainings ADD COLUMN alive_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE trainings ADD COLUMN progress DOUBLE PRECISION NOT NULL DEFAULT 0;
`;
