/**
 * What decides was changed: every process that serves the store reads here what others changed, and puts it into its own memory. The number is counted up in a
 * row of its own, whose lock makes the order of numbers the order of commits: whoever has read up to one has missed none before it. A training says for
 * how long its process can be counted on, and how far it is, so that others can tell one that was cut short from one under way.
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
