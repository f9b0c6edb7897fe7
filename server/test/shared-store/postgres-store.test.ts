import { beforeAll, describe, expect, test } from 'vitest';
import { type Backend, type Statement, Unavailable } from '../../src/backend/backend.ts';
import { MIGRATIONS } from '../../src/backend/migrate.ts';
import { LOCKS } from '../../src/backend/postgres/connection.ts';
import { migratePostgres, openPostgres } from '../../src/backend/postgres/store.ts';
import { makeDatabase, openClient, openStore } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';

const insertRule = (id: string, version: number, more: Partial<Statement> = {}): Statement => ({
  sql: 'INSERT INTO rule_counts (rule_id, version, tenant, matched) VALUES (?, ?, 1, 0)',
  params: [id, version],
  ...more,
});
const insertOnce = (id: string, version: number, more: Partial<Statement> = {}): Statement => ({
  ...insertRule(id, version),
  sql: `${insertRule(id, version).sql} ON CONFLICT (rule_id, version) DO NOTHING`,
  ...more,
});
const bump = (id: string, more: Partial<Statement> = {}): Statement => ({
  sql: 'UPDATE rule_counts SET matched = matched + 1 WHERE rule_id = ?',
  params: [id],
  ...more,
});
const screening = (seq: number, text = 'x'): Statement => ({
  sql: `INSERT INTO screenings (seq, id, tenant, type, screened_at, request, verdict, ruleset_version, facts_version, facts)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  params: [seq, `id${seq}`, 1, 'event', 1_800_000_000_000, text, '{}', 'r1', 1, new Uint8Array([0, 1, 255])],
});
const DONE = { written: true };

describe.skipIf(!hasPostgres)('a store in PostgreSQL', () => {
  const errors: string[] = [];
  let url = '';
  let backend: Backend;
  beforeAll(async () => {
    url = await makeDatabase();
    ({ backend } = await openStore({ url, onError: (error) => void errors.push(error) }));
  });
  const idsOf = async (like: string): Promise<string[]> =>
    (
      await backend.read<{ id: string }>('SELECT rule_id AS id FROM rule_counts WHERE rule_id LIKE ? ORDER BY 1', like)
    ).map(({ id }) => id);

  test('returns values as they were written: numbers, bytes and any text', async () => {
    const text = "o'hara \\ $1 ? ü 🙂 \u0001";
    expect(await backend.write([screening(9_007_199_254_740_991, text)])).toEqual(DONE);
    const [row] = await backend.read<Record<string, unknown>>(
      'SELECT seq, request, facts, screened_at / 7 AS part, COUNT(*) OVER () AS count FROM screenings WHERE seq = ?',
      9_007_199_254_740_991,
    );
    expect(row).toEqual({
      seq: 9_007_199_254_740_991,
      request: text,
      facts: expect.any(Uint8Array),
      part: Math.floor(1_800_000_000_000 / 7),
      count: 1,
    });
    expect(Buffer.from((row as { facts: Uint8Array }).facts)).toEqual(Buffer.from([0, 1, 255]));
  });

  test('orders text by bytes, whatever the locale of the database', async () => {
    await backend.write(['b', 'B', 'ä', 'a_', 'aa'].map((id) => insertRule(`order ${id}`, 1)));
    expect(await idsOf('order %')).toEqual(['B', 'a_', 'aa', 'b', 'ä'].map((id) => `order ${id}`));
  });

  test('commits units that arrive at once in one transaction, whatever rows they have', async () => {
    const written = await Promise.all(
      Array.from({ length: 77 }, (_, i) =>
        backend.write([screening(i), insertRule(`shared ${i}`, 1), ...(i % 3 === 0 ? [bump(`shared ${i}`)] : [])]),
      ),
    );
    expect(written).toEqual(Array(77).fill(DONE));
    const transactions = await backend.read('SELECT DISTINCT xmin FROM rule_counts WHERE rule_id LIKE ?', 'shared %');
    expect(transactions).toHaveLength(1);
  });

  test('reads rows by key while long reads have all their connections, and takes turns between tenants', async () => {
    const ended: string[] = [];
    const long = (tenant: number, ms: number) =>
      backend
        .readLong(tenant, 'SELECT pg_sleep(?)', ms / 1000)
        .then(() => void ended.push(`long read of tenant ${tenant}`));
    const slow = [...Array.from({ length: 6 }, () => long(1, 200)), long(2, 1)];
    await Promise.all(Array.from({ length: 20 }, () => backend.read('SELECT 1')));
    ended.push('reads by key');
    await Promise.all(slow);
    expect(ended[0]).toBe('reads by key');
    expect(ended.indexOf('long read of tenant 2')).toBeLessThan(4);
  });

  test('undoes a refused unit alone, and returns the statement that was refused', async () => {
    await backend.write([insertRule('taken', 1)]);
    const written = await Promise.all([
      backend.write([insertRule('alone 0', 1)]),
      backend.write([insertRule('alone 1', 1), bump('missing', { expect: 1 }), insertRule('alone 2', 1)]),
      backend.write([insertRule('alone 3', 1), bump('taken', { expect: 1 }), bump('missing', { expect: 0 })]),
      backend.write([screening(500), insertOnce('taken', 1, { expect: 1 })]),
      backend.write([screening(501), insertOnce('alone 4', 1, { expect: 1 })]),
      backend.write([screening(502), insertOnce('alone 4', 1, { expect: 1 })]),
    ]);
    expect(written).toEqual([
      DONE,
      { written: false, refused: 1 },
      DONE,
      { written: false, refused: 1 },
      DONE,
      { written: false, refused: 1 },
    ]);
    expect(await idsOf('alone %')).toEqual(['alone 0', 'alone 3', 'alone 4']);
    expect(await backend.read('SELECT seq FROM screenings WHERE seq BETWEEN 500 AND 502')).toEqual([{ seq: 501 }]);
  });

  test('commits units that may be refused in one transaction too', async () => {
    await backend.write([insertRule('guarded 3', 1)]);
    const written = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        backend.write([screening(600 + i), insertOnce(`guarded ${i % 20}`, 1, { expect: 1 })]),
      ),
    );
    expect(written.filter((outcome) => outcome.written)).toHaveLength(19);
    const transactions = await backend.read('SELECT DISTINCT xmin FROM screenings WHERE seq BETWEEN 600 AND 640');
    expect(transactions).toHaveLength(1);
  });

  test.each<[string, (id: string) => Statement[]]>([
    ['with a refused `must` statement', (id) => [insertRule(`${id} x`, 1), bump('missing', { must: 1 })]],
    ['with a conflict', (id) => [insertRule(`${id} x`, 1), insertRule('taken again', 1)]],
    ['with invalid SQL', (id) => [insertRule(`${id} x`, 1), { ...bump('a'), sql: 'UPDATE nothing SET a = ?' }]],
    ['with values of the wrong type', (id) => [insertRule(`${id} x`, 1), insertRule('y', 1.5)]],
  ])('fails a unit %s as a whole, and no other unit of its transaction', async (_, bad) => {
    await backend.write([insertOnce('taken again', 1)]);
    const id = `bad ${Math.random()}`;
    const written = await Promise.allSettled([
      backend.write([insertRule(`${id} 0`, 1), screening(Math.floor(Math.random() * 1e12))]),
      backend.write(bad(id)),
      backend.write([insertRule(`${id} 1`, 1)]),
      backend.write([bump('missing', { expect: 1 })]),
    ]);
    expect(written).toEqual([
      { status: 'fulfilled', value: DONE },
      { status: 'rejected', reason: expect.any(Unavailable) },
      { status: 'fulfilled', value: DONE },
      { status: 'fulfilled', value: { written: false, refused: 0 } },
    ]);
    expect(await idsOf(`${id}%`)).toEqual([`${id} 0`, `${id} 1`]);
  });

  test('gives out each number computed in SQL once, however many processes write at once', async () => {
    const others = await Promise.all([openStore({ url }), openStore({ url })]);
    const next: Statement = {
      sql: `INSERT INTO policies (tenant, version, thresholds, points, rules, created_at)
        SELECT ?, COALESCE(MAX(version), 0) + 1, '', '', '', 0 FROM policies WHERE tenant = ?`,
      params: [7, 7],
    };
    const written = await Promise.allSettled(
      Array.from({ length: 30 }, (_, i) => [backend, ...others.map((other) => other.backend)][i % 3]?.write([next])),
    );
    const rows = await backend.read<{ version: number }>('SELECT version FROM policies WHERE tenant = 7 ORDER BY 1');
    const taken = written.filter(({ status }) => status === 'fulfilled').length;
    expect(rows.map(({ version }) => version)).toEqual(Array.from({ length: taken }, (_, i) => i + 1));
    expect(taken).toBeGreaterThan(0);
  });

  test('reports errors without quoting values', async () => {
    errors.length = 0;
    const secret = 'sk_live_abcdefgh';
    await backend.write([insertRule(secret, 1)]);
    await expect(backend.write([insertRule(secret, 1)])).rejects.toThrow(Unavailable);
    await expect(backend.read('SELECT seq FROM screenings WHERE seq = ?', secret)).rejects.toThrow(/22P02$/);
    await expect(backend.read('SELECT seq FROM nothing WHERE seq = ?', secret)).rejects.toThrow(/"nothing" does not/);
    expect(errors).toEqual([
      '23505 (rule_counts_pkey)',
      'a read failed: 22P02',
      'a read failed: 42P01: relation "nothing" does not exist',
    ]);
  });
});

test.skipIf(!hasPostgres)('many processes can start on an empty database at once', async () => {
  const url = await makeDatabase();
  const stores = await Promise.all(Array.from({ length: 6 }, () => openPostgres({ url })));
  const client = await openClient(url);
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY name');
  expect(rows.map(({ name }) => name)).toEqual(MIGRATIONS.map(({ name }) => name).sort());
  expect(new Set(stores.map(({ place }) => place()?.number)).size).toBe(6);
  for (const { backend } of stores) {
    expect(await backend.write([insertOnce('first', 1)])).toEqual(DONE);
    await backend.close();
  }
});

test.skipIf(!hasPostgres)(
  'a migration that waits for a reader of a table delays other readers only briefly',
  async () => {
    const url = await makeDatabase();
    await migratePostgres(url);
    const [backup, other] = await Promise.all([openClient(url), openClient(url)]);
    const undone = '011-left-to-workers';
    await other.query(`ALTER TABLE trainings DROP COLUMN maturity_days; DROP INDEX backtests_waiting;
    DELETE FROM migrations WHERE name = '${undone}'`);
    // A backup reads like this for hours.
    await backup.query('BEGIN; SELECT id FROM trainings');
    const migrating = migratePostgres(url);
    const waits = "SELECT 1 FROM pg_locks WHERE relation = 'trainings'::regclass AND NOT granted";
    await expect.poll(async () => (await backup.query(waits)).rowCount, { interval: 10 }).toBe(1);
    await other.query('SET statement_timeout = 10000; SELECT id FROM trainings');
    await backup.query('COMMIT');
    expect(await migrating).toEqual([undone]);
  },
);

test.skipIf(!hasPostgres)(
  'a process that starts during a migration waits for it, whatever timeouts the database sets',
  async () => {
    const url = await makeDatabase();
    const admin = await openClient(url);
    const name = new URL(url).pathname.slice(1);
    await admin.query(`ALTER DATABASE ${name} SET statement_timeout = 200`);
    await admin.query(`ALTER DATABASE ${name} SET lock_timeout = 200`);
    await admin.query(`SELECT pg_advisory_lock(${LOCKS.migration}, 0)`);
    const migrating = migratePostgres(url);
    const waited =
      "SELECT 1 FROM pg_stat_activity WHERE datname = $1 AND wait_event = 'advisory' AND now() - query_start > '0.5 s'";
    await expect.poll(async () => (await admin.query(waited, [name])).rowCount).toBe(1);
    await admin.query(`SELECT pg_advisory_unlock(${LOCKS.migration}, 0)`);
    expect(await migrating).toHaveLength(MIGRATIONS.length);
  },
);

test.skipIf(!hasPostgres)(
  'writers of one row wait for each other, whatever isolation level the database sets',
  async () => {
    const url = await makeDatabase();
    const admin = await openClient(url);
    const name = new URL(url).pathname.slice(1);
    await admin.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
    const stores = await Promise.all(Array.from({ length: 6 }, () => openStore({ url })));
    const count = { sql: 'UPDATE changes_through SET number = number + 1 WHERE id = 1', params: [], expect: 1 };
    const countOften = async ({ backend }: (typeof stores)[number]): Promise<void> => {
      for (let time = 0; time < 40; time++) expect(await backend.write([count])).toEqual(DONE);
    };
    await Promise.all(stores.map(countOften));
    expect((await admin.query('SELECT number FROM changes_through')).rows).toEqual([{ number: '240' }]);
  },
);

test.skipIf(!hasPostgres)('close writes all units that were handed over before it', async () => {
  const url = await makeDatabase();
  const { backend } = await openPostgres({ url });
  const written = Promise.all(Array.from({ length: 300 }, (_, i) => backend.write([insertRule(`late ${i}`, 1)])));
  await backend.close();
  expect(await written).toHaveLength(300);
  const client = await openClient(url);
  expect((await client.query('SELECT 1 FROM rule_counts')).rowCount).toBe(300);
  await expect(backend.write([insertRule('too late', 1)])).rejects.toThrow(Unavailable);
});

test.skipIf(!hasPostgres)(
  'a database that cannot be used is reported with the reason and without the password',
  async () => {
    const url = await makeDatabase();
    const errorWith = (change: Partial<Pick<URL, 'port' | 'hostname' | 'pathname'>>): Promise<string> => {
      const wrong = Object.assign(new URL(url), { password: 'hidden-password', ...change });
      return openPostgres({ url: wrong.href }).then(
        () => 'opened',
        (error: Error) => JSON.stringify({ ...error, message: error.message, stack: error.stack, cause: error.cause }),
      );
    };
    const all = await Promise.all([
      errorWith({ port: '1' }),
      errorWith({ hostname: 'nowhere.invalid' }),
      errorWith({ pathname: '/portcullis_test_missing' }),
    ]);
    expect(all).toEqual([
      expect.stringContaining('PostgreSQL cannot be used: nothing listens at its address'),
      expect.stringContaining('PostgreSQL cannot be used: '),
      expect.stringContaining('PostgreSQL cannot be used: there is no such database'),
    ]);
    expect(all.join()).not.toContain('hidden-password');
  },
);
