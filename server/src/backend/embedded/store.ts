import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import type { IdentitiesOf } from '@portcullis/engine';
import type { Backend, Connection } from '../backend.ts';
import { migrate } from '../migrate.ts';
import { makeWriteProbe } from '../write-probe.ts';
import type { Connect } from './batch-encoding.ts';
import { makeLocalCounters } from './counters.ts';
import { type CountersFileOptions, provideCountersFile, replaceMalformedFile } from './counters-file.ts';
import { COUNTERS_FILE } from './counters-schema.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import { makeBackend, NO_OBSERVER } from './group-commit.ts';
import type { HousekeeperData } from './housekeeper-thread.ts';
import { openDatabase, startThread } from './open-database.ts';
import { makeReader } from './reader.ts';
import { provideSearchFile, searchPathBeside } from './search-file.ts';
import { truncateLogs } from './truncate-logs.ts';
import type { WriterData } from './writer-thread.ts';

export interface SqliteOptions {
  readonly directory: string;
  /** The hash that finds histories. */
  readonly identities: IdentitiesOf;
  /** False for a command that opens the folder of a stopped service and leaves the records as they are. */
  readonly serves?: boolean;
  /** Memory for cached histories. Histories beyond it are read from disk again when needed. */
  readonly cacheBytes?: number;
  /** How long a write waits while another process holds the write lock. */
  readonly timeoutMs?: number;
  readonly onCommit?: (units: number, tookMs: number) => void;
  readonly onError?: (message: string) => void;
  readonly onRecovered?: (message: string) => void;
  /** The store cannot continue in this process. A new process can. */
  readonly onFatal?: (message: string) => void;
}

const DEFAULT_CACHE_BYTES = 16 * 1024 * 1024;

export const DATABASE_FILE = 'portcullis.db';

/** Opens the records in a folder, created or migrated if needed. */
export const openMigrated = (directory: string): { database: DatabaseSync; applied: string[] } => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const database = openDatabase(join(directory, DATABASE_FILE), { cacheKib: 1024 });
  try {
    return { database, applied: migrate(database) };
  } catch (error) {
    database.close();
    throw error;
  }
};

/** Creates the store in a folder, or migrates it. Returns the names of the migrations applied. */
export const migrateSqlite = (directory: string): string[] => {
  const { database, applied } = openMigrated(directory);
  database.close();
  return applied;
};

/**
 * Connects another thread to the same writer. A power cut may undo its newest commits, so its work must be safe to
 * repeat.
 */
const connectTo = (writer: Worker, path: string): Extract<Connection, { path: string }> => {
  const { port1: end, port2: port } = new MessageChannel();
  writer.postMessage({ connect: end } satisfies Connect, [end]);
  return { path, ports: [port] };
};

const GUARD_EVERY_MS = 500;

/** Watches that this process holds the folder, and answers a process that asks. */
const guardFolder = (
  lock: FolderLock,
  records: DatabaseSync,
  backend: Backend,
  onLost: () => void,
): { stop: () => void } => {
  const guard = setInterval(() => {
    try {
      const { isLost, statements } = lock.check(records);
      if (isLost) onLost();
      else if (statements.length > 0) backend.write(statements).catch(() => {});
    } catch {
      // The store cannot be read. Requests report that.
    }
  }, GUARD_EVERY_MS);
  guard.unref();
  return { stop: () => clearInterval(guard) };
};

/**
 * Probes over a connection of its own: a failed probe must not discard the histories in memory. A writer that has ended
 * answers nothing, so its end ends the wait for it.
 */
const makeProbe = (writer: Worker, path: string) => {
  const ended = new Promise<void>((resolve) => writer.once('exit', () => resolve()));
  let connection: Backend | undefined;
  const probe = makeWriteProbe((unit) => {
    connection ??= openSqliteConnection(connectTo(writer, path), () => {});
    return connection.write(unit);
  });
  return {
    ...probe,
    close: async (): Promise<void> => {
      probe.stop();
      await Promise.race([connection?.close(), ended]);
    },
  };
};

/** Closes the first connection to a file once there is another one. */
const openBeside = <T>(first: DatabaseSync, open: () => T): T => {
  try {
    return open();
  } finally {
    first.close();
  }
};

