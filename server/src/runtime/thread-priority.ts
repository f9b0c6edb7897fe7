import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';

/**
 * Lowers the priority of the calling thread, so that other threads of the process run first under load. Only Linux has
 * priorities of threads; elsewhere this has no effect.
 */
export const lowerThreadPriority = (to: 'LOW' | 'BELOW_NORMAL' = 'LOW'): void => {
  if (process.platform !== 'linux') return;
  const thread = Number(basename(readlinkSync('/proc/thread-self')));
  setPriority(thread, constants.priority[`PRIORITY_${to}`]);
};
