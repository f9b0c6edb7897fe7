import { migrateSqlite } from '../backend/sqlite.ts';
import type { Config } from '../config.ts';
import { say } from '../say.ts';

export const migrateStore = (config: Config): void => {
  const applied = migrateSqlite(config.dataDir);
  say(applied.length === 0 ? 'The store is up to date.' : `Applied ${applied.join(', ')}.`);
};
