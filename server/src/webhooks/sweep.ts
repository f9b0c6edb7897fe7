import { setImmediate } from 'node:timers/promises';
import type { Backend } from '../backend/backend.ts';
import { firstIdAt } from '../ids.ts';
import { deleteDeliveries, deleteOfGone, nextWithDeliveries, oldestDeliveries } from './delivery-store.ts';
import { allWebhooks } from './store.ts';

const KEPT_MS = 30 * 24 * 3_600_000;
/** Comes after every id. */
const LAST_ID = '~';

/** Deletes up to `limit` deliveries past their time, or of endpoints that are gone. Answers with how many it deleted. */
export const sweepDeliveries = async (backend: Backend, now: number, limit: number): Promise<number> => {
  const webhooks = new Set((await allWebhooks(backend)).map(({ id }) => id));
  const tooOld = firstIdAt(now - KEPT_MS);
  let deleted = 0;
  for (let id = await nextWithDeliveries(backend, ''); id !== undefined; id = await nextWithDeliveries(backend, id)) {
    // Between two endpoints screenings come first: there may be thousands of endpoints.
    await setImmediate();
    const isThere = webhooks.has(id);
    const oldest = await oldestDeliveries(backend, id, isThere ? tooOld : LAST_ID, limit - deleted);
    const last = oldest.at(-1);
    if (last === undefined) continue;
    await backend.write([isThere ? deleteDeliveries(id, last) : deleteOfGone(id, last)]);
    deleted += oldest.length;
    if (deleted >= limit) break;
  }
  return deleted;
};
