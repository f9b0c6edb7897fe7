import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { openPostgres, type PostgresOptions } from '../src/backend/postgres.ts';
import { afterEachFile, takeAll } from './after-file.ts';

/** The server that tests make their databases in. */
export const SERVER = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres';

export const connect = async (url: string): Promise<Client> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => {});
  await client.connect();
  return client;
};

const urlOf = (name: string): string => {
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  return url.href;
};

const asAdmin = async <T>(act: (admin: Client) => Promise<T>): Promise<T> => {
  const admin = await connect(SERVER);
  try {
    return await act(admin);
  } finally {
    await admin.end();
  }
};

const made = new Set<string>();
const opened = new Set<() => Promise<void>>();
afterEachFile(async () => {
  await Promise.all(takeAll(opened).map((close) => close()));
  if (made.size > 0)
    await asAdmin(async (admin) => {
      for (const name of takeAll(made)) await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    });
});

/** A database of its own, gone after the tests of the file; empty, or a copy of one that nobody is connected to. */
export const makeDatabase = async (copied?: string): Promise<string> => {
  const name = `portcullis_test_${randomBytes(8).toString('hex')}`;
  made.add(name);
  const template = copied === undefined ? '' : ` TEMPLATE ${new URL(copied).pathname.slice(1)}`;
  await asAdmin((admin) => admin.query(`CREATE DATABASE ${name}${template}`));
  return urlOf(name);
};

/** The store as a process has it, closed after the tests of the file. */
export const openStore = async (options: PostgresOptions) => {
  const store = await openPostgres(options);
  opened.add(store.backend.close);
  return store;
};

/** A connection of the test's own, to look at things and to stand in the way. */
export const openClient = async (url: string): Promise<Client> => {
  const client = await connect(url);
  opened.add(() => client.end().catch(() => {}));
  return client;
};

/** Ends all connections to the database but those of the test. */
export const cutAll = async (url: string): Promise<void> => {
  const name = new URL(url).pathname.slice(1);
  await asAdmin((admin) =>
    admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name = 'portcullis'",
      [name],
    ),
  );
};
