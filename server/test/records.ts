import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Redis } from 'ioredis';
import type { Backend, Value } from '../src/backend/backend.ts';
import { openBeside } from '../src/backend/open.ts';
import { type Config, readConfig } from '../src/config.ts';
import { connect } from './postgres.ts';
import { storeEnv } from './shared-store.ts';

/** What tests do to the store of a service behind its back, whichever store it is. A service is named by its folder. */

/** The settings that name the store. */
export const settingsOf = async (folder: string): Promise<Config> =>
  readConfig({ DATA_DIR: folder, ...(await storeEnv(folder)) }) as Config;

/** The records, as another process has them; also when the service is stopped. */
export const openRecords = async (folder: string) => openBeside(await settingsOf(folder));

const withRecords = async <T>(folder: string, act: (records: Backend) => Promise<T>): Promise<T> => {
  const records = await openRecords(folder);
  try {
    return await act(records);
  } finally {
    await records.close();
  }
};

export const readRecords = <Row>(folder: string, sql: string, ...params: Value[]): Promise<Row[]> =>
  withRecords(folder, (records) => records.read<Row>(sql, ...params));

/** Statements with the same parameters, one after the other. */
export const changeRecords = (folder: string, sql: string | readonly string[], ...params: Value[]): Promise<void> =>
  withRecords(folder, async (records) => {
    for (const text of [sql].flat() as string[]) await records.write([{ sql: text, params }]);
  });

/** Makes the store refuse what is written to a table, or leave it undone without a word. Answers with what mends it. */
export const breakTable = async (
  folder: string,
  table: string,
  on: 'INSERT' | 'UPDATE' = 'INSERT',
  how: 'refuse' | 'ignore' = 'refuse',
): Promise<() => Promise<void>> => {
  const { shared } = await settingsOf(folder);
  if (shared === undefined) {
    const act = how === 'refuse' ? "RAISE(ABORT, 'the disk is full')" : 'RAISE(IGNORE)';
    await changeRecords(folder, `CREATE TRIGGER broken BEFORE ${on} ON ${table} BEGIN SELECT ${act}; END`);
    return () => changeRecords(folder, 'DROP TRIGGER IF EXISTS broken');
  }
  const act = how === 'refuse' ? "RAISE EXCEPTION 'the disk is full' USING ERRCODE = '53100'" : 'RETURN NULL';
  await changeRecords(folder, [
    `CREATE OR REPLACE FUNCTION broken() RETURNS trigger AS $$ BEGIN ${act}; END $$ LANGUAGE plpgsql`,
    `CREATE TRIGGER broken BEFORE ${on} ON ${table} FOR EACH ROW EXECUTE FUNCTION broken()`,
  ]);
  return () => changeRecords(folder, `DROP TRIGGER IF EXISTS broken ON ${table}`);
};

/** Keeps all writes waiting, while reads go on. Answers with what lets them go on. */
export const holdWrites = async (folder: string): Promise<() => Promise<void>> => {
  const { shared } = await settingsOf(folder);
  if (shared === undefined) {
    const other = new DatabaseSync(join(folder, 'portcullis.db'), { timeout: 10_000 });
    other.exec('BEGIN IMMEDIATE');
    return async () => other.close();
  }
  const other = await connect(shared.databaseUrl);
  const { rows } = await other.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  await other.query(`BEGIN; LOCK TABLE ${rows.map(({ name }) => name).join(', ')} IN EXCLUSIVE MODE`);
  return () => other.end();
};

const isInDatabase = async (url: string, text: string): Promise<boolean> => {
  const client = await connect(url);
  try {
    const tables = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    );
    for (const { name } of tables.rows) {
      // Bytes show as hexadecimal digits there.
      const found = `SELECT 1 FROM ${name} r WHERE position($1 IN r::text) > 0 OR position($2 IN r::text) > 0 LIMIT 1`;
      if ((await client.query(found, [text.replaceAll('\0', ''), Buffer.from(text).toString('hex')])).rowCount === 1)
        return true;
    }
    return false;
  } finally {
    await client.end();
  }
};
const isInRedis = async (url: string, prefix: string, text: string): Promise<boolean> => {
  const redis = new Redis(url);
  try {
    for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1000 }))
      for (const key of keys as string[])
        if (key.includes(text) || (await redis.dumpBuffer(key))?.includes(text) === true) return true;
    return false;
  } finally {
    redis.disconnect();
  }
};

/** Whether the store holds the text anywhere: in any of its files, or in any row or key. */
export const isStored = async (folder: string, text: string): Promise<boolean> => {
  const inFiles = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some((entry) => readFileSync(join(entry.parentPath, entry.name)).includes(text));
  const { shared } = await settingsOf(folder);
  if (inFiles || shared === undefined) return inFiles;
  return (await isInDatabase(shared.databaseUrl, text)) || (await isInRedis(shared.redisUrl, shared.redisPrefix, text));
};
