import type { DatabaseSync } from 'node:sqlite';
import { initial } from './migrations/001-initial.ts';
import { deliveries } from './migrations/002-deliveries.ts';
import { lists } from './migrations/003-lists.ts';
import { rules } from './migrations/004-rules.ts';
import { policies } from './migrations/005-policies.ts';
import { labels } from './migrations/006-labels.ts';
import { models } from './migrations/007-models.ts';
import { backtests } from './migrations/008-backtests.ts';
import { changes } from './migrations/009-changes.ts';
import { baseModels } from './migrations/010-base-models.ts';
import { leftToWorkers } from './migrations/011-left-to-workers.ts';
import { historiesMissed } from './migrations/012-histories-missed.ts';

/** In the order they are applied. One that was released is never changed: a change is a new one. */
export const MIGRATIONS: readonly { readonly name: string; readonly sql: string }[] = [
  { name: '001-initial', sql: initial },
  { name: '002-deliveries', sql: deliveries },
  { name: '003-lists', sql: lists },
  { name: '004-rules', sql: rules },
  { name: '005-policies', sql: policies },
  { name: '006-labels', sql: labels },
  { name: '007-models', sql: models },
  { name: '008-backtests', sql: backtests },
  { name: '009-changes', sql: changes },
  { name: '010-base-models', sql: baseModels },
  { name: '011-left-to-workers', sql: leftToWorkers },
  { name: '012-histories-missed', sql: historiesMissed },
];

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
