import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Lets the other threads of the process go first where the processor is short. Linux alone gives threads priorities of their own; elsewhere
 * all are equal, which is slower under full load and otherwise the same.
 */
export const lowerThreadPriority = (): void => {
  if (process.platform !== 'linux') return;
  const thread = Number(basename(readlinkSync('/proc/thread-self')));
  setPriority(thread, constants.priority.PRIORITY_LOW);
};
