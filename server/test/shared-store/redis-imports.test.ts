import { randomBytes } from 'node:crypto';
import { FACT_NAMES, replay, unpackFacts } from '@portcullis/engine';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { POLICY, type StoredScreening } from '../fixtures/crash-store.ts';
import { client, DAY_MS, HOUR_MS, makeClock, type Service, START, startService } from '../fixtures/harness.ts';
import { historyOf } from '../fixtures/label-traffic.ts';
import { importAll, pastItems, steadyTraffic } from '../fixtures/past-items.ts';
import { makeMigrated, openClient } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { makeRedisProxy } from '../fixtures/redis-proxy.ts';
import { hasRedisServer, startRedis } from '../fixtures/redis-world.ts';

/** More than the records of a history that Redis keeps in the order of their arrival. */
const ITEMS = 300;
const CUT_OFF = 30;

/** A change of the database that lets a confirmation wait for an advisory lock. */
const HOLD_CONFIRMATIONS = `
  CREATE FUNCTION hold() RETURNS trigger AS $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NEW; END $$ LANGUAGE plpgsql;
  CREATE TRIGGER hold BEFORE UPDATE ON imports FOR EACH ROW WHEN (OLD.open_last > 0) EXECUTE FUNCTION hold()`;

const expectReplay = async ({ app }: Service): Promise<void> => {
  const rows = await app.backend.read<StoredScreening>(
    'SELECT seq, id, type, screened_at, request, verdict, facts, imported FROM screenings ORDER BY seq',
  );
  expect(rows).toHaveLength(ITEMS);
  let index = 0;
  for (const { facts } of replay(POLICY, historyOf(rows, []))) {
    const stored = unpackFacts((rows[index++] as StoredScreening).facts);
    expect([index, FACT_NAMES.filter((_, i) => !Object.is(stored[i], facts[i]))]).toEqual([index, []]);
  }
};

describe.skipIf(!hasPostgres || !hasRedisServer())('an import that loses Redis after its confirmation', () => {
  test('and is repeated counts items in their order: facts equal a replay to the bit', async () => {
    const redis = await startRedis();
    const proxy = await makeRedisProxy(redis.port);
    const env = { DATABASE_URL: await makeMigrated(), SECRET_KEY: randomBytes(32).toString('base64') };
    const { items: all, end } = pastItems(steadyTraffic(7, ITEMS), START - 200 * DAY_MS);
    const items = all.filter(({ label }) => label === undefined);
    const { now } = makeClock(end + HOUR_MS);
    const serve = (url: string) => startService({ clock: now, logLevel: 'silent', env: { ...env, REDIS_URL: url } });

    const cut = await serve(proxy.url);
    const key = await cut.key();
    const sql = await openClient(env.DATABASE_URL);
    await sql.query(HOLD_CONFIRMATIONS);
    await sql.query('SELECT pg_advisory_lock(7)');
    const importing = client(cut, key).post('/v1/imports', { items: items.slice(0, CUT_OFF) });
    const keys = new Redis(redis.url);
    onTestFinished(() => keys.disconnect());
    await expect.poll(async () => (await keys.keys('*:h:*')).length).toBeGreaterThan(0);
    proxy.close();
    await sql.query('SELECT pg_advisory_unlock(7)');
    await importing;

    const next = await serve(redis.url);
    expect(await importAll(client(next, key), items)).toMatchObject({ imported: ITEMS - CUT_OFF, repeated: CUT_OFF });
    await expectReplay(next);
  });
});
