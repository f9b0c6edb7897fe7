/**
 * Embedded store: the process that serves the folder, and the lock file it holds. Another process that finds a new lock
 * file asks the holder for an answer before it takes over. `write_probe` is written and cleared to find out whether a
 * store takes writes again.
 */
export const serving = `
CREATE TABLE serving (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  holder TEXT NOT NULL,
  lock_file TEXT NOT NULL,
  contender TEXT,
  answered TEXT
);
CREATE TABLE write_probe (
  id BIGINT PRIMARY KEY CHECK (id = 1),
  bytes BLOB
);
`;
