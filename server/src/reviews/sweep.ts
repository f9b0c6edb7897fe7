import type { Backend } from '../backend/backend.ts';
import { firstIdAt } from '../runtime/ids.ts';
import { deleteReviews, nextReviewedTenant, oldestReviewed } from './store.ts';

const DAY_MS = 24 * 3_600_000;

/** Deletes reviews of up to `limit` decisions past their retention. Returns of how many. */
export const sweepReviews = async (backend: Backend, keptDays: number, now: number, limit: number): Promise<number> => {
  const before = firstIdAt(now - keptDays * DAY_MS);
  let deleted = 0;
  for (let tenant = await nextReviewedTenant(backend, 0); tenant !== undefined && deleted < limit; ) {
    const of = tenant;
    const ids = await oldestReviewed(backend, of, before, limit - deleted);
    if (ids.length > 0) await backend.write(ids.map((id) => deleteReviews(of, id)));
    deleted += ids.length;
    tenant = await nextReviewedTenant(backend, of);
  }
  return deleted;
};
