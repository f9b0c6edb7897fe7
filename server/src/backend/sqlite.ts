import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { type Backend, type Outcome, Unavailable, type Unit, type Value } from './backend.ts';
import { type LocalCounters, makeLocalCounters } from './counters-local.ts';
import { lockFolder } from './lock.ts';
import { migrate } from './migrate.ts';
import { makeBatchEncoder, type WriterMessage } from './sqlite-messages.ts';
import { openDatabase, readFault, startThread } from './sqlite-open.ts';

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

const DEFAULT_CACHE_BYTES = 20 * 1024 * 1024;
/** Writes that wait beyond this many are refused: answering late is worse than saying so at once. */
const MAX_WAITING = 20_000;
const IDLE_SAVE_MS = 500;

const DATABASE_FILE = 'portcullis.db';

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

/** What has something to add to commits. */
type Saver = Pick<LocalCounters, 'save' | 'saved' | 'hasUnsaved' | 'recover'>;
const NOTHING_TO_SAVE: Saver = { save: () => [], saved: () => {}, hasUnsaved: () => false, recover: () => {} };

/** Reads here, writes in a thread of its own, one batch under way while the next gathers. */
const makeBackend = (database: DatabaseSync, path: string, counters: Saver, options: SqliteOptions) => {
  const writer = startThread('./sqlite-writer.ts', path);

  const readers = new Map<string, StatementSync>();
  const encode = makeBatchEncoder();
  let waiting: Waiting[] = [];
  let flying: Waiting[] | undefined;
  let startedAt = 0;
  let scheduled = false;
  let ended: Error | undefined;
  let mustRecover = false;
  const drained: (() => void)[] = [];

  const send = (idle: boolean): void => {
    scheduled = false;
    if (flying !== undefined || ended !== undefined) return;
    const saving = mustRecover ? [] : counters.save(idle);
    if (waiting.length === 0 && saving.length === 0) {
      for (const done of drained.splice(0)) done();
      return;
    }
    flying = waiting;
    waiting = [];
    startedAt = performance.now();
    const units = flying.map(({ unit }) => unit);
    if (saving.length > 0) units.push(saving);
    const batch = encode(units);
    writer.postMessage(batch, [batch.bytes.buffer]);
  };
  const schedule = (): void => {
    if (scheduled || flying !== undefined) return;
    scheduled = true;
    // Requests that arrived in the same turn of the event loop share the batch.
    setImmediate(send, false);
  };

  const recover = (): void => {
    try {
      counters.recover();
      mustRecover = false;
    } catch (error) {
      // Not even readable now. Nothing may be counted before it is, so it is tried again until it works.
      mustRecover = true;
      options.onFault?.(
        `the histories could not be read anew: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  };
  /** The histories in memory already hold what was just lost, so everyone waiting is told and they are read anew. */
  const fail = (message: string): void => {
    const lost = [...(flying ?? []), ...waiting];
    flying = undefined;
    waiting = [];
    options.onFault?.(message);
    recover();
    for (const { reject } of lost) reject(new Unavailable('the store did not take the write'));
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
    counters.saved();
    options.onCommit?.(done.length, performance.now() - startedAt);
    for (const [index, { resolve }] of done.entries()) resolve(message.outcomes[index] as Outcome);
    if (waiting.length > 0) schedule();
    else if (drained.length > 0) send(true);
  });
  writer.on('error', (error) => {
    ended = error instanceof Error ? error : new Error(String(error));
    fail(`the writer ended: ${ended.message}`);
  });

  const idleSave = setInterval(() => {
    if (mustRecover) recover();
    if (waiting.length === 0 && counters.hasUnsaved()) send(true);
  }, IDLE_SAVE_MS);
  idleSave.unref();

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
    close: async () => {
      clearInterval(idleSave);
      if (ended === undefined) {
        await new Promise<void>((done) => {
          drained.push(done);
          send(true);
        });
        ended = new Error('closed');
        // First, so that the writer is the last to close: only then SQLite writes the whole log back and deletes it.
        database.close();
        const exited = new Promise((done) => writer.once('exit', done));
        writer.postMessage('close');
        await exited;
      } else if (database.isOpen) database.close();
    },
  };
  return {
    backend,
    /** Asked before a screening is counted in: once it is, the write must be taken. */
    hasRoom: () => ended === undefined && !mustRecover && waiting.length < MAX_WAITING,
    waiting: () => waiting.length + (flying?.length ?? 0),
  };
};

/** The embedded store for the one process that serves it. */
export const openSqlite = (options: SqliteOptions) => {
  migrateSqlite(options.directory);
  const unlock = lockFolder(options.directory);
  const path = join(options.directory, DATABASE_FILE);
  const database = openDatabase(path, { readOnly: true, cacheKib: 8192 });
  const counters = makeLocalCounters(database, options.cacheBytes ?? DEFAULT_CACHE_BYTES);
  const { backend, hasRoom, waiting } = makeBackend(database, path, counters, options);
  const close = async (): Promise<void> => {
    counters.close();
    await backend.close();
    unlock();
  };
  return { backend: { ...backend, close }, counters, hasRoom, waiting };
};

/** The same store without its counters, for commands beside a process that serves it. */
export const openSqliteBeside = (directory: string): Backend => {
  migrateSqlite(directory);
  const path = join(directory, DATABASE_FILE);
  return makeBackend(openDatabase(path, { readOnly: true, cacheKib: 1024 }), path, NOTHING_TO_SAVE, { directory })
    .backend;
};
