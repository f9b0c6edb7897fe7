import type { StatementSync } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Outcome } from '../backend.ts';
import {
  type Batch,
  type BatchReader,
  type BatchResult,
  CHECKPOINT_PAGES,
  type Connect,
  makeBatchReader,
  mustBe,
  type WriterMessage,
} from './batch-encoding.ts';
import { RELEASE_FOLDER, SELECT_HOLDER } from './folder-lock.ts';
import type { TaskResult } from './housekeeper-thread.ts';
import { openDatabase } from './open-database.ts';

export interface WriterData {
  readonly path: string;
  /** The process that serves the folder. A command beside it has none. */
  readonly holder?: string | undefined;
  readonly housekeeper?: MessagePort;
  /** How long a commit waits while another process holds the write lock. */
  readonly timeoutMs?: number | undefined;
}

const port = parentPort;
if (port === null) throw new Error('writer-thread.ts must run as a worker thread');
/** Without a housekeeper there are no checkpoints until the database closes. A short-lived command needs none. */
const { path, holder, housekeeper, timeoutMs } = workerData as WriterData;
const database = openDatabase(path, { cacheKib: 2048, timeoutMs });

const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');
const savepoint = database.prepare('SAVEPOINT unit');
const release = database.prepare('RELEASE unit');
const undo = database.prepare('ROLLBACK TO unit');
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');

const DONE: Outcome = { written: true };

/** Fails the whole batch when a statement with `must` changes another number of rows. */
const requireChanges = (expected: number, changes: number | bigint): void => {
  if (expected < -1 && changes !== mustBe(expected))
    throw new Error('the store refused a unit that is already counted in memory');
};

/** Prepared statements by the numbers that one sender uses for them. */
type Statements = StatementSync[];

const runPlain = (statements: Statements, batch: BatchReader, count: number): Outcome => {
  for (let index = 0; index < count; index++) {
    const statement = statements[batch.number()] as StatementSync;
    const expected = batch.number();
    requireChanges(expected, statement.run(...batch.params()).changes);
  }
  return DONE;
};

/** Runs a unit that may be refused. Only the refused unit is rolled back; other units of the transaction stay. */
const runGuarded = (statements: Statements, batch: BatchReader, count: number): Outcome => {
  savepoint.run();
  for (let index = 0; index < count; index++) {
    const statement = statements[batch.number()] as StatementSync;
    const expect = batch.number();
    const { changes } = statement.run(...batch.params());
    requireChanges(expect, changes);
    if (expect < 0 || changes === expect) continue;
    batch.skip(count - index - 1);
    undo.run();
    release.run();
    return { written: false, refused: index };
  }
  release.run();
  return DONE;
};

const runUnit = (statements: Statements, batch: BatchReader): Outcome => {
  const count = batch.number();
  return count < 0 ? runGuarded(statements, batch, -count) : runPlain(statements, batch, count);
};

const holderNow = database.prepare(SELECT_HOLDER);
/** Whether another process has taken the folder over. Checked within the transaction, so that its commits exclude ours. */
const isSuperseded = (): boolean => holder !== undefined && holderNow.get()?.holder !== holder;

const runBatch = (statements: Statements, batch: Batch): BatchResult => {
  try {
    for (const [number, text] of batch.sql) statements[number] = database.prepare(text);
    const reader = makeBatchReader(batch);
    const outcomes: Outcome[] = [];
    begin.run();
    if (isSuperseded()) {
      database.exec('ROLLBACK');
      return { superseded: true };
    }
    while (outcomes.length < batch.units) outcomes.push(runUnit(statements, reader));
    commit.run();
    return { outcomes };
  } catch (error) {
    // A failed statement or commit must not leave the transaction open for the next batch to land in.
    if (database.isTransaction) database.exec('ROLLBACK');
    return { failed: error instanceof Error ? error.message : String(error) };
  }
};

/**
 * Checkpoints have two steps. The housekeeper copies nearly the whole log into the database file while commits
 * continue. Then this thread copies the few remaining pages between two commits, after which SQLite reuses the log from
 * its start.
 */
let isCheckpointing = false;
const logPages = database.prepare('PRAGMA wal_checkpoint(NOOP)');
let commitsSinceCheck = 0;
const CHECK_EVERY_COMMITS = 16;

housekeeper?.on('message', ({ failed }: TaskResult) => {
  isCheckpointing = false;
  if (failed === '') checkpoint.all();
  else port.postMessage({ checkpointFailed: failed } satisfies WriterMessage);
});
const checkpointIfDue = (): void => {
  if (housekeeper === undefined || isCheckpointing || ++commitsSinceCheck < CHECK_EVERY_COMMITS) return;
  commitsSinceCheck = 0;
  const log = Number(logPages.get()?.log ?? 0);
  if (log < CHECKPOINT_PAGES) return;
  isCheckpointing = true;
  housekeeper.postMessage('checkpoint');
};

/** How commits of a sender are synced. A commit with `full` also makes every earlier `normal` commit durable. */
const SYNC = { full: 'PRAGMA synchronous = FULL', normal: 'PRAGMA synchronous = NORMAL' };
let sync: keyof typeof SYNC = 'full';
const setSync = (wanted: keyof typeof SYNC): void => {
  if (sync === wanted) return;
  database.exec(SYNC[wanted]);
  sync = wanted;
};

/** Runs the batches of one sender until it sends `close`. */
const serve = (from: MessagePort, commits: keyof typeof SYNC, close: () => void): void => {
  const statements: Statements = [];
  from.on('message', (message: Batch | Connect | 'close') => {
    if (message === 'close') close();
    else if ('connect' in message) serve(message.connect, 'normal', () => message.connect.close());
    else {
      setSync(commits);
      from.postMessage(runBatch(statements, message) satisfies WriterMessage);
      checkpointIfDue();
    }
  });
};
/** The next process need not ask whether this one lives. */
const releaseFolder = (): void => {
  try {
    if (holder !== undefined) database.prepare(RELEASE_FOLDER).run(holder);
  } catch {
    // The disk may be full. The next process recognises the lock file.
  }
};
serve(port, 'full', () => {
  housekeeper?.close();
  releaseFolder();
  database.close();
  port.close();
});
