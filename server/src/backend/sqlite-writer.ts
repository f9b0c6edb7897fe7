import type { StatementSync } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { Outcome } from './backend.ts';
import type { Done } from './sqlite-housekeeper.ts';
import {
  type Batch,
  type BatchReader,
  type BatchResult,
  CHECKPOINT_PAGES,
  type Connect,
  makeBatchReader,
  mustBe,
  type WriterMessage,
} from './sqlite-messages.ts';
import { openDatabase } from './sqlite-open.ts';

export interface WriterData {
  readonly path: string;
  readonly housekeeper?: MessagePort;
}

const port = parentPort;
if (port === null) throw new Error('sqlite-writer runs as a worker thread');
/** Without a housekeeper nobody writes the log back before the end, which a short-lived command can do without. */
const { path, housekeeper } = workerData as WriterData;
const database = openDatabase(path, { cacheKib: 2048 });

const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');
const savepoint = database.prepare('SAVEPOINT unit');
const release = database.prepare('RELEASE unit');
const undo = database.prepare('ROLLBACK TO unit');
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');

const DONE: Outcome = { written: true };

/** The whole batch goes, and with it what was counted of this unit. */
const requireChanges = (expected: number, changes: number | bigint): void => {
  if (expected < -1 && changes !== mustBe(expected))
    throw new Error('what was counted already was refused by the store');
};

/** Under the numbers that one who writes knows them by. */
type Statements = StatementSync[];

const runPlain = (statements: Statements, batch: BatchReader, count: number): Outcome => {
  for (let index = 0; index < count; index++) {
    const statement = statements[batch.number()] as StatementSync;
    const expected = batch.number();
    requireChanges(expected, statement.run(...batch.params()).changes);
  }
  return DONE;
};

/** A unit that may be refused is undone alone, without those that share its transaction. */
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

const runBatch = (statements: Statements, batch: Batch): BatchResult => {
  try {
    for (const [number, text] of batch.sql) statements[number] = database.prepare(text);
    const reader = makeBatchReader(batch);
    const outcomes: Outcome[] = [];
    begin.run();
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
 * The housekeeper copies nearly the whole log back while commits go on; what it missed is then few pages, copied here
 * between two commits, after which SQLite starts the log from its beginning again instead of letting it grow.
 */
let checkpointing = false;
const logPages = database.prepare('PRAGMA wal_checkpoint(NOOP)');
let commitsSinceLook = 0;
const LOOK_EVERY_COMMITS = 16;

housekeeper?.on('message', ({ failed }: Done) => {
  checkpointing = false;
  if (failed === '') checkpoint.all();
  else port.postMessage({ checkpointFailed: failed } satisfies WriterMessage);
});
const checkpointIfDue = (): void => {
  if (housekeeper === undefined || checkpointing || ++commitsSinceLook < LOOK_EVERY_COMMITS) return;
  commitsSinceLook = 0;
  const log = Number(logPages.get()?.log ?? 0);
  if (log < CHECKPOINT_PAGES) return;
  checkpointing = true;
  housekeeper.postMessage('checkpoint');
};

/** A commit that waits for the disk takes what was committed before it along. */
const SYNC = { waiting: 'PRAGMA synchronous = FULL', unhurried: 'PRAGMA synchronous = NORMAL' };
let sync: keyof typeof SYNC = 'waiting';
const setSync = (wanted: keyof typeof SYNC): void => {
  if (sync === wanted) return;
  database.exec(SYNC[wanted]);
  sync = wanted;
};

/** Takes batches from one who writes, until `close`. */
const serve = (from: MessagePort, commits: keyof typeof SYNC, close: () => void): void => {
  const statements: Statements = [];
  from.on('message', (message: Batch | Connect | 'close') => {
    if (message === 'close') close();
    else if ('connect' in message) serve(message.connect, 'unhurried', () => message.connect.close());
    else {
      setSync(commits);
      from.postMessage(runBatch(statements, message) satisfies WriterMessage);
      checkpointIfDue();
    }
  });
};
serve(port, 'waiting', () => {
  housekeeper?.close();
  database.close();
  port.close();
});
