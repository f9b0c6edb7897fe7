import { randomBytes } from 'node:crypto';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tablesOf } from '../../src/backend/copy/source.ts';
import { LOCKS } from '../../src/backend/postgres/connection.ts';
import { migratePostgres } from '../../src/backend/postgres/store.ts';
import { copy } from '../../src/commands/copy.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { runCommand } from '../fixtures/command.ts';
import { EMBEDDED } from '../fixtures/copy-world.ts';
import { CLI, start } from '../fixtures/crash-process.ts';
import { client, makeFolder, startService } from '../fixtures/harness.ts';
import { makeDatabase, makeMigrated, openClient } from '../fixtures/postgres.ts';
import { hasPostgres } from '../fixtures/postgres-available.ts';
import { isRedisAvailable, randomPrefix, removeKeys, SHARED_URL } from '../fixtures/redis-world.ts';

const answers = hasPostgres && (await isRedisAvailable());
const prefix = randomPrefix();
const dataDir = makeFolder();
const SCREENINGS = 3200;
const LOCK = 4711;
let key = '';

const count = (folder: string): number => {
  const database = new DatabaseSync(join(folder, 'portcullis.db'), { readOnly: true });
  const rows = tablesOf(database).find(({ name }) => name === 'screenings')?.rows;
  database.close();
  return rows as number;
};

/** A store of several pages: one screening, repeated under other numbers. */
beforeAll(async () => {
  if (!answers) return;
  const service = await startService({ dataDir, logLevel: 'silent', env: EMBEDDED });
  key = await service.key();
  await client(service, key).pay({ user_id: 'one', amount: 10, currency: 'EUR', ip_address: '198.51.100.7' });
  await service.stop();
  const database = new DatabaseSync(join(dataDir, 'portcullis.db'));
  database
    .prepare(
      `INSERT INTO screenings SELECT s.seq - n.value, s.id, s.tenant, s.type, s.screened_at, s.request, s.verdict,
        s.ruleset_version, s.facts_version, s.facts, s.imported FROM screenings s, (WITH RECURSIVE n(value) AS
        (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?) SELECT value FROM n) n`,
    )
    .run(SCREENINGS - 1);
  database.close();
}, 120_000);
afterAll(async () => {
  if (answers) await removeKeys(SHARED_URL, prefix);
});