/** Opens the embedded store, with its counters, for the one process that serves it. */
export const openSqlite = (options: SqliteOptions) => {
  migrateSqlite(options.directory);
  const path = join(options.directory, DATABASE_FILE);
  const lock = lockFolder(options.directory, path, options.serves ?? true);
  const { holder } = lock;
  const database = openDatabase(path, { readOnly: true, cacheKib: 2048 });
  const countersPath = join(options.directory, COUNTERS_FILE);
  const { identities } = options;
  const onError = (message: string): void => options.onError?.(message);
  const onRecovered = (message: string): void => options.onRecovered?.(message);
  const file: CountersFileOptions = { path: countersPath, records: database, identities, onInfo: onRecovered, onError };
  const searchPath = searchPathBeside(path);
  let provided: DatabaseSync | undefined;
  try {
    provided = provideCountersFile(file);
    if (provideSearchFile(searchPath)) onError('search.db cannot be used and is written again from the journal');
  } catch (error) {
    provided?.close();
    database.close();
    lock.unlock();
    throw error;
  }
  const { port1, port2 } = new MessageChannel();
  const { timeoutMs } = options;
  let isClosing = false;
  /** Reported once: the threads of a process that ends may end one after the other. */
  const end = (message: string): void => {
    if (!isClosing) options.onFatal?.(message);
    isClosing = true;
  };
  const recordsFile = openSync(path, 'r+');
  const housekeeper = startThread<HousekeeperData>(
    './housekeeper-thread.ts',
    { path, recordsFile, countersPath, holder, writer: port1 },
    [port1],
  );
  housekeeper.on('exit', () => end('the thread that saves histories ended'));
  const writer = startThread<WriterData>('./writer-thread.ts', { path, holder, housekeeper: port2, timeoutMs }, [
    port2,
  ]);
  const counters = openBeside(provided, () =>
    makeLocalCounters({
      records: database,
      path: countersPath,
      identities,
      housekeeper,
      maxCacheBytes: options.cacheBytes ?? DEFAULT_CACHE_BYTES,
      onError,
      onRecovered,
      replaceFile: () => replaceMalformedFile(file),
    }),
  );
  const reader = makeReader(path, (message) => options.onError?.(message));
  const searchReader = makeReader(searchPath, onError);
  const probe = makeProbe(writer, path);
  const hooks = {
    onCommit: (units: number, tookMs: number): void => {
      probe.succeeded();
      options.onCommit?.(units, tookMs);
    },
    onError,
    onFailed: probe.failed,
    onEnded: end,
  };
  const { backend, hasRoom, waiting } = makeBackend(database, writer, counters, hooks, reader);
  const guard = guardFolder(lock, database, backend, () => end('another process serves this folder'));
  const closeAll = async (): Promise<void> => {
    isClosing = true;
    guard.stop();
    // Before the others: SQLite checkpoints and deletes the log when the last connection closes, which is the writer's.
    await Promise.all([reader.close(), searchReader.close()]);
    await probe.close();
    await backend.close();
    // After the connections: closing any handle of a file also drops the locks that SQLite holds on it in this process.
    closeSync(recordsFile);
    lock.unlock();
  };
  let closed: Promise<void> | undefined;
  /** Once: by a second call, the number of the records' file may be that of another file or socket. */
  const close = (): Promise<void> => {
    closed ??= closeAll();
    return closed;
  };
  return {
    backend: { ...backend, close },
    counters,
    hasRoom,
    problem: probe.problem,
    waiting,
    readsWaiting: () => reader.waiting() + searchReader.waiting(),
    search: searchReader,
    dropFormerContent: () => truncateLogs(housekeeper),
    connect: () => connectTo(writer, path),
  };
};

/** Opens the store of this process in another of its threads: with its own reads, and the same writer. */
export const openSqliteConnection = (
  { path, ports }: Extract<Connection, { path: string }>,
  onError: (message: string) => void,
): Backend => {
  const database = openDatabase(path, { readOnly: true, cacheKib: 1024 });
  return makeBackend(database, ports[0] as MessagePort, NO_OBSERVER, { onError }).backend;
};

/** Opens the store without its counters, for a command that runs beside the serving process. */
export const openSqliteRecords = (directory: string): Backend & { connect: () => Connection } => {
  migrateSqlite(directory);
  const path = join(directory, DATABASE_FILE);
  const writer = startThread<WriterData>('./writer-thread.ts', { path });
  const { backend } = makeBackend(openDatabase(path, { readOnly: true, cacheKib: 1024 }), writer, NO_OBSERVER, {});
  return { ...backend, connect: () => connectTo(writer, path) };
};
