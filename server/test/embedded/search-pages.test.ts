import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSqliteProjection } from '../../src/backend/embedded/projection.ts';
import { provideSearchFile, searchPathBeside } from '../../src/backend/embedded/search-file.ts';
import { DATABASE_FILE, migrateSqlite } from '../../src/backend/embedded/store.ts';
import { makeServiceIdentities } from '../../src/backend/service-identities.ts';
import { firstSeqAt } from '../../src/runtime/ids.ts';
import { runPass } from '../../src/search/project.ts';
import { newFolder } from '../fixtures/crash-process.ts';

const AT = Date.parse('2026-03-01T10:00:00Z');

/** Stores screenings of three users, one a millisecond. Returns the path of the records. */
const storeScreenings = (count: number): string => {
  const folder = newFolder();
  migrateSqlite(folder);
  const path = join(folder, DATABASE_FILE);
  const records = new DatabaseSync(path);
  const insert = records.prepare(`INSERT INTO screenings
    (seq, id, tenant, type, screened_at, request, verdict, ruleset_version, facts_version, facts)
    VALUES (?, ?, 1, 'transaction', ?, ?, ?, 'rules-1', 0, x'')`);
  records.exec('BEGIN');
  for (let i = 0; i < count; i++) {
    const request = JSON.stringify({ user_id: `user_${i % 3}`, amount: 10, currency: 'USD' });
    const verdict = '{"score":1,"decision":"allow","base_score":1,"signals":[],"rules":{}}';
    insert.run(firstSeqAt(AT + i), `txn_${i}`, AT + i, request, verdict);
  }
  records.exec('COMMIT');
  records.close();
  provideSearchFile(searchPathBeside(path));
  return path;
};

test.each([
  [1000, 2600, [1000, 1000, 600]],
  [1000, 2000, [1000, 1000]],
  [4000, 2600, [2600]],
  [4000, 4500, [4000, 500]],
])('pages of %i screenings write each of %i screenings once', async (screeningsPerPage, count, pages) => {
  const path = storeScreenings(count);
  const projection = { ...openSqliteProjection({ path, ports: [] }), screeningsPerPage };
  const written: number[] = [];
  const isDone = await runPass({
    projection,
    identities: makeServiceIdentities(new Uint8Array(16)),
    onUnreadable: (seq) => expect.unreachable(`screening ${seq} cannot be read`),
    isStopped: () => false,
    onPage: (entries) => written.push(entries),
  });
  const [items] = await projection.read<object>('SELECT COUNT(*) AS items, MAX(seq) AS newest FROM search_items');
  const [terms] = await projection.read<object>('SELECT COUNT(*) AS terms FROM search_terms');
  const [sums] = await projection.read<object>(
    "SELECT SUM(items) AS items, SUM(cents) AS cents FROM search_sums WHERE kind = 'decision' AND hours = 24",
  );
  const [through] = await projection.read<object>("SELECT seq FROM search_through WHERE part = 'screenings'");
  await projection.close();
  expect(isDone).toBe(true);
  expect(written).toEqual(pages);
  const newest = firstSeqAt(AT + count - 1);
  expect({ items, terms, sums, through }).toEqual({
    items: { items: count, newest },
    terms: { terms: count },
    sums: { items: count, cents: count * 1000 },
    through: { seq: newest },
  });
});
