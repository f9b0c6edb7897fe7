import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { NOT_COPIED, tablesOf } from '../../src/backend/copy/source.ts';
import { MIGRATIONS } from '../../src/backend/migrate.ts';
import { EMBEDDED, makeWorld, payOnce, viewOf, type World } from '../fixtures/copy-world.ts';
import { run } from '../fixtures/crash-process.ts';
import { client, type Json, startService } from '../fixtures/harness.ts';
import { makeDatabase, openClient } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { isRedisAvailable, randomPrefix, removeKeys, SHARED_URL } from '../fixtures/redis-world.ts';
import { outcomeOf, play, traffic } from '../fixtures/traffic.ts';

const answers = hasPostgres && (await isRedisAvailable());
const prefix = randomPrefix();
afterAll(async () => {
  if (answers) await removeKeys(SHARED_URL, prefix);
});

describe.skipIf(!answers)('a copy of the embedded store in PostgreSQL and Redis', async () => {
  if (!answers) return;
  const world: World = await makeWorld();
  const { clock, dataDir, tenants, receiver } = world;
  const before: unknown[] = [];
  for (const { key, ids, users } of tenants) before.push(await viewOf(client(world.service, key), clock, ids, users));
  await world.service.app.retention.sweep();
  await world.service.stop();
  const source = new DatabaseSync(join(dataDir, 'portcullis.db'), { readOnly: true });
  const tables = tablesOf(source);
  source.close();

  const url = await makeDatabase();
  const to = url.replace('postgres@', `postgres:${randomBytes(6).toString('hex')}@`);
  const redis = `${SHARED_URL}?prefix=${prefix}`;
  const command = await run(['copy'], { DATA_DIR: dataDir, DATABASE_URL: to, REDIS_URL: redis });
  const secret = readFileSync(join(dataDir, 'secret.key'), 'utf8').trim();
  const database = await openClient(url);
  const copy = () =>
    startService({
      clock: clock.now,
      logLevel: 'silent',
      env: { ...world.env, DATABASE_URL: url, REDIS_URL: redis, SECRET_KEY: secret, TRAIN_DAILY: 'off' },
    });
  const service = await copy();

  test('prints the copied tables and the settings to use, and never the key or a password', () => {
    expect([command.code, command.stderr]).toEqual([0, '']);
    for (const { name, rows } of tables)
      expect(command.stdout).toMatch(new RegExp(`${name} +${rows} rows  sha256 [0-9a-f]{16}\n`));
    expect(command.stdout).toContain(`SECRET_KEY    the content of ${join(dataDir, 'secret.key')}`);
    for (const hidden of [secret, new URL(to).password]) expect(command.stdout).not.toContain(hidden);
  });

  test('has every table that a migration created, and each had rows', () => {
    const sql = MIGRATIONS.map((migration) => migration.sql).join('\n');
    const named = (pattern: RegExp): string[] => [...sql.matchAll(pattern)].map(([, name]) => name as string);
    const dropped = named(/DROP TABLE (\w+)/g);
    const made = named(/CREATE TABLE (\w+)/g).filter((name) => !dropped.includes(name) && !NOT_COPIED.includes(name));
    expect(tables.map(({ name }) => name)).toEqual(made.sort());
    // For a new table, add a row in copy-world.ts.
    expect(tables.filter(({ rows }) => rows === 0).map(({ name }) => name)).toEqual([]);
  });

  test('has the screenings and deliveries of the past in their weeks', async () => {
    for (const table of ['screenings', 'deliveries']) {
      const { rows } = await database.query(`SELECT DISTINCT tableoid::regclass::text AS name FROM ${table}`);
      for (const { name } of rows) expect(name).toMatch(/_\d{8}$/);
    }
  });

  test('numbers new rows after the copied rows', async () => {
    for (const { name } of tables) {
      const { rows } = await database.query(
        `SELECT attname FROM pg_attribute WHERE attrelid = '"${name}"'::regclass AND attidentity <> ''`,
      );
      for (const { attname } of rows) {
        const { rows: next } = await database.query(
          `SELECT nextval(pg_get_serial_sequence('${name}', '${attname}')) > (SELECT MAX(${attname}) FROM ${name}) AS fits`,
        );
        expect([name, next]).toEqual([name, [{ fits: true }]]);
      }
    }
  });

  test.each([0, 1])('answers every GET as the source did, with the same API keys (%i)', async (index) => {
    const { key, ids, users, reader } = tenants[index] as World['tenants'][number];
    expect(await viewOf(client(service, key), clock, ids, users)).toEqual(before[index]);
    expect((await client(service, reader).get('/v1/cases')).status).toBe(200);
    expect((await client(service, key).get('/v1/audit/check')).json.intact).toBe(true);
  });

  test.each([0, 1])('replays the stored answer to a repeated request (%i)', async (index) => {
    const { key, kept } = tenants[index] as World['tenants'][number];
    const again = await payOnce(client(service, key));
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([kept, 'true']);
  });

  test.each([0, 1])(
    'delivers pending messages (%i)',
    async (index) => {
      receiver.open();
      const { key, ids, owed } = tenants[index] as World['tenants'][number];
      expect(owed.length).toBeGreaterThan(50);
      const path = `/v1/webhooks/${ids.webhook_id}/deliveries`;
      const isOwed = async (): Promise<boolean> =>
        (await client(service, key).get(`${path}?limit=100`)).json.deliveries.some(
          ({ status }: Json) => status === 'owed',
        );
      await expect.poll(isOwed, { timeout: 90_000, interval: 200 }).toBe(false);
      const received = receiver.received.map(({ headers }) => headers['webhook-id']);
      expect(received).toEqual(expect.arrayContaining(owed.map(({ message_id }: Json) => message_id)));
    },
    120_000,
  );

  test('decides about known users with the same facts as the source, to the bit', async () => {
    const env = { ...EMBEDDED, ...world.env };
    const old = await startService({ dataDir, clock: clock.now, logLevel: 'silent', env });
    const now = clock.now();
    for (const { key } of tenants) {
      const seen = [];
      for (const served of [old, service]) {
        clock.set(now);
        for (const step of traffic(99, 60)) await play(client(served, key), clock, [step]);
        const rows = await served.app.backend.read<{ facts: Uint8Array; verdict: string }>(
          'SELECT facts, verdict FROM screenings ORDER BY seq DESC LIMIT 60',
        );
        seen.push(rows.map(({ facts, verdict }) => [Buffer.from(facts).toString('hex'), verdict]));
      }
      expect(seen[1]).toEqual(seen[0]);
    }
    await old.stop();
  }, 120_000);

  test('generates ids after all copied ids, even if the clock was set back', async () => {
    const newest = async (): Promise<number> =>
      Number((await database.query('SELECT MAX(seq) AS seq FROM screenings')).rows[0].seq);
    await service.stop();
    const last = await newest();
    clock.advance(-24 * 3_600_000);
    const again = await copy();
    const { json } = await client(again, tenants[0]?.key).pay({ user_id: 'late', amount: 1, currency: 'EUR' });
    expect(outcomeOf(json).decision).toBe('allow');
    expect(await newest()).toBeGreaterThan(last);
    await again.stop();
  });
});
