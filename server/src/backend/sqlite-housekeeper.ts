import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type ShelvesToSave, unpackShelves } from './shelf-rows.ts';
import { openDatabase } from './sqlite-open.ts';

/** Does in a thread of its own what no screening should wait for: saves shelves, and writes the log of the records back into their file. */
export interface HousekeeperData {
  readonly path: string;
  readonly countersPath: string;
  /** The writer of the records asks through it for their log to be written back. */
  readonly writer: MessagePort;
}
/** What went wrong; empty when nothing did. */
export interface Done {
  readonly failed: string;
}

/** The memory the shelves came in goes back to be used again. */
export interface Saved extends Done {
  readonly words: Float64Array<ArrayBuffer>;
}

const port = parentPort;
if (port === null) throw new Error('sqlite-housekeeper runs as a worker thread');
const { path, countersPath, writer } = workerData as HousekeeperData;

/** A full disk must not end the thread: the next attempt may find room. */
const attempt = (work: () => void): Done => {
  try {
    work();
    return { failed: '' };
  } catch (error) {
    return { failed: error instanceof Error ? error.message : String(error) };
  }
};

const records = openDatabase(path, { cacheKib: 256 });
const checkpoint = records.prepare('PRAGMA wal_checkpoint(PASSIVE)');
writer.on('message', () => writer.postMessage(attempt(() => checkpoint.all())));

const counters = openDatabase(countersPath, { cacheKib: 4096 });
// A power cut may then lose the newest saves, but never part of one: what is lost is folded in again from the screenings. The log is
// written back in small pieces, because a commit of screenings that comes meanwhile waits for the disk.
counters.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000');
const begin = counters.prepare('BEGIN IMMEDIATE');
const commit = counters.prepare('COMMIT');
const saveShelf = counters.prepare(`INSERT INTO shelves (shelf, tenant, through, bytes) VALUES (?, ?, ?, ?)
  ON CONFLICT (shelf) DO UPDATE SET through = excluded.through, bytes = excluded.bytes WHERE tenant = excluded.tenant`);
const saveEntity = counters.prepare('INSERT INTO entities (tenant, key, shelf) VALUES (?, ?, ?)');
const saveThrough = counters.prepare('UPDATE counters_through SET seq = ? WHERE id = 1');

const save = (message: ShelvesToSave): void => {
  try {
    begin.run();
    unpackShelves(
      message,
      (shelf, tenant, bytes) => saveShelf.run(shelf, tenant, message.through, bytes),
      (tenant, key, shelf) => saveEntity.run(tenant, key, shelf),
    );
    saveThrough.run(message.completeThrough);
    commit.run();
  } finally {
    if (counters.isTransaction) counters.exec('ROLLBACK');
  }
};

port.on('message', (message: ShelvesToSave | 'close') => {
  if (message !== 'close') {
    const { words } = message;
    const saved: Saved = { ...attempt(() => save(message)), words };
    port.postMessage(saved, [words.buffer]);
    return;
  }
  counters.close();
  records.close();
  writer.close();
  port.close();
});
