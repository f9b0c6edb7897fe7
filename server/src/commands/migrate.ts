import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from '../backend/migrate.ts';
import { DATABASE_FILE } from '../backend/sqlite.ts';
import { openDatabase } from '../backend/sqlite-open.ts';
import type { Config } from '../config.ts';
import { say } from '../say.ts';

export const migrateStore = (config: Config): void => {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const database = openDatabase(join(config.dataDir, DATABASE_FILE), { cacheKib: 1024 });
  const applied = migrate(database);
  database.close();
  say(applied.length === 0 ? 'The store is up to date.' : `Applied ${applied.join(', ')}.`);
};
