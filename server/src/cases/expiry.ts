import type { Environment } from '@portcullis/contract';
import type { Backend } from '../backend/backend.ts';
import type { Log } from '../log.ts';
import { makeRounds } from '../rounds.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import { toCase } from './cases.ts';
import { type CaseRow, casesToExpire, tellExpiry } from './store.ts';

const BATCH = 100;
const PAUSE_MS = 20;
const REST_MS = 1000;

/**
 * Tells of cases that nobody resolved in time. A case is expired from its moment on, told or not: reads never depend on this, and what
 * expired while the process was down is told of after the start.
 */
export const makeExpiry = (deps: { backend: Backend; webhooks: Webhooks; clock: () => number; log: Log }) => {
  const { backend, webhooks, clock } = deps;
  const tell = async (row: CaseRow & { tenant: number; environment: Environment }, now: number): Promise<void> => {
    const messages = webhooks.owe(row, 'case.expired', JSON.stringify(toCase(row, now)), row.expires_at);
    const { written } = await backend.write([tellExpiry(row.tenant, row.id), ...messages]);
    if (written && messages.length > 0) webhooks.send(row);
  };
  /** Answers with whether there may be more to tell of. */
  const tellOnce = async (): Promise<boolean> => {
    const now = clock();
    const rows = await casesToExpire(backend, now, BATCH);
    await Promise.all(rows.map((row) => tell(row, now)));
    return rows.length === BATCH;
  };

  return makeRounds({
    act: () => backend.unlessBusy('expiry', tellOnce),
    firstMs: REST_MS,
    moreMs: PAUSE_MS,
    restMs: REST_MS,
    onFault: (error) => deps.log.warn({ err: error }, 'telling of expired cases failed and will be tried again'),
  });
};
