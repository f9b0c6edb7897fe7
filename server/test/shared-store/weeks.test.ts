import type { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import type { Backend } from '../../src/backend/backend.ts';
import { firstSeqAt } from '../../src/runtime/ids.ts';
import { RETENTION_MS, sweepScreenings } from '../../src/screening/screen.ts';
import { sweepDeliveries } from '../../src/webhooks/sweep.ts';
import { DAY_MS } from '../fixtures/harness.ts';
import { makeMigrated, openClient, openStore } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { partitionNames, rowsByPartition, unitAt } from '../fixtures/weeks.ts';

const WEEK_MS = 7 * DAY_MS;
/** A Monday that no other test uses. */
const MONDAY = Date.parse('2030-01-07');
const TABLES = ['screenings', 'deliveries'] as const;

const open = async (now = MONDAY) => {
  const url = await makeMigrated();
  const errors: string[] = [];
  const { backend } = await openStore({ url, clock: () => now, onError: (message) => errors.push(message) });
  return { url, backend, client: await openClient(url), errors };
};
const write = async (backend: Backend, ...times: number[]): Promise<void> => {
  for (const time of times) expect(await backend.write(unitAt(time))).toEqual({ written: true });
};
const allRows = async (client: Client) => ({
  screenings: await rowsByPartition(client, 'screenings'),
  deliveries: await rowsByPartition(client, 'deliveries'),
});
const inBoth = (rows: Record<string, number>) =>
  Object.fromEntries(
    TABLES.map((table) => [
      table,
      Object.fromEntries(Object.entries(rows).map(([name, count]) => [`${table}_${name}`, count])),
    ]),
  );

describe.skipIf(!hasPostgres)('the weeks of screenings and deliveries', () => {
  test('exist for two weeks ahead when the store opens, also when two processes open it at once', async () => {
    const url = await makeMigrated();
    const errors: string[] = [];
    const now = MONDAY + 3 * DAY_MS;
    const openOne = () => openStore({ url, clock: () => now, onError: (message) => errors.push(message) });
    const [{ backend }] = await Promise.all([openOne(), openOne()]);
    const client = await openClient(url);
    for (const table of TABLES)
      expect(await partitionNames(client, table)).toEqual(
        expect.arrayContaining(['20300107', '20300114', '20300121', 'default'].map((name) => `${table}_${name}`)),
      );
    expect(errors).toEqual([]);
    await write(backend, MONDAY, MONDAY + WEEK_MS - 1, MONDAY + WEEK_MS);
    expect(await allRows(client)).toEqual(inBoth({ 20300107: 2, 20300114: 1 }));
  });

  test('take rows from the default partition: those of a clock 100 days ahead', async () => {
    const { url, backend, client, errors } = await open();
    const ahead = MONDAY + 100 * DAY_MS;
    await write(backend, MONDAY, ahead, ahead + WEEK_MS, ahead - WEEK_MS);
    expect(await allRows(client)).toEqual(inBoth({ 20300107: 1, default: 3 }));
    await openStore({ url, clock: () => ahead });
    expect(await allRows(client)).toEqual(inBoth({ 20300107: 1, 20300415: 1, 20300422: 1, default: 1 }));
    expect(errors).toEqual([]);
  });

  test('leave rows in the default partition that would take long to move', async () => {
    const { url, client } = await open();
    const ahead = MONDAY + 100 * DAY_MS;
    await client.query(
      `INSERT INTO screenings (seq, id, tenant, type, screened_at, request, verdict, ruleset_version, facts_version, facts)
        SELECT ${firstSeqAt(ahead)} + i, 'i', 1, 'transaction', 0, '{}', '{}', 'rules', 1, '' FROM generate_series(0, 20000) AS i`,
    );
    const { backend } = await openStore({ url, clock: () => ahead });
    await write(backend, ahead + WEEK_MS);
    expect(await rowsByPartition(client, 'screenings')).toEqual({ screenings_default: 20_001, screenings_20300422: 1 });
  });

  test('are dropped when the last label of their screenings has settled, with all their rows and no others', async () => {
    const { backend, client } = await open(MONDAY - WEEK_MS);
    await write(backend, MONDAY - 1, MONDAY, MONDAY + WEEK_MS - 1, MONDAY + WEEK_MS, MONDAY + 20 * WEEK_MS);
    const rows = { 20291231: 1, 20300107: 2, 20300114: 1, default: 1 };
    const kept = { 20300107: 2, 20300114: 1, default: 1 };
    const end = MONDAY + RETENTION_MS + DAY_MS;
    await sweepScreenings(backend, end - 1, 100);
    expect((await allRows(client)).screenings).toEqual(inBoth(rows).screenings);
    expect(await sweepScreenings(backend, end, 100)).toBe(1);
    expect((await allRows(client)).screenings).toEqual(inBoth(kept).screenings);
    expect(await sweepScreenings(backend, end + WEEK_MS, 100)).toBe(2);
    expect((await allRows(client)).screenings).toEqual(inBoth({ 20300114: 1, default: 1 }).screenings);

    await client.query(
      "INSERT INTO webhooks (id, tenant, url, events, status, sealed_secret, created_at) VALUES ('w', 1, '', '[]', 'enabled', '', 0)",
    );
    await sweepDeliveries(backend, 30, MONDAY + 30 * DAY_MS - 1, 100);
    expect((await allRows(client)).deliveries).toEqual(inBoth(rows).deliveries);
    expect(await sweepDeliveries(backend, 30, MONDAY + 30 * DAY_MS, 100)).toBe(1);
    expect((await allRows(client)).deliveries).toEqual(inBoth(kept).deliveries);
  });

  test('leave rows of the default partition to be deleted one by one', async () => {
    const { backend, client } = await open();
    const ahead = MONDAY + 100 * DAY_MS;
    await write(backend, ahead, ahead + 1);
    expect(await sweepScreenings(backend, ahead + 1 + RETENTION_MS, 100)).toBe(1);
    expect(await rowsByPartition(client, 'screenings')).toEqual({ screenings_default: 1 });
  });

  test('are not dropped while a backup reads them, and screenings go on', async () => {
    const { url, backend, client } = await open();
    await write(backend, MONDAY);
    const backup = await openClient(url);
    await backup.query('BEGIN; SELECT FROM screenings');
    const end = MONDAY + WEEK_MS + RETENTION_MS + DAY_MS;
    const swept = sweepScreenings(backend, end, 100);
    await write(backend, MONDAY + WEEK_MS);
    expect(await swept).toBe(0);
    expect(await rowsByPartition(client, 'screenings')).toEqual({ screenings_20300107: 1, screenings_20300114: 1 });
    await backup.query('COMMIT');
    // Another process is not held back by the failed attempt.
    const other = await openStore({ url, clock: () => MONDAY });
    expect(await sweepScreenings(other.backend, end, 100)).toBe(1);
    expect(await rowsByPartition(client, 'screenings')).toEqual({ screenings_20300114: 1 });
  });

  test('are read one at a time by number, however often a statement has run', async () => {
    const { backend, client } = await open();
    await write(backend, MONDAY, MONDAY + WEEK_MS);
    await client.query('PREPARE find (BIGINT) AS SELECT id FROM screenings WHERE seq = $1 AND tenant = 1');
    const find = `EXECUTE find(${firstSeqAt(MONDAY)})`;
    for (let times = 0; times < 10; times++) await client.query(find);
    const { rows } = await client.query(`EXPLAIN ${find}`);
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('screenings_20300107_pkey');
    expect(plan).not.toMatch(/Seq Scan|screenings_20300114|default/);
  });
});