/** A database in which a copy halts after two pages, until `release` is called. */
const makeHalting = async () => {
  const url = await makeMigrated();
  await migratePostgres(url);
  const database = await openClient(url);
  await database.query(`
    CREATE FUNCTION halt() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF (SELECT COUNT(*) FROM screenings) >= 2000 THEN PERFORM pg_advisory_xact_lock(${LOCK}); END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER halt BEFORE INSERT ON screenings FOR EACH STATEMENT EXECUTE FUNCTION halt();
    SELECT pg_advisory_lock(${LOCK});
  `);
  const halted = async (): Promise<void> => {
    const waits = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = ${LOCK} AND NOT granted`;
    await expect.poll(async () => (await database.query(waits)).rowCount, { interval: 20 }).toBe(1);
  };
  const screenings = async (): Promise<number> =>
    Number((await database.query('SELECT COUNT(*) AS count FROM screenings')).rows[0].count);
  return { url, database, halted, screenings, release: () => database.query(`SELECT pg_advisory_unlock(${LOCK})`) };
};
/** Copies in this process. Only a copy that is killed, or runs beside another, needs a process of its own. */
const run = async ([, ...options]: string[], settings: Record<string, string>) => {
  const optionOf = (name: string): string | undefined => options[options.indexOf(name) + 1];
  const redis = options.includes('--redis') ? { redis: optionOf('--redis') as string } : {};
  const flags = { to: optionOf('--to') as string, ...redis };
  const { code, out, err } = await runCommand(() => copy(readConfig(settings) as Config, flags));
  return { code, stdout: out, stderr: err };
};
const env = { DATA_DIR: dataDir };
const copyTo = (url: string, more: string[] = [], settings = {}) =>
  run(['copy', '--to', url, ...more], { ...env, ...settings });

/** Starts a copy and kills it in the middle. */
const breakOff = async (
  halting: Awaited<ReturnType<typeof makeHalting>>,
  more: string[] = [],
  settings = {},
): Promise<void> => {
  const program = start(process.execPath, [CLI, 'copy', '--to', halting.url, ...more], { ...env, ...settings });
  await halting.halted();
  program.kill('SIGKILL');
  await program.exited;
  expect(await halting.screenings()).toBe(2000);
};

describe.skipIf(!answers)('a copy that is killed in the middle', () => {
  test('cannot be served, resumes where it stopped when it is run again, and can then be served, with a secret key of its own', async () => {
    const halting = await makeHalting();
    const redis = `${SHARED_URL}?prefix=${prefix}`;
    const own = { SECRET_KEY: randomBytes(32).toString('base64') };
    await breakOff(halting, ['--redis', redis], own);
    const shared = { DATABASE_URL: halting.url, REDIS_URL: redis, ...own };
    await expect(startService({ logLevel: 'silent', env: shared })).rejects.toThrow(
      'a copy into this database is not finished',
    );
    // The second copy waits for the page that the database still writes for the killed one: it may be committed or not.
    const again = copyTo(halting.url, ['--redis', redis], own);
    await halting.release();
    const { code, stdout, stderr } = await again;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('it resumes where it stopped');
    expect(stdout).toContain('SECRET_KEY    the current value');
    expect(await halting.screenings()).toBe(count(dataDir));
    const old = { ...shared, SECRET_KEY: readFileSync(join(dataDir, 'secret.key'), 'utf8').trim() };
    await expect(startService({ logLevel: 'silent', env: old })).rejects.toThrow('is not the secret key of this store');
    const service = await startService({ logLevel: 'silent', env: shared });
    expect((await client(service, key).get('/v1/users/one/risk-profile')).json.transactions.count).toBe(1);
    await service.stop();
  }, 120_000);

  test('is not overwritten by a copy of another store, and starts again, and reports it, when its own store has changed', async () => {
    const halting = await makeHalting();
    await breakOff(halting);
    await halting.release();
    const other = makeFolder();
    await (await startService({ dataDir: other, logLevel: 'silent', env: EMBEDDED })).stop();
    const refused = await run(['copy', '--to', halting.url], { DATA_DIR: other });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('an unfinished copy of another store')]);
    expect(await halting.screenings()).toBeGreaterThanOrEqual(2000);

    const service = await startService({ dataDir, logLevel: 'silent', env: EMBEDDED });
    await client(service, key).pay({ user_id: 'two', amount: 10, currency: 'EUR' });
    await service.stop();
    const { code, stdout } = await copyTo(halting.url);
    expect([code, stdout.split('\n')[0]]).toEqual([0, expect.stringContaining('the copy starts again')]);
    expect(stdout).toContain('portcullis rebuild');
    expect(await halting.screenings()).toBe(count(dataDir));
  }, 120_000);

  test('is distinguished from a running copy: two copies at once do not mix', async () => {
    const halting = await makeHalting();
    const program = start(process.execPath, [CLI, 'copy', '--to', halting.url], env);
    await halting.halted();
    const second = await copyTo(halting.url);
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('Another process serves')]);
    await halting.release();
    expect((await program.exited).code).toBe(0);
    expect(await halting.screenings()).toBe(count(dataDir));
  }, 120_000);
});

test.skipIf(!answers)(
  'a copy with one wrong bit is detected and cannot be served',
  async () => {
    const url = await makeMigrated();
    await migratePostgres(url);
    const database = await openClient(url);
    await database.query(`
    CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.facts = set_bit(NEW.facts, 9, 1 - get_bit(NEW.facts, 9)); RETURN NEW; END $$;
    CREATE TRIGGER spoil BEFORE INSERT ON screenings FOR EACH ROW WHEN (NEW.seq % 1777 = 0) EXECUTE FUNCTION spoil();
  `);
    const { code, stdout, stderr } = await copyTo(url);
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringContaining('screenings in the database differs from its copy'),
    ]);
    await expect(migratePostgres(url)).rejects.toThrow('is not finished');
  },
  120_000,
);

describe.skipIf(!answers)('a copy is refused and changes nothing', () => {
  const password = randomBytes(8).toString('hex');
  const withPassword = (url: string): string => url.replace('postgres@', `postgres:${password}@`);
  const refused = async (
    args: string[],
    message: string | RegExp,
    more: Record<string, string> = {},
  ): Promise<void> => {
    const { code, stdout, stderr } = await run(['copy', ...args], { ...env, ...more });
    expect([code === 0, stdout]).toEqual([false, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain(password);
  };

  test('while a process serves the folder', async () => {
    const service = await startService({ dataDir, logLevel: 'silent', env: EMBEDDED });
    const url = await makeDatabase();
    await refused(['--to', withPassword(url)], 'Another process serves');
    await service.stop();
    expect(
      (await (await openClient(url)).query('SELECT 1 FROM pg_tables WHERE schemaname = current_schema()')).rowCount,
    ).toBe(0);
  });

  test('into a database that is not empty, with tables of Portcullis or others', async () => {
    const url = await makeDatabase();
    const database = await openClient(url);
    await database.query('CREATE TABLE of_others (a INT); INSERT INTO of_others VALUES (1)');
    await refused(['--to', withPassword(url)], 'of_others has rows');
    expect((await database.query('SELECT 1 FROM pg_tables WHERE schemaname = current_schema()')).rowCount).toBe(1);
    await database.query('DROP TABLE of_others');
    await migratePostgres(url);
    await database.query(`INSERT INTO tenants (account, environment) VALUES ('acme', 'sandbox')`);
    await refused(['--to', withPassword(url)], 'tenants has rows');
    await database.query(`DELETE FROM tenants; UPDATE changes_through SET number = 7`);
    await refused(['--to', withPassword(url)], 'changes_through has rows');
  });

  test('into a database that a process serves', async () => {
    const url = await makeDatabase();
    const service = await startService({
      logLevel: 'silent',
      env: {
        DATABASE_URL: url,
        REDIS_URL: `${SHARED_URL}?prefix=${prefix}`,
        SECRET_KEY: randomBytes(32).toString('base64'),
      },
    });
    await (await openClient(url)).query('DELETE FROM base_models; DELETE FROM installation_keys');
    await refused(['--to', url], 'A process serves this database');
    await service.stop();
  });

  test.each([
    ['an unavailable database', ['--to', `postgres://me:${password}@127.0.0.1:9/x`], '--to: PostgreSQL cannot be used'],
    ['a value that is not a URL', ['--to', `me:${password}@db`], '--to must be a URL such as postgres://'],
    [
      'a Redis URL of another protocol',
      ['--to', 'postgres://db/x', '--redis', `http://:${password}@cache`],
      '--redis must be a URL',
    ],
    [
      'an unavailable Redis',
      ['--to', 'postgres://db/x', '--redis', `redis://:${password}@127.0.0.1:9`],
      '--redis: Redis does not answer',
    ],
  ])('with %s', async (_, args, message) => refused(args, message));

  test('from a folder without a store, without its key, or with another key', async () => {
    const url = await makeDatabase();
    await refused(['--to', url], /secret\.key is missing and SECRET_KEY is not set/, { DATA_DIR: makeFolder() });
    const empty = makeFolder();
    writeFileSync(join(empty, 'secret.key'), readFileSync(join(dataDir, 'secret.key')));
    await refused(['--to', url], 'There is no store in', { DATA_DIR: empty });
    const SECRET_KEY = randomBytes(32).toString('base64');
    const strange = makeFolder();
    cpSync(dataDir, strange, { recursive: true });
    writeFileSync(join(strange, 'secret.key'), randomBytes(32).toString('base64'));
    for (const settings of [{}, { SECRET_KEY }])
      await refused(['--to', url], 'is not the secret key of this store', { DATA_DIR: strange, ...settings });
    const old = new DatabaseSync(join(strange, 'portcullis.db'));
    old.exec('DELETE FROM installation_keys');
    old.close();
    await refused(['--to', url], 'SECRET_KEY differs from', { DATA_DIR: strange, SECRET_KEY });
  });

  test('when a process starts to serve between the first check and the start of the copy', async () => {
    const url = await makeMigrated();
    await migratePostgres(url);
    const database = await openClient(url);
    await database.query('BEGIN; LOCK TABLE migrations');
    const copying = copyTo(url);
    const waits = "SELECT 1 FROM pg_locks WHERE relation = 'migrations'::regclass AND NOT granted";
    await expect.poll(async () => (await database.query(waits)).rowCount, { timeout: 90_000 }).toBe(1);
    // As a serving process: it holds a process number.
    const serving = await openClient(url);
    await serving.query(`SELECT pg_advisory_lock(${LOCKS.process}, 0)`);
    await serving.query("INSERT INTO tenants (account, environment) VALUES ('a', 'sandbox')");
    await database.query('COMMIT');
    const { code, stderr } = await copying;
    expect([code, stderr]).toEqual([1, expect.stringContaining('A process serves this database')]);
    expect((await serving.query('SELECT account FROM tenants')).rows).toEqual([{ account: 'a' }]);
    expect((await serving.query("SELECT to_regclass('copy_under_way') AS there")).rows).toEqual([{ there: null }]);
  }, 120_000);
});
