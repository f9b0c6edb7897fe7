import type { Backend } from '../backend/backend.ts';
import { firstIdAt } from '../runtime/ids.ts';
import { deleteCase, oldestCases } from './sweep-store.ts';

export { sweepChanges } from './change-store.ts';

const DAY_MS = 24 * 3_600_000;

/** Deletes up to `limit` cases past their retention, with their notes. Returns how many. */
export const sweepCases = async (backend: Backend, keptDays: number, now: number, limit: number): Promise<number> => {
  const old = await oldestCases(backend, firstIdAt(now - keptDays * DAY_MS), limit);
  if (old.length > 0) await backend.write(old.flatMap(({ tenant, id }) => deleteCase(tenant, id)));
  return old.length;
};
