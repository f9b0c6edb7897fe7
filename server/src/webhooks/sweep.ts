import type { Backend } from '../backend/backend.ts';
import { firstIdAt } from '../runtime/ids.ts';
import { deleteDeliveries, deleteOrphanedDeliveries, nextWithDeliveries, oldestDeliveries } from './delivery-store.ts';
import { allWebhooks } from './store.ts';

const DAY_MS = 24 * 3_600_000;
/** Sorts after every id. */
const LAST_ID = '~';

/** Deletes up to `limit` deliveries past their retention or of deleted endpoints. Returns how many it deleted. */
export const sweepDeliveries = async (
  backend: Backend,
  keptDays: number,
  now: number,
  limit: number,
): Promise<number> => {
  const webhooks = new Set((await allWebhooks(backend)).map(({ id }) => id));
  const tooOld = firstIdAt(now - keptDays * DAY_MS);
  let deleted = 0;
  for (let id = await nextWithDeliveries(backend, ''); id !== undefined; id = await nextWithDeliveries(backend, id)) {
    const exists = webhooks.has(id);
    const oldest = await oldestDeliveries(backend, id, exists ? tooOld : LAST_ID, limit - deleted);
    const last = oldest.at(-1);
    if (last === undefined) continue;
    await backend.write([exists ? deleteDeliveries(id, last) : deleteOrphanedDeliveries(id, last)]);
    deleted += oldest.length;
    if (deleted >= limit) break;
  }
  return deleted;
};
