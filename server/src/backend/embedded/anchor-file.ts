import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnchorPlace } from '../anchor-place.ts';

export const ANCHOR_FILE = 'audit.anchor';

const syncFolder = async (directory: string): Promise<void> => {
  const folder = await open(directory, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

/** Numbers the drafts of this process. */
let drafts = 0;

/** The anchor of the audit log in a file beside the database. */
export const makeAnchorFile = (directory: string): AnchorPlace => {
  const path = join(directory, ANCHOR_FILE);
  return {
    name: 'file',
    read: async () => {
      try {
        return await readFile(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    /** Replaces the file as a whole: after a power failure it has the old text or the new one. */
    write: async (text) => {
      // A command may write at the same time, so each write has a draft of its own.
      const draft = `${path}.${process.pid}.${drafts++}`;
      const file = await open(draft, 'w', 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
      await syncFolder(directory);
    },
  };
};
