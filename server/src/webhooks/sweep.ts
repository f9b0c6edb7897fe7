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
  const { dropped, rest } = await backend.dropOld('deliveries', now - keptDays * DAY_MS);
  const tooOld = firstIdAt(now - keptDays * DAY_MS);
  let deleted = 0;
  const sweepOne = async (
    table: string,
    id: string,
    before: string,
    remove: typeof deleteDeliveries,
  ): Promise<void> => {
    const oldest = await oldestDeliveries(backend, table, id, before, limit - deleted);
    const last = oldest.at(-1);
    if (last !== undefined) await backend.write([remove(table, id, last)]);
    deleted += oldest.length;
  };
  for (let id = await nextWithDeliveries(backend, ''); id !== undefined; id = await nextWithDeliveries(backend, id)) {
    if (!webhooks.has(id)) await sweepOne('deliveries', id, LAST_ID, deleteOrphanedDeliveries);
    else for (const table of rest) await sweepOne(table, id, tooOld, deleteDeliveries);
    if (deleted >= limit) break;
  }
  return dropped + deleted;
};
