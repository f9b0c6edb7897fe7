import { FACTS_VERSION, makeFacts, packFacts } from '@portcullis/engine';
import type { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import type { Value } from '../../src/backend/backend.ts';
import { openProjection } from '../../src/backend/open-projection.ts';
import { createSearchWeeks } from '../../src/backend/postgres/search-weeks.ts';
import { migratePostgres, openPostgresRecords } from '../../src/backend/postgres/store.ts';
import type { Projection } from '../../src/backend/projection.ts';
import { makeServiceIdentities } from '../../src/backend/service-identities.ts';
import { firstSeqAt } from '../../src/runtime/ids.ts';
import { adoptJournal, type ProjectDeps, runPass } from '../../src/search/project.ts';
import { readItems } from '../../src/search/user-store.ts';
import { DAY_MS, START } from '../fixtures/harness.ts';
import { makeMigrated, openClient } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';

const VERDICT = '{"score":1,"decision":"allow","base_score":1,"signals":[],"rules":{}}';
const REQUEST = JSON.stringify({ user_id: 'user', amount: 1, currency: 'EUR' });
const FACTS = Buffer.from(packFacts(makeFacts().fill(Number.NaN)));

/** The number of an item of a day. */
const numberOf = (day: number, item: number): number => firstSeqAt(START + day * DAY_MS) + item;

const insert = (client: Client, seq: number): Promise<unknown> =>
  client.query(
    `INSERT INTO screenings (seq, id, tenant, type, screened_at, request, verdict, ruleset_version, facts_version, facts)
      VALUES ($1, $2, 1, 'transaction', $3, $4, $5, 'rules', $6, $7)`,
    [seq, String(seq), START, REQUEST, VERDICT, FACTS_VERSION, FACTS],
  );

const label = (client: Client, seq: number, of: number, value: string): Promise<unknown> =>
  client.query(
    `INSERT INTO labels (seq, id, tenant, screening_id, screening_seq, subject_type, label, origin, source, author,
        labelled_at, counted_at, repeats, screened_at, request, score, decision, facts_version, facts)
      VALUES ($1, $2, 1, $3, $4, 'transaction', $5, 'api', 'test', 'test', $6, $6, 0, $6, $7, 1, 'allow', $8, $9)`,
    [seq, String(seq), String(of), of, value, START, REQUEST, FACTS_VERSION, FACTS],
  );

const open = async () => {
  const url = await makeMigrated();
  await migratePostgres(url);
  const projection: Projection = await openProjection({ url, ports: [] }, () => {});
  const identities = makeServiceIdentities(new Uint8Array(16));
  const deps: ProjectDeps = {
    projection,
    identities,
    onUnreadable: (seq) => {
      throw new Error(`${seq} is unreadable`);
    },
    isStopped: () => false,
  };
  const items = async (): Promise<number[]> =>
    (await projection.read<{ seq: number }>('SELECT seq FROM search_items ORDER BY seq')).map(({ seq }) => seq);
  const weeks = async (): Promise<number> =>
    (
      await projection.read<{ weeks: number }>(
        "SELECT COUNT(*) AS weeks FROM pg_class WHERE relname ~ '^search_items_\\d{8}$'",
      )
    )[0]?.weeks ?? 0;
  return { url, projection, deps, items, weeks };
};

describe.skipIf(!hasPostgres)('the projection in PostgreSQL', () => {
  test('gives the query planner its statistics once the whole journal was read, and does not wait for them', async () => {
    const { url, projection, deps } = await open();
    const client = await openClient(url);
    const written = 3;
    for (let item = 0; item < written; item++) await insert(client, numberOf(0, item));
    // Delays the statistics of the users, as a large table does.
    await client.query('BEGIN; LOCK TABLE search_users IN SHARE UPDATE EXCLUSIVE MODE');
    expect(await runPass(deps)).toBe(true);
    // A table that was never analyzed has -1.
    const known = async (): Promise<number[]> =>
      (
        await projection.read<{ known: number }>(
          `SELECT CAST(c.reltuples AS INT) AS known FROM pg_class c LEFT JOIN pg_inherits h ON h.inhrelid = c.oid
            WHERE c.oid = 'search_users'::regclass OR h.inhparent = 'search_items'::regclass
            ORDER BY h.inhparent NULLS FIRST, known DESC`,
        )
      ).map((row) => row.known);
    const [users] = await known();
    expect(users).toBe(-1);
    await client.query('COMMIT');
    await expect.poll(async () => (await known()).slice(0, 2)).toEqual([1, written]);
    expect((await known()).slice(2)).not.toContain(-1);
    await projection.close();
  });

  test('misses no screening that is committed after one with a higher number', async () => {
    const { url, projection, deps, items } = await open();
    const [slow, quick] = [await openClient(url), await openClient(url)];
    for (const round of [0, 1, 2]) {
      const before = await items();
      const [late, early] = [numberOf(round, 10), numberOf(round, 20)];
      await slow.query('BEGIN');
      await insert(slow, late);
      await insert(quick, early);
      expect(await runPass(deps)).toBe(true);
      expect(await items()).not.toContain(late);
      await slow.query('COMMIT');
      // A transaction of another database on the same server may hold the projection back for a while.
      await expect.poll(() => runPass(deps).then(items)).toEqual([...before, late, early]);
    }
    await projection.close();
  });

  test('counts items and labels once that both the scan and the following read', async () => {
    const { url, projection, deps, items } = await open();
    const [holder, client] = [await openClient(url), await openClient(url)];
    const [first, second] = [numberOf(0, 1), numberOf(0, 2)];
    // The oldest transaction in progress: following begins with it, and repeats everything that was committed since.
    await holder.query('BEGIN');
    await insert(holder, first);
    await insert(client, second);
    await label(client, numberOf(0, 3), second, 'fraud');
    await label(client, numberOf(0, 4), second, 'legitimate');
    expect(await runPass(deps)).toBe(true);
    expect(await items()).toEqual([second]);
    await holder.query('COMMIT');
    await expect.poll(() => runPass(deps).then(items)).toEqual([first, second]);
    // An older label by its number, which is committed later, does not apply.
    await label(client, numberOf(0, 6), second, 'fraud');
    await label(client, numberOf(0, 5), second, 'legitimate');
    const readThrough = async (): Promise<unknown> => {
      await runPass(deps);
      return (await projection.read<{ seq: number }>("SELECT seq FROM search_through WHERE part = 'labels'"))[0]?.seq;
    };
    await expect.poll(readThrough).toBe(numberOf(0, 5));
    const sums = await projection.read<{ cents: number }>(
      `SELECT name, hours, items, cents, fraud, legitimate, fraud_cents FROM search_sums
        WHERE kind = 'decision' ORDER BY hours`,
    );
    const cents = sums[0]?.cents as number;
    const figures = { name: 'allow', items: 2, cents, fraud: 1, legitimate: 0, fraud_cents: cents / 2 };
    expect(sums).toEqual([
      { ...figures, hours: 1 },
      { ...figures, hours: 24 },
    ]);
    await projection.close();
  });

  test('makes the indexes that it follows by beside open transactions, and never waits for them', async () => {
    const { url, projection, deps, items } = await open();
    const [holder, client] = [await openClient(url), await openClient(url)];
    // As after the upgrade of a large table: no partition has the index yet.
    await client.query(`DROP INDEX screenings_by_written, labels_by_written;
      CREATE INDEX screenings_by_written ON ONLY screenings (written, seq) WHERE written IS NOT NULL`);
    await holder.query('BEGIN');
    await insert(holder, numberOf(0, 1));
    await insert(client, numberOf(0, 2));
    expect(await runPass(deps)).toBe(true);
    expect(await items()).toEqual([numberOf(0, 2)]);
    await holder.query('COMMIT');
    const usable = async (): Promise<number> =>
      (
        await projection.read<{ usable: number }>(
          "SELECT COUNT(*) AS usable FROM pg_index WHERE indisvalid AND indexrelid::regclass::text IN ('screenings_by_written', 'labels_by_written')",
        )
      )[0]?.usable ?? 0;
    await expect.poll(usable).toBe(2);
    await expect.poll(() => runPass(deps).then(items)).toEqual([numberOf(0, 1), numberOf(0, 2)]);
    await projection.close();
  });

  test('has a partition for each week, one week ahead, and none before the retention', async () => {
    const { url, projection, deps, items, weeks } = await open();
    const client = await openClient(url);
    for (const day of [0, 7, 35]) await insert(client, numberOf(day, 1));
    await runPass(deps);
    expect(await weeks()).toBe(7);
    await projection.dropBefore?.(numberOf(7, 0));
    expect(await weeks()).toBe(6);
    expect(await items()).toEqual([numberOf(7, 1), numberOf(35, 1)]);
    await projection.close();
  });

  test('is written again after the database was restored on another server', async () => {
    const { url, projection, deps, items } = await open();
    const client = await openClient(url);
    await insert(client, numberOf(0, 1));
    await runPass(deps);
    // The numbers of transactions of that server were higher.
    await client.query("UPDATE search_through SET source = '1:other', written = written + 1000000");
    await insert(client, numberOf(0, 2));
    await adoptJournal(deps);
    await runPass(deps);
    expect(await items()).toEqual([numberOf(0, 1), numberOf(0, 2)]);
    await projection.close();
  });
});

test.skipIf(!hasPostgres)('a plan that was made for an empty week finds items by an index', async () => {
  const url = await makeMigrated();
  await migratePostgres(url);
  const backend = await openPostgresRecords({ url, onError: () => {} });
  await createSearchWeeks(backend, numberOf(0, 0), numberOf(0, 0));
  const client = await openClient(url);
  await client.query('ANALYZE search_items; ANALYZE search_terms');
  await client.end();
  const range = { first: numberOf(0, 0), before: Number.MAX_SAFE_INTEGER };
  let plan = '';
  const explain = async <Row>(tenant: number, sql: string, ...params: Value[]): Promise<Row[]> => {
    const rows = await backend.readLong<Record<string, string>>(tenant, `EXPLAIN ${sql}`, ...params);
    plan = rows.map((row) => Object.values(row)[0]).join('\n');
    return [];
  };
  await readItems({ readLong: explain }, { tenant: 1, term: 7, range, limit: 300 });
  expect(plan).toContain('search_items_');
  expect(plan).toContain('Nested Loop');
  expect(plan).not.toMatch(/Seq Scan|Merge Join|Hash Join/);
  await backend.close();
});
