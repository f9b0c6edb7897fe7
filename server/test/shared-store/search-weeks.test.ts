import { describe, expect, test } from 'vitest';
import { CLEAR_SEARCH, createSearchWeeks, dropSearchWeeksBefore } from '../../src/backend/postgres/search-weeks.ts';
import { WEEK_MS } from '../../src/backend/postgres/weeks.ts';
import { firstSeqAt } from '../../src/runtime/ids.ts';
import { makeMigrated, openClient, openStore } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { partitionNames } from '../fixtures/weeks.ts';

const MONDAY = Date.parse('2030-01-07');
const FRIDAY = Date.parse('2030-01-11');
const BOTH = 'search_terms JOIN search_items USING (tenant, seq)';

describe.skipIf(!hasPostgres)('the weeks of search', () => {
  test('are created while somebody reads both tables', async () => {
    const url = await makeMigrated();
    const { backend } = await openStore({ url });
    const reader = await openClient(url);
    await reader.query(`BEGIN; SELECT COUNT(*) FROM ${BOTH}`);
    await createSearchWeeks(backend, firstSeqAt(FRIDAY), firstSeqAt(FRIDAY));
    await reader.query('COMMIT');
    const weeks = ['20300107', '20300114'];
    for (const table of ['search_items', 'search_terms'])
      expect(await partitionNames(reader, table)).toEqual(weeks.map((week) => `${table}_${week}`));
    // By index too: an attached week has those of its table.
    await reader.query(
      `INSERT INTO search_terms (tenant, term, seq) VALUES (1, 2, ${firstSeqAt(FRIDAY)}) ON CONFLICT (tenant, term, seq) DO NOTHING`,
    );
    // A week that ends later is kept: the search itself leaves out items that are too old.
    expect(await dropSearchWeeksBefore(backend, firstSeqAt(MONDAY + WEEK_MS - 1))).toBe(0);
    expect(await dropSearchWeeksBefore(backend, firstSeqAt(MONDAY + WEEK_MS))).toBe(2);
    expect(await partitionNames(reader, 'search_terms')).toEqual(['search_terms_20300114']);
  });

  test('created by two processes at once exist once', async () => {
    const url = await makeMigrated();
    const stores = await Promise.all([openStore({ url }), openStore({ url })]);
    await Promise.all(stores.map(({ backend }) => createSearchWeeks(backend, firstSeqAt(FRIDAY), firstSeqAt(FRIDAY))));
    expect(await partitionNames(await openClient(url), 'search_items')).toHaveLength(2);
  });

  test('replace the days of an earlier version when the projection is written again', async () => {
    const url = await makeMigrated();
    const { backend } = await openStore({ url });
    const client = await openClient(url);
    const day = `FOR VALUES FROM (${firstSeqAt(FRIDAY)}) TO (${firstSeqAt(FRIDAY) + 1000})`;
    for (const table of ['search_items', 'search_terms'])
      await client.query(`CREATE TABLE ${table}_20300111 PARTITION OF ${table} ${day}`);
    await client.query(`INSERT INTO search_terms (tenant, term, seq) VALUES (1, 2, ${firstSeqAt(FRIDAY)})`);
    await backend.write(CLEAR_SEARCH);
    expect(await partitionNames(client, 'search_terms')).toEqual([]);
    await createSearchWeeks(backend, firstSeqAt(FRIDAY), firstSeqAt(FRIDAY));
    expect(await partitionNames(client, 'search_items')).toEqual(['search_items_20300107', 'search_items_20300114']);
  });

  test('a read that deadlocks with a change of tables is repeated', async () => {
    const url = await makeMigrated();
    const errors: string[] = [];
    const { backend } = await openStore({ url, onError: (message) => errors.push(message) });
    const changer = await openClient(url);
    // The longest wait of the two decides which of them PostgreSQL cancels: the read, here.
    await changer.query("SET deadlock_timeout = '1min'");
    await changer.query('BEGIN; LOCK TABLE search_items IN ACCESS EXCLUSIVE MODE');
    const reading = backend.read(
      `WITH waited AS MATERIALIZED (SELECT COUNT(*) AS count FROM search_terms)
        SELECT waited.count FROM waited, (SELECT COUNT(*) FROM search_items) AS items`,
    );
    const waits = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = 'search_items'::regclass`;
    await expect.poll(async () => (await changer.query(waits)).rowCount).toBe(1);
    const changing = changer.query('LOCK TABLE search_terms IN ACCESS EXCLUSIVE MODE; COMMIT');
    expect(await reading).toHaveLength(1);
    await changing;
    expect(errors).toEqual([]);
  });
});
