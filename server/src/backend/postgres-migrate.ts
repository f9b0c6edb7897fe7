import { MIGRATIONS } from './migrate.ts';
import { type Link, LOCKS, openLink } from './postgres-link.ts';
import { prepared, translateMigration } from './postgres-sql.ts';

const apply = async (link: Link): Promise<string[]> => {
  await link.exec(
    'CREATE TABLE IF NOT EXISTS migrations (name TEXT COLLATE "C" PRIMARY KEY, applied_at BIGINT NOT NULL)',
  );
  const { rows } = await link.run<{ name: string }>(prepared('SELECT name FROM migrations'), []);
  const done = new Set(rows.map(({ name }) => name));
  const applied: string[] = [];
  for (const { name, sql } of MIGRATIONS) {
    if (done.has(name)) continue;
    await link.exec(`BEGIN; ${translateMigration(sql)}`);
    await link.run(prepared('INSERT INTO migrations (name, applied_at) VALUES (?, ?)'), [name, Date.now()]);
    await link.exec('COMMIT');
    applied.push(name);
  }
  return applied;
};

/** Brings the database up to date, with the same migrations as the embedded store. Of several who start at once, one does and the rest wait for it. */
export const migratePostgres = async (url: string): Promise<string[]> => {
  // However long it takes: an index on a large table is no reason to give up.
  const link = await openLink({ url });
  try {
    await link.run(prepared(`SELECT pg_advisory_lock(${LOCKS.migration}, 0)`), []);
    return await apply(link);
  } finally {
    await link.end();
  }
};
