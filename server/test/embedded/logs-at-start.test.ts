import { copyFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { provideCountersFile } from '../../src/backend/embedded/counters-file.ts';
import { COUNTERS_FILE } from '../../src/backend/embedded/counters-schema.ts';
import { openDatabase } from '../../src/backend/embedded/open-database.ts';
import { openSearchFile, provideSearchFile, SEARCH_FILE } from '../../src/backend/embedded/search-file.ts';
import { DATABASE_FILE, migrateSqlite } from '../../src/backend/embedded/store.ts';
import { makeServiceIdentities } from '../../src/backend/service-identities.ts';
import { makeFolder } from '../fixtures/harness.ts';

const ROWS = 5000;
const fill = (insert: string): string =>
  `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS}) ${insert}`;

/** Copies a file and its log as a crash leaves them. Returns the path of the copy. */
const copyCrashed = (path: string, name: string): string => {
  const copy = join(makeFolder(), name);
  for (const end of ['', '-wal']) copyFileSync(path + end, copy + end);
  return copy;
};
const logBytes = (path: string): number => statSync(`${path}-wal`).size;

test('a start after a crash leaves the log of the histories as it is: copying it would delay the start', () => {
  const folder = makeFolder();
  migrateSqlite(folder);
  const records = openDatabase(join(folder, DATABASE_FILE), { readOnly: true, cacheKib: 64 });
  const identities = makeServiceIdentities(new Uint8Array(16));
  const ignore = (): void => {};
  const options = { records, identities, onInfo: ignore, onError: ignore };
  const crashed = provideCountersFile({ ...options, path: join(folder, COUNTERS_FILE) });
  crashed.exec(fill('INSERT INTO shelves SELECT i, 1, i, 0, 0, zeroblob(1000) FROM n'));
  const path = copyCrashed(join(folder, COUNTERS_FILE), COUNTERS_FILE);
  crashed.close();

  const first = provideCountersFile({ ...options, path });
  const next = openDatabase(path, { readOnly: true, cacheKib: 64 });
  first.close();
  expect(logBytes(path)).toBeGreaterThan(ROWS * 1000);
  expect(next.prepare('SELECT COUNT(*) AS rows FROM shelves').get()?.rows).toBe(ROWS);
  next.close();
  records.close();
});

test('a start after a crash leaves the log of search as it is', () => {
  const original = join(makeFolder(), SEARCH_FILE);
  provideSearchFile(original);
  const crashed = openSearchFile(original);
  crashed.exec('PRAGMA wal_autocheckpoint = 0');
  crashed.exec(fill('INSERT INTO search_terms SELECT 1, i, i FROM n'));
  const path = copyCrashed(original, SEARCH_FILE);
  crashed.close();
  const before = logBytes(path);

  expect(provideSearchFile(path)).toBe(false);
  expect(logBytes(path)).toBe(before);
  const next = openSearchFile(path);
  expect(next.prepare('SELECT COUNT(*) AS rows FROM search_terms').get()?.rows).toBe(ROWS);
  next.close();
});
