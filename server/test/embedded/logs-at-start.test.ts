import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { provideCountersFile } from '../../src/backend/embedded/counters-file.ts';
import { COUNTERS_FILE } from '../../src/backend/embedded/counters-schema.ts';
import { openDatabase } from '../../src/backend/embedded/open-database.ts';
import { openSearchFile, provideSearchFile, SEARCH_FILE } from '../../src/backend/embedded/search-file.ts';
import { DATABASE_FILE, migrateSqlite, openSqlite } from '../../src/backend/embedded/store.ts';
import { makeServiceIdentities } from '../../src/backend/service-identities.ts';
import { makeFolder, startService } from '../fixtures/harness.ts';

const ROWS = 5000;
const fill = (insert: string): string =>
  `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS}) ${insert}`;

/** Copies a file and its log as a crash leaves them. */
const copyCrashed = (name: string, from: string, to: string): void => {
  for (const end of ['', '-wal']) copyFileSync(join(from, name + end), join(to, name + end));
};
const logBytes = (path: string): number => statSync(`${path}-wal`).size;

test('a start after a crash leaves the log of the histories as it is: copying it would delay the start', async () => {
  const [crashed, directory] = [makeFolder(), makeFolder()];
  for (const folder of [crashed, directory]) migrateSqlite(folder);
  const records = openDatabase(join(crashed, DATABASE_FILE), { readOnly: true, cacheKib: 64 });
  const identities = makeServiceIdentities(new Uint8Array(16));
  const ignore = (): void => {};
  const path = join(crashed, COUNTERS_FILE);
  const histories = provideCountersFile({ path, records, identities, onInfo: ignore, onError: ignore });
  histories.exec(fill('INSERT INTO shelves SELECT i, 1, i, 0, 0, zeroblob(1000) FROM n'));
  copyCrashed(COUNTERS_FILE, crashed, directory);
  histories.close();
  records.close();

  const { backend } = openSqlite({ directory, identities });
  expect(logBytes(join(directory, COUNTERS_FILE))).toBeGreaterThan(ROWS * 1000);
  await backend.close();
});

test('a start after a crash leaves the log of the records as it is', async () => {
  const [crashed, dataDir] = [makeFolder(), makeFolder()];
  migrateSqlite(crashed);
  const records = openDatabase(join(crashed, DATABASE_FILE), { cacheKib: 64 });
  records.exec('CREATE TABLE filler (bytes BLOB)');
  records.exec(fill('INSERT INTO filler SELECT zeroblob(1000) FROM n'));
  copyCrashed(DATABASE_FILE, crashed, dataDir);
  records.close();

  await startService({ dataDir });
  expect(logBytes(join(dataDir, DATABASE_FILE))).toBeGreaterThan(ROWS * 1000);
});

test('a start after a crash leaves the log of search as it is', () => {
  const [crashed, folder] = [makeFolder(), makeFolder()];
  provideSearchFile(join(crashed, SEARCH_FILE));
  const search = openSearchFile(join(crashed, SEARCH_FILE));
  search.exec('PRAGMA wal_autocheckpoint = 0');
  search.exec(fill('INSERT INTO search_terms_settled SELECT 1, i, i FROM n'));
  copyCrashed(SEARCH_FILE, crashed, folder);
  search.close();
  const path = join(folder, SEARCH_FILE);
  const before = logBytes(path);

  expect(provideSearchFile(path)).toBe(false);
  expect(logBytes(path)).toBe(before);
  const next = openSearchFile(path);
  expect(next.prepare('SELECT COUNT(*) AS rows FROM search_terms').get()?.rows).toBe(ROWS);
  next.close();
});
