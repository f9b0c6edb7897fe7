import { fsyncSync } from 'node:fs';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { checksumOf, numbersChecksum } from '../checksum.ts';
import { SELECT_HOLDER } from './folder-lock.ts';
import { type GroupsToSave, unpackGroups } from './history-rows.ts';
import { isMalformed, openDatabase, truncateLog } from './open-database.ts';

/**
 * Saves entity groups and runs checkpoints of the records, in a thread of its own, so that no screening waits for
 * either.
 */
export interface HousekeeperData {
  readonly path: string;
  /** The open file of the records, to sync it. */
  readonly recordsFile: number;
  readonly countersPath: string;
  /** The process that serves the folder; undefined for a command. */
  readonly holder: string | undefined;
  /** The port through which the writer thread requests checkpoints. */
  readonly writer: MessagePort;
}
/** `failed` is the error message; empty after a success. */
export interface TaskResult {
  readonly failed: string;
}

/** Returns the buffer that the groups arrived in, for the next save. */
export interface SaveResult extends TaskResult {
  /** Ids of groups that were not saved, because the row with that id belongs to another entity. */
  readonly refused: readonly number[];
  readonly words: Float64Array<ArrayBuffer>;
}
/**
 * `release` closes the file of the histories until `reopen`. It is answered by `released`. `check` is answered by
 * `malformed` if the structure of the file is damaged. `truncate` empties the logs, which hold former content.
 */
export type HousekeeperMessage = GroupsToSave | 'release' | 'reopen' | 'check' | 'truncate' | 'close';
export type HousekeeperAnswer = SaveResult | 'released' | 'malformed' | { readonly truncated: boolean };

const port = parentPort;
if (port === null) throw new Error('housekeeper-thread.ts must run as a worker thread');
const { path, recordsFile, countersPath, holder, writer } = workerData as HousekeeperData;

/** A full disk must not end the thread: the next attempt may find room. */
const attempt = (work: () => void): TaskResult => {
  try {
    work();
    return { failed: '' };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
};

const records = openDatabase(path, { cacheKib: 256 });
const checkpoint = records.prepare('PRAGMA wal_checkpoint(PASSIVE)');
const holderNow = records.prepare(SELECT_HOLDER);
const copyRecords = (): void => {
  checkpoint.all();
  // SQLite syncs the file only with the last page of the log, which the writer copies. That sync would take 10 ms there.
  fsyncSync(recordsFile);
};
writer.on('message', () => writer.postMessage(attempt(copyRecords)));

/** Pages in the log of the histories before they are copied into the file. A page that is saved repeatedly is copied once. */
const COUNTERS_LOG_PAGES = 20_000;

const openCounters = () => {
  const database = openDatabase(countersPath, { cacheKib: 4096 });
  // With NORMAL a power cut may lose the newest saves, but never part of one: lost saves are folded in again from the
  // journal.
  database.exec('PRAGMA synchronous = NORMAL');
  return {
    database,
    begin: database.prepare('BEGIN IMMEDIATE'),
    commit: database.prepare('COMMIT'),
    // Changes no row when the row belongs to another entity. No conflict fails the save of the others.
    saveGroup: database.prepare(`INSERT INTO shelves (shelf, tenant, owner, through, checksum, bytes)
      VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (shelf) DO UPDATE
      SET through = excluded.through, checksum = excluded.checksum, bytes = excluded.bytes
      WHERE tenant = excluded.tenant AND owner = excluded.owner`),
    deleteGroup: database.prepare('DELETE FROM shelves WHERE shelf = ?'),
    saveEntity: database.prepare(`INSERT INTO entities (tenant, key, "check", shelf, checksum) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (tenant, key, "check") DO UPDATE SET shelf = excluded.shelf, checksum = excluded.checksum`),
    deleteEntity: database.prepare('DELETE FROM entities WHERE tenant = ? AND key = ? AND "check" = ?'),
    saveThrough: database.prepare('UPDATE counters_through SET seq = ?, checksum = ? WHERE id = 1'),
    logPages: database.prepare('PRAGMA wal_checkpoint(NOOP)'),
    checkpoint: database.prepare('PRAGMA wal_checkpoint(PASSIVE)'),
  };
};
let counters = openCounters();

/** Returns whether the row was saved. `replaces` says that the row on disk is damaged and to be replaced, whatever it says. */
const saveRow = (
  id: number,
  tenant: number,
  owner: number,
  replaces: boolean,
  bytes: Uint8Array,
  through: number,
): boolean => {
  if (replaces) counters.deleteGroup.run(id);
  const checksum = checksumOf(bytes, id, tenant, owner, through);
  return Number(counters.saveGroup.run(id, tenant, owner, through, checksum, bytes).changes) === 1;
};

/** Returns the ids of the groups that were refused. */
const save = (message: GroupsToSave): number[] => {
  const refused: number[] = [];
  if (holder !== undefined && holderNow.get()?.holder !== holder) throw new Error('another process serves this folder');
  try {
    counters.begin.run();
    for (const id of message.forget?.ids ?? []) counters.deleteGroup.run(id);
    for (const entity of message.forget?.entities ?? []) counters.deleteEntity.run(...entity);
    unpackGroups(
      message,
      (id, tenant, owner, replaces, bytes) => {
        if (!saveRow(id, tenant, owner, replaces, bytes, message.through)) refused.push(id);
      },
      (tenant, key, check, id) => {
        if (!refused.includes(id))
          counters.saveEntity.run(tenant, key, check, id, numbersChecksum(tenant, key, check, id));
      },
    );
    // A refused group is not on disk: it is saved under another id before this may move on.
    const { completeThrough } = message;
    if (refused.length === 0) counters.saveThrough.run(completeThrough, numbersChecksum(completeThrough));
    counters.commit.run();
  } finally {
    if (counters.database.isTransaction) counters.database.exec('ROLLBACK');
  }
  return refused;
};

const checkpointIfDue = (): void => {
  if (Number(counters.logPages.get()?.log ?? 0) >= COUNTERS_LOG_PAGES) counters.checkpoint.get();
};

/** Whether every page of the file is where it belongs. Only this finds rows that a damaged page no longer lists. */
const isSound = (): boolean => {
  try {
    return counters.database.prepare('PRAGMA quick_check(1)').get()?.quick_check === 'ok';
  } catch (error) {
    // An error of the disk proves nothing; reads report it.
    return !isMalformed(error);
  }
};

const truncate = (): boolean => {
  try {
    return truncateLog(records) && truncateLog(counters.database);
  } catch {
    // The disk is full, or the file of the histories is being replaced.
    return false;
  }
};

const close = (): void => {
  if (counters.database.isOpen) counters.database.close();
  records.close();
  writer.close();
  port.close();
};

port.on('message', (message: HousekeeperMessage) => {
  if (message === 'close') close();
  else if (message === 'release') {
    counters.database.close();
    port.postMessage('released');
  } else if (message === 'reopen') counters = openCounters();
  else if (message === 'truncate') port.postMessage({ truncated: truncate() } satisfies HousekeeperAnswer);
  else if (message === 'check') {
    if (!isSound()) port.postMessage('malformed' satisfies HousekeeperAnswer);
  } else {
    const { words } = message;
    let refused: number[] = [];
    const task = attempt(() => {
      refused = save(message);
    });
    const result: SaveResult = { ...task, refused: task.failed === '' ? refused : [], words };
    port.postMessage(result, [words.buffer]);
    // After the answer, so that the saved groups need not stay in memory. After a failure the next save tries again.
    attempt(checkpointIfDue);
  }
});
