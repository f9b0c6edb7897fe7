import type { Backend } from '../backend/backend.ts';
import { firstSeqAt } from '../runtime/ids.ts';
import { deleteLabel, oldestLabels } from './store.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * Deletes up to `limit` labels past their retention. Their screenings are deleted before, so no history can count them
 * again. Returns how many.
 */
export const sweepLabels = async (backend: Backend, keptDays: number, now: number, limit: number): Promise<number> => {
  const old = await oldestLabels(backend, firstSeqAt(now - keptDays * DAY_MS), limit);
  if (old.length > 0) await backend.write(old.map(deleteLabel));
  return old.length;
};
