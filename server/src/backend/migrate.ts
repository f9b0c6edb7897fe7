import type { DatabaseSync } from 'node:sqlite';
import { initial } from './migrations/001-initial.ts';

/** In the order they are applied. One that was released is never changed: a change is a new one. */
const MIGRATIONS: readonly { readonly name: string; readonly sql: string }[] = [{ name: '001-initial', sql: initial }];

/** Brings the store up to date and answers with the names of what was applied. */
export const migrate = (database: DatabaseSync): string[] => {
  database.exec('CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at BIGINT NOT NULL)');
  const applied: string[] = [];
  // Two processes may start at once: the write lock makes the second wait and then find the work done.
  database.exec('BEGIN IMMEDIATE');
  try {
    const done = new Set(
      database
        .prepare('SELECT name FROM migrations')
        .all()
        .map((row) => row.name),
    );
    for (const { name, sql } of MIGRATIONS) {
      if (done.has(name)) continue;
      database.exec(sql);
      database.prepare('INSERT INTO migrations (name, applied_at) VALUES (?, ?)').run(name, Date.now());
      applied.push(name);
    }
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
  return applied;
};
