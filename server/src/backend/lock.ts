import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * One process serves a folder: a second would count into histories of its own and overwrite the first's. The lock is the operating
 * system's on an open file, so it ends with the process however that ends; a file that merely exists would outlive a crash.
 */
export const lockFolder = (directory: string): (() => void) => {
  const lock = new DatabaseSync(join(directory, 'serve.lock'), { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    throw new Error(`Another process serves ${directory}. Stop it first, or set DATA_DIR to another folder.`);
  }
  return () => {
    if (lock.isOpen) lock.close();
  };
};
