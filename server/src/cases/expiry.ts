import type { Environment } from '@portcullis/contract';
import type { Backend } from '../backend/backend.ts';
import type { Log } from '../runtime/log.ts';
import { repeat } from '../runtime/repeat.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { toCase } from './case.ts';
import { type ChangeDeps, insertChange } from './change-store.ts';
import { type CaseRow, casesToExpire, markExpirySent } from './store.ts';

const BATCH = 100;
const PAUSE_MS = 20;
const REST_MS = 1000;

/**
 * Sends `case.expired`, as messages and in the feed, for cases that were not resolved in time. Reads do not depend on it: a case is expired from
 * `expires_at` on. Messages for cases that expired while the process was down are sent after the start.
 */
export const makeExpiry = (
  deps: ChangeDeps & {
    backend: Backend;
    webhooks: Webhooks;
    clock: () => number;
    /** Why the clock is not certain; undefined where it is. A message cannot be taken back. */
    clockDoubt: () => Promise<string | undefined>;
    log: Log;
  },
) => {
  const { backend, webhooks, clock, clockDoubt } = deps;
  const sendExpiry = async (
    row: CaseRow & { tenant: number; environment: Environment },
    now: number,
  ): Promise<void> => {
    const messages = webhooks.enqueue(row, 'case.expired', JSON.stringify(toCase(row, now)), row.expires_at);
    const change = insertChange(deps, row.tenant, row, 'case.expired', row.expires_at);
    const { written } = await backend.write([markExpirySent(row.tenant, row.id), change, ...messages]);
    if (written && messages.length > 0) webhooks.send(row);
  };
  /** Returns whether there may be more expired cases. */
  const sendBatch = async (): Promise<boolean> => {
    const now = clock();
    const rows = await casesToExpire(backend, now, BATCH);
    if (rows.length > 0 && (await clockDoubt()) !== undefined) return false;
    await Promise.all(rows.map((row) => sendExpiry(row, now)));
    return rows.length === BATCH;
  };

  const schedule = repeat({
    task: () => backend.tryWithLock('expiry', sendBatch),
    firstMs: REST_MS,
    moreMs: PAUSE_MS,
    restMs: REST_MS,
    onError: (error) => deps.log.warn({ err: error }, 'sending case.expired failed; retrying in a second'),
  });
  return { start: schedule.start, stop: schedule.stop, send: sendBatch };
};
