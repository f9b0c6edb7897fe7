import { describe, expect, test } from 'vitest';
import { migratePostgres, openPostgresRecords } from '../../src/backend/postgres/store.ts';
import { firstSeqAt } from '../../src/runtime/ids.ts';
import { RETENTION_MS, sweepScreenings } from '../../src/screening/screen.ts';
import { DAY_MS } from '../fixtures/harness.ts';
import { openClient, openStore } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { makeUnpartitioned, partitionNames, rowsByPartition, unitAt } from '../fixtures/weeks.ts';

const TABLES = ['screenings', 'deliveries'] as const;

/** A process of the previous version: it opens the database without migrating it, and never reconnects. */
const startWriter = async (url: string) => {
  const errors: string[] = [];
  const backend = await openPostgresRecords({ url, onError: (message) => errors.push(message) });
  let isStopped = false;
  let written = 0;
  const work = async (): Promise<void> => {
    while (!isStopped) {
      await backend.write(unitAt(Date.now()));
      written++;
      await backend.read('SELECT MAX(seq) AS seq FROM screenings');
    }
  };
  const working = work();
  return {
    errors,
    written: () => written,
    stop: async (): Promise<void> => {
      isStopped = true;
      await working.finally(() => backend.close());
    },
  };
};

describe.skipIf(!hasPostgres)('the upgrade to weeks', () => {
  test('loses no row and fails no write, and gives up where a backup would hold writes up', async () => {
    const { url, client } = await makeUnpartitioned();
    const before = await openPostgresRecords({ url });
    for (const age of [0, 1, 50, 100]) await before.write(unitAt(Date.now() - age * DAY_MS));
    await before.close();
    const writers = [await startWriter(url), await startWriter(url)];
    const backup = await openClient(url);
    await backup.query('BEGIN; SELECT FROM screenings; SELECT FROM deliveries');
    const migrated = migratePostgres(url);
    const isWaiting = async (): Promise<boolean> =>
      (await client.query("SELECT 1 FROM pg_locks WHERE NOT granted AND mode = 'AccessExclusiveLock'")).rows.length > 0;
    await expect.poll(isWaiting).toBe(true);
    // Every writer waits behind the migration now, and for less than the 5 s after which a write fails.
    const reached = writers.map(({ written }) => written() + 2);
    await expect.poll(() => writers.every(({ written }, i) => written() >= (reached[i] as number))).toBe(true);
    await backup.query('COMMIT');
    expect(await migrated).toContain('031-deliveries-in-weeks');
    const atEnd = writers.map(({ written }) => written() + 2);
    await expect.poll(() => writers.every(({ written }, i) => written() >= (atEnd[i] as number))).toBe(true);
    for (const writer of writers) await writer.stop();
    expect(writers.flatMap(({ errors }) => errors)).toEqual([]);
    const total = 4 + writers.reduce((sum, { written }) => sum + written(), 0);
    for (const table of TABLES) {
      const [name, ...more] = Object.keys(await rowsByPartition(client, table));
      expect([name, more]).toEqual([expect.stringMatching(`^${table}_before_\\d{8}$`), []]);
      expect(await rowsByPartition(client, table)).toEqual({ [name as string]: total });
    }
    const { rows } = await client.query('SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid');
    expect(rows).toEqual([]);
  });

  test('keeps rows of before in one partition, deletes them one by one, and drops it after its last week', async () => {
    const { url, client } = await makeUnpartitioned();
    const now = Date.now();
    const before = await openPostgresRecords({ url });
    for (const age of [0, 99, 100]) await before.write(unitAt(now - age * DAY_MS));
    await before.close();
    const { backend } = await openStore({ url });
    const [old = ''] = (await partitionNames(client, 'screenings')).filter((name) => name.includes('before'));
    const monday = Date.parse(old.slice(-8).replace(/(....)(..)(..)/, '$1-$2-$3'));
    expect((monday - now) / DAY_MS).toBeGreaterThan(27);
    // The weeks that it covers are not created.
    expect(await partitionNames(client, 'screenings')).toEqual([old, 'screenings_default']);
    expect(await sweepScreenings(backend, now, 100)).toBe(2);
    const { backend: later } = await openStore({ url, clock: () => monday });
    await later.write(unitAt(monday - 1));
    await later.write(unitAt(monday));
    const week = `screenings_${old.slice(-8)}`;
    expect(await rowsByPartition(client, 'screenings')).toEqual({ [old]: 2, [week]: 1 });
    const end = monday + RETENTION_MS + DAY_MS;
    expect(await sweepScreenings(later, end, 100)).toBe(2);
    expect(await partitionNames(client, 'screenings')).not.toContain(old);
    expect(await rowsByPartition(client, 'screenings')).toEqual({ [week]: 1 });
  });

  test('accepts rows that a wrong clock stored years ahead', async () => {
    const { url, client } = await makeUnpartitioned();
    const before = await openPostgresRecords({ url });
    const ahead = Date.now() + 1000 * DAY_MS;
    await before.write(unitAt(ahead));
    await before.close();
    const { backend } = await openStore({ url });
    for (const time of [Date.now(), ahead + DAY_MS, ahead + 100 * DAY_MS]) await backend.write(unitAt(time));
    expect(Object.values(await rowsByPartition(client, 'screenings')).reduce((a, b) => a + b)).toBe(4);
    expect(Number((await client.query('SELECT MAX(seq) AS seq FROM screenings')).rows[0].seq)).toBeGreaterThan(
      firstSeqAt(ahead + 99 * DAY_MS),
    );
  });
});
