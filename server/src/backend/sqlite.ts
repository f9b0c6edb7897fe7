import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { makeTurns } from '../turns.ts';
import {
  type Backend,
  type Connection,
  type Outcome,
  tellOutcome,
  Unavailable,
  type Unit,
  type Value,
} from './backend.ts';
import { COUNTERS_FILE, provideCountersFile } from './counters-file.ts';
import { type LocalCounters, makeLocalCounters } from './counters-local.ts';
import { lockFolder } from './lock.ts';
import { migrate } from './migrate.ts';
import type { HousekeeperData } from './sqlite-housekeeper.ts';
import { type Connect, makeBatchEncoder, type WriterMessage } from './sqlite-messages.ts';
import { openDatabase, readFault, startThread } from './sqlite-open.ts';
import type { WriterData } from './sqlite-writer.ts';

interface Waiting {
  readonly unit: Unit;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

export interface SqliteOptions {
  readonly directory: string;
  /** Memory for histories. What is beyond it is read from disk again when needed. */
  readonly cacheBytes?: number;
  readonly onCommit?: (units: number, tookMs: number) => void;
  readonly onFault?: (message: string) => void;
}

const DEFAULT_CACHE_BYTES = 16 * 1024 * 1024;
/** Writes that wait beyond this many are refused: answering late is worse than saying so at once. */
const MAX_WAITING = 20_000;

export const DATABASE_FILE = 'portcullis.db';

/** Makes the store in a folder, or brings it up to date. Answers with the names of the migrations applied. */
export const migrateSqlite = (directory: string): string[] => {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const database = openDatabase(join(directory, DATABASE_FILE), { cacheKib: 1024 });
  try {
    return migrate(database);
  } finally {
    database.close();
  }
};

/** Who wants to know when a commit sets out, and what became of it. */
type Watcher = Pick<LocalCounters, 'committing' | 'committed' | 'lost' | 'isReady' | 'close'>;
const NOBODY: Watcher = {
  committing: () => {},
  committed: () => {},
  lost: () => Promise.resolve(),
  isReady: () => true,
  close: () => Promise.resolve(),
};

type Faults = Pick<SqliteOptions, 'onCommit' | 'onFault'>;

/** Reads here, writes in a thread of its own, one batch under way while the next gathers. */
const makeBackend = (database: DatabaseSync, writer: Worker | MessagePort, watcher: Watcher, options: Faults) => {
  const readers = new Map<string, StatementSync>();
  const encode = makeBatchEncoder();
  let waiting: Waiting[] = [];
  let flying: Waiting[] | undefined;
  let startedAt = 0;
  let scheduled = false;
  let ended: Error | undefined;
  const drained: (() => void)[] = [];

  const send = (): void => {
    scheduled = false;
    if (flying !== undefined || ended !== undefined) return;
    if (waiting.length === 0) {
      for (const done of drained.splice(0)) done();
      return;
    }
    flying = waiting;
    waiting = [];
    startedAt = performance.now();
    watcher.committing();
    const batch = encode(flying);
    writer.postMessage(batch, [batch.numbers.buffer, batch.bytes.buffer]);
  };
  const schedule = (): void => {
    if (scheduled || flying !== undefined) return;
    scheduled = true;
    // Requests that arrived in the same turn of the event loop share the batch.
    setImmediate(send);
  };

  /** What waits goes the same way as what was lost: it was decided by what is now to be read anew. */
  const fail = (message: string): void => {
    const lost = [...(flying ?? []), ...waiting];
    flying = undefined;
    waiting = [];
    options.onFault?.(message);
    // Told only then: whoever asks next must not be answered from what did not happen.
    void watcher.lost().then(() => {
      for (const { reject } of lost) reject(new Unavailable('the store did not take the write'));
    });
  };

  writer.on('message', (message: WriterMessage) => {
    if ('checkpointFailed' in message) {
      options.onFault?.(`the log could not be written back: ${message.checkpointFailed}`);
      return;
    }
    if ('failed' in message) {
      fail(message.failed);
      schedule();
      return;
    }
    const done = flying ?? [];
    flying = undefined;
    watcher.committed();
    options.onCommit?.(done.length, performance.now() - startedAt);
    for (const [index, writer] of done.entries()) tellOutcome(writer, message.outcomes[index] as Outcome);
    if (waiting.length > 0) schedule();
    else if (drained.length > 0) send();
  });
  const lose = (error: Error): void => {
    if (ended !== undefined) return;
    ended = error;
    fail(`the writer ended: ${error.message}`);
  };
  writer.on('error', (error) => lose(error instanceof Error ? error : new Error(String(error))));
  writer.on('close', () => lose(new Error('its thread is gone')));

  const readSync = <Row>(sql: string, ...params: Value[]): Row[] => {
    let statement = readers.get(sql);
    if (statement === undefined) {
      statement = database.prepare(sql);
      readers.set(sql, statement);
    }
    return statement.all(...(params as SQLInputValue[])) as Row[];
  };

  const backend: Backend = {
    read: async <Row>(sql: string, ...params: Value[]) => {
      try {
        return readSync<Row>(sql, ...params);
      } catch (error) {
        options.onFault?.(`a read failed: ${error instanceof Error ? error.message : String(error)}`);
        throw readFault(error);
      }
    },
    write: (unit) => {
      if (ended !== undefined) return Promise.reject(new Unavailable('the store is closed'));
      if (waiting.length >= MAX_WAITING) return Promise.reject(new Unavailable('too many writes are waiting'));
      return new Promise((resolve, reject) => {
        waiting.push({ unit, resolve, reject });
        schedule();
      });
    },
    // Of this thread alone: those who take turns are all in the one that serves.
    inTurn: makeTurns<string>(),
    unlessBusy: (_job, act) => act(),
    close: async () => {
      if (ended === undefined) {
        await new Promise<void>((done) => {
          drained.push(done);
          send();
        });
        await watcher.close();
        ended = new Error('closed');
        // First, so that the writer is the last to close: only then SQLite writes the whole log back and deletes it.
        database.close();
        const closed = new Promise((done) => writer.once('exit', done).once('close', done));
        writer.postMessage('close', []);
        await closed;
      } else if (database.isOpen) {
        await watcher.close();
        database.close();
      }
    },
  };
  return {
    backend,
    /** Asked before a screening is counted in: once it is, the write must be taken. */
    hasRoom: () => ended === undefined && watcher.isReady() && waiting.length < MAX_WAITING,
    waiting: () => waiting.length + (flying?.length ?? 0),
  };
};

/** The embedded store for the one process that serves it. */
export const openSqlite = (options: SqliteOptions) => {
  migrateSqlite(options.directory);
  const unlock = lockFolder(options.directory);
  const path = join(options.directory, DATABASE_FILE);
  const database = openDatabase(path, { readOnly: true, cacheKib: 2048 });
  const countersPath = join(options.directory, COUNTERS_FILE);
  try {
    provideCountersFile(countersPath, database);
  } catch (error) {
    database.close();
    unlock();
    throw error;
  }
  const { port1, port2 } = new MessageChannel();
  const housekeeper = startThread<HousekeeperData>('./sqlite-housekeeper.ts', { path, countersPath, writer: port1 }, [
    port1,
  ]);
  const writer = startThread<WriterData>('./sqlite-writer.ts', { path, housekeeper: port2 }, [port2]);
  const counters = makeLocalCounters({
    records: database,
    path: countersPath,
    housekeeper,
    maxCacheBytes: options.cacheBytes ?? DEFAULT_CACHE_BYTES,
    onFault: (message) => options.onFault?.(message),
  });
  const { backend, hasRoom, waiting } = makeBackend(database, writer, counters, options);
  const close = async (): Promise<void> => {
    await backend.close();
    unlock();
  };
  return { backend: { ...backend, close }, counters, hasRoom, waiting, connect: () => connectTo(writer, path) };
};

/** A way to the same writer: for what may be done twice, but not lost. */
const connectTo = (writer: Worker, path: string): Connection => {
  const { port1: end, port2: port } = new MessageChannel();
  writer.postMessage({ connect: end } satisfies Connect, [end]);
  return { path, ports: [port] };
};

/** The store of this process, from another of its threads: reads of its own, and the one writer. */
export const openSqliteConnection = (
  { path, ports }: Extract<Connection, { path: string }>,
  onFault: (message: string) => void,
): Backend => {
  const database = openDatabase(path, { readOnly: true, cacheKib: 1024 });
  return makeBackend(database, ports[0] as MessagePort, NOBODY, { onFault }).backend;
};

/** The same store without its counters, for commands beside a process that serves it. */
export const openSqliteBeside = (directory: string): Backend & { connect: () => Connection } => {
  migrateSqlite(directory);
  const path = join(directory, DATABASE_FILE);
  const writer = startThread<WriterData>('./sqlite-writer.ts', { path });
  const { backend } = makeBackend(openDatabase(path, { readOnly: true, cacheKib: 1024 }), writer, NOBODY, {});
  return { ...backend, connect: () => connectTo(writer, path) };
};
