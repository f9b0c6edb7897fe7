import { describe, expect, test } from 'vitest';
import { createDays, dropDaysBefore } from '../../src/backend/postgres/search-days.ts';
import { firstSeqAt } from '../../src/runtime/ids.ts';
import { DAY_MS } from '../fixtures/harness.ts';
import { makeMigrated, openClient, openStore } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { partitionNames } from '../fixtures/weeks.ts';

const DAY = Date.parse('2030-01-07');
const BOTH = 'search_terms JOIN search_items USING (tenant, seq)';

describe.skipIf(!hasPostgres)('the days of search', () => {
  test('are created while somebody reads both tables', async () => {
    const url = await makeMigrated();
    const { backend } = await openStore({ url });
    const reader = await openClient(url);
    await reader.query(`BEGIN; SELECT COUNT(*) FROM ${BOTH}`);
    await createDays(backend, firstSeqAt(DAY), firstSeqAt(DAY));
    await reader.query('COMMIT');
    const days = ['20300107', '20300108', '20300109'];
    for (const table of ['search_items', 'search_terms'])
      expect(await partitionNames(reader, table)).toEqual(days.map((day) => `${table}_${day}`));
    // By index too: an attached day has those of its table.
    await reader.query(
      `INSERT INTO search_terms (tenant, term, seq) VALUES (1, 2, ${firstSeqAt(DAY)}) ON CONFLICT (tenant, term, seq) DO NOTHING`,
    );
    expect(await dropDaysBefore(backend, firstSeqAt(DAY + DAY_MS))).toBe(2);
    expect(await partitionNames(reader, 'search_terms')).toEqual(['search_terms_20300108', 'search_terms_20300109']);
  });

  test('created by two processes at once exist once', async () => {
    const url = await makeMigrated();
    const stores = await Promise.all([openStore({ url }), openStore({ url })]);
    await Promise.all(stores.map(({ backend }) => createDays(backend, firstSeqAt(DAY), firstSeqAt(DAY))));
    expect(await partitionNames(await openClient(url), 'search_items')).toHaveLength(3);
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
