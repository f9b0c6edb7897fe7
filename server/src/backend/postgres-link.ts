import { Client, type ClientConfig, types } from 'pg';
import { Unavailable, type Value } from './backend.ts';
import { type Prepared, prepared } from './postgres-sql.ts';

/** What a statement did, and what it told. */
export interface Told<Row> {
  readonly rows: Row[];
  readonly changes: number;
  readonly command: string;
}

/** One connection. What is sent goes out at once, and is answered in order: a second statement need not wait for the first. */
export interface Link {
  readonly run: <Row>(statement: Prepared, params: readonly Value[]) => Promise<Told<Row>>;
  /** Text as it is, of several statements if need be. */
  readonly exec: (text: string) => Promise<Told<unknown>>;
  readonly isLost: () => boolean;
  /** Says goodbye. What is under way is waited for. */
  readonly end: () => Promise<void>;
  /** Ends it at once: whatever it waits for is rejected. */
  readonly cut: () => void;
}

export interface LinkOptions {
  readonly url: string;
  /** How long the server may take for one statement. Without: for ever. */
  readonly statementMs?: number;
  readonly onLost?: () => void;
}

/** What locks are taken for, by the first of their two numbers. They are of the database: two installations in one server do not meet. */
export const LOCKS = {
  migration: 0x706f_7201,
  process: 0x706f_7202,
  turn: 0x706f_7203,
  copy: 0x706f_7204,
  job: 0x706f_7205,
};

const CONNECT_MS = 3000;
/** A process that stops in the middle of a transaction must not hold its locks for ever. */
const IDLE_IN_TRANSACTION_MS = 10_000;

const INT8 = 20;
const NUMERIC = 1700;
/** All our numbers fit in one of JavaScript's; `pg` would hand them out as text, for fear of larger ones. */
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === INT8 || oid === NUMERIC ? Number : types.getTypeParser(oid, format as 'text')) as typeof types.getTypeParser;

interface PostgresError {
  readonly code?: string;
  readonly message?: string;
  readonly constraint?: string;
}

/** The five characters that PostgreSQL tells what was wrong by; undefined when it did not say: then the connection is lost. */
export const stateOf = (error: unknown): string | undefined => {
  const { code } = error as PostgresError;
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !code.startsWith('E') ? code : undefined;
};

/** The SQL is wrong, or what it was given: our fault, and no reason to come again later. */
export const isOurFault = (error: unknown): boolean => /^(?:22|42)/.test(stateOf(error) ?? '');

/**
 * What went wrong, in words that may be logged. PostgreSQL's own quote values, and those of a connection may quote its address: they are
 * told only where the SQL is wrong, which holds no values.
 */
export const faultOf = (error: unknown): string => {
  const { code, message, constraint } = error as PostgresError;
  if (code?.startsWith('42') === true) return `${code}: ${message}`;
  if (code === undefined) return error instanceof Unavailable ? error.message : 'the connection is lost';
  return constraint === undefined ? code : `${code} (${constraint})`;
};

const READ_ONLY = prepared("SELECT current_setting('transaction_read_only') = 'on' AS yes");
/** A standby, or a database that is set so. Locks taken there are no locks: whoever is on the other server takes them too. */
export const isReadOnly = async (link: Link): Promise<boolean> =>
  (await link.run<{ yes: boolean }>(READ_ONLY, [])).rows[0]?.yes === true;

export const openLink = async ({ url, statementMs, onLost }: LinkOptions): Promise<Link> => {
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
  let lost = false;
  const lose = (): void => {
    if (lost) return;
    lost = true;
    onLost?.();
  };
  // Told of by whatever waits on it, too; without a listener it would end the process.
  client.on('error', lose);
  client.on('end', lose);
  try {
    await client.connect();
  } catch (error) {
    lost = true;
    void client.end().catch(() => {});
    throw error;
  }
  const cut = (): void => {
    lose();
    (client as unknown as { connection: { stream: { destroy: () => void } } }).connection.stream.destroy();
  };
  return {
    run: async <Row>({ name, text }: Prepared, params: readonly Value[]) => {
      const { rows, rowCount, command } = await client.query({ name, text, values: params as Value[] });
      return { rows: rows as Row[], changes: rowCount ?? 0, command };
    },
    exec: async (text) => {
      const { rows, rowCount, command } = await client.query(text);
      return { rows, changes: rowCount ?? 0, command };
    },
    isLost: () => lost,
    end: async () => {
      lost = true;
      await client.end().catch(() => {});
    },
    cut,
  };
};
