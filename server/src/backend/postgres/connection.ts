import type { Socket } from 'node:net';
import { Client, type ClientConfig, types } from 'pg';
import { Unavailable, type Value } from '../backend.ts';
import { type PreparedStatement, prepared } from './sql.ts';

/** Identifies a session of the server: process ids are used again. */
export interface Session {
  readonly pid: number;
  readonly startedAt: string;
}

/** The rows a statement returned, and how many it changed. */
export interface QueryResult<Row> {
  readonly rows: Row[];
  readonly changes: number;
  readonly command: string;
}

/**
 * One connection. Statements are pipelined: a second statement is sent without waiting for the first, and answers
 * come in order.
 */
export interface PostgresConnection {
  /** The session of the connection on the server. Set once the connection is in a pool. */
  session: Session | undefined;
  readonly run: <Row>(statement: PreparedStatement, params: readonly Value[]) => Promise<QueryResult<Row>>;
  /** Runs unprepared SQL, which may hold several statements. */
  readonly exec: (text: string) => Promise<QueryResult<unknown>>;
  /** Holds statements back until `release`, so that they leave in one write to the socket. */
  readonly hold: () => void;
  readonly release: () => void;
  readonly isLost: () => boolean;
  /** Closes it once the statements in flight are done. */
  readonly end: () => Promise<void>;
  /** Closes it at once. Statements in flight are rejected. */
  readonly destroy: () => void;
}

export interface PostgresConnectionOptions {
  readonly url: string;
  /** How long the server may take for one statement. Unlimited by default. */
  readonly statementMs?: number;
  readonly onLost?: () => void;
}

/**
 * First of the two numbers of an advisory lock, by purpose. Locks belong to a database: two installations on one
 * server do not share them.
 */
export const LOCKS = {
  migration: 0x706f_7201,
  process: 0x706f_7202,
  key: 0x706f_7203,
  copy: 0x706f_7204,
  job: 0x706f_7205,
};

const CONNECT_MS = 3000;
/** A process that hangs in a transaction must not hold its locks forever. */
const IDLE_IN_TRANSACTION_MS = 10_000;

const INT8 = 20;
const NUMERIC = 1700;
/**
 * All our numbers are safe integers or doubles. By default `pg` returns these types as text, because they could be
 * larger.
 */
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === INT8 || oid === NUMERIC ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser;

interface PostgresError {
  readonly code?: string;
  readonly message?: string;
  readonly constraint?: string;
}

/** The SQLSTATE of an error; undefined when PostgreSQL sent none, which means that the connection is lost. */
export const sqlStateOf = (error: unknown): string | undefined => {
  const { code } = error as PostgresError;
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E') ? code : undefined;
};

/** The server lacks disk space or memory, or its disk fails. */
export const isStorageError = (error: unknown): boolean => /^(?:53|58|XX)/.test(sqlStateOf(error) ?? '');

/** The SQL or its parameters are wrong, so a retry would not help. */
export const isInvalidSql = (error: unknown): boolean => /^(?:22|42)/.test(sqlStateOf(error) ?? '');

/** PostgreSQL ended one of two transactions that waited for each other. A retry may succeed. */
export const isDeadlock = (error: unknown): boolean => sqlStateOf(error) === '40P01';

/**
 * An error in words that may be logged. PostgreSQL's messages may quote values, and connection errors may quote the
 * address. The message is used only where the SQL is wrong, since our SQL holds no values.
 */
export const describeError = (error: unknown): string => {
  const { code, message, constraint } = error as PostgresError;
  if (code?.startsWith('42') === true) return `${code}: ${message}`;
  if (code === undefined) return error instanceof Unavailable ? error.message : 'the connection is lost';
  return constraint === undefined ? code : `${code} (${constraint})`;
};

const READ_ONLY = prepared("SELECT current_setting('transaction_read_only') = 'on' AS yes");
/**
 * Whether the connection leads to a standby, or to a database set to read only. Advisory locks taken there do not
 * exclude processes on the primary.
 */
export const isReadOnly = async (connection: PostgresConnection): Promise<boolean> =>
  (await connection.run<{ yes: boolean }>(READ_ONLY, [])).rows[0]?.yes === true;

const SESSION = prepared(
  'SELECT pid, backend_start::text AS "startedAt" FROM pg_stat_activity WHERE pid = pg_backend_pid()',
);
export const sessionOf = async (connection: PostgresConnection): Promise<Session | undefined> =>
  (await connection.run<Session>(SESSION, [])).rows[0];

const END_SESSION = prepared(
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ? AND backend_start::text = ?',
);
/** Ends a session. Returns whether it has ended: a session that is in a commit ends after it. */
export const endSession = async (connection: PostgresConnection, { pid, startedAt }: Session): Promise<boolean> =>
  (await connection.run(END_SESSION, [pid, startedAt])).rows.length === 0;

export const connectPostgres = async ({
  url,
  statementMs,
  onLost,
}: PostgresConnectionOptions): Promise<PostgresConnection> => {
  const config: ClientConfig = {
    connectionString: url,
    application_name: 'portcullis',
    connectionTimeoutMillis: CONNECT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser },
    ...(statementMs === undefined ? {} : { statement_timeout: statementMs }),
  };
  const client = new Client(config);
  let isLost = false;
  const lose = (): void => {
    if (isLost) return;
    isLost = true;
    onLost?.();
  };
  // Statements in flight are rejected too. Without a listener the event would end the process.
  client.on('error', lose);
  client.on('end', lose);
  try {
    await client.connect();
  } catch (error) {
    isLost = true;
    void client.end().catch(() => {});
    throw error;
  }
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  return {
    session: undefined,
    hold: () => stream.cork(),
    release: () => stream.uncork(),
    run: async <Row>({ name, text }: PreparedStatement, params: readonly Value[]) => {
      const { rows, rowCount, command } = await client.query({ name, text, values: params as Value[] });
      return { rows: rows as Row[], changes: rowCount ?? 0, command };
    },
    exec: async (text) => {
      const { rows, rowCount, command } = await client.query(text);
      return { rows, changes: rowCount ?? 0, command };
    },
    isLost: () => isLost,
    end: async () => {
      isLost = true;
      await client.end().catch(() => {});
    },
    destroy: () => {
      lose();
      stream.destroy();
    },
  };
};
