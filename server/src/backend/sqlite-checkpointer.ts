import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from './sqlite-open.ts';

const { path } = workerData as { path: string };
const database = openDatabase(path, { cacheKib: 512 });
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort?.on('message', (message: 'checkpoint' | 'close') => {
  if (message === 'close') {
    database.close();
    parentPort?.close();
    return;
  }
  try {
    checkpoint.all();
    parentPort?.postMessage({ failed: undefined });
  } catch (error) {
    // A full disk must not end the thread: the log stays valid, and the next attempt may find room.
    parentPort?.postMessage({ failed: error instanceof Error ? error.message : String(error) });
  }
});
