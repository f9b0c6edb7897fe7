import type { Backend } from '../backend/backend.ts';
import { IDEMPOTENCY_MS } from '../http/idempotency.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { makeRounds } from '../rounds.ts';
import { deleteScreening, expiredScreenings } from './store.ts';

export { RETENTION_MS } from './store.ts';

/** Small enough that a screening never waits long behind a batch of deletions. */
const BATCH = 100;
const PAUSE_MS = 20;
const FIRST_MS = 1000;
const REST_MS = 60_000;

const countOldKeys = 'SELECT COUNT(*) AS count FROM (SELECT 1 FROM idempotency WHERE created_at <= ? LIMIT ?) AS old';
const deleteOldKeys = (now: number) => ({
  sql: `DELETE FROM idempotency WHERE (tenant, path, key) IN
    (SELECT tenant, path, key FROM idempotency WHERE created_at <= ? ORDER BY created_at LIMIT ?)`,
  params: [now - IDEMPOTENCY_MS, BATCH],
});

/**
 * Deletes what is past its retention. Reads never depend on it: what is too old is already not found, so it does not matter how
 * long the process was down.
 */
export const makeRetention = (deps: {
  backend: Backend;
  /** Of others, by table: each deletes up to so many of its rows that are past their time, and answers with how many. */
  sweeps: Readonly<Record<string, (now: number, limit: number) => Promise<number>>>;
  clock: () => number;
  log: Log;
  metrics: Metrics;
}) => {
  const { backend, clock, metrics } = deps;

  /** One batch. Answers with how many screenings it deleted, and whether there may be more to delete of anything. */
  const sweepOnce = async (): Promise<{ deleted: number; more: boolean }> => {
    const now = clock();
    const expired = await expiredScreenings(backend, now, BATCH);
    const [keys] = await backend.read<{ count: number }>(countOldKeys, now - IDEMPOTENCY_MS, BATCH);
    await backend.write([...expired.map(deleteScreening), deleteOldKeys(now)]);
    metrics.swept.inc({ table: 'screenings' }, expired.length);
    let more = expired.length === BATCH || keys?.count === BATCH;
    for (const [table, sweep] of Object.entries(deps.sweeps)) {
      const deleted = await sweep(now, BATCH);
      metrics.swept.inc({ table }, deleted);
      if (deleted >= BATCH) more = true;
    }
    return { deleted: expired.length, more };
  };
  const sweepAll = async (): Promise<number> => {
    let total = 0;
    for (let more = true; more && !rounds.isStopped(); ) {
      const swept = await sweepOnce();
      total += swept.deleted;
      more = swept.more;
    }
    return total;
  };

  const rounds = makeRounds({
    act: async () => (await backend.unlessBusy('retention', sweepOnce))?.more,
    firstMs: FIRST_MS,
    moreMs: PAUSE_MS,
    restMs: REST_MS,
    onFault: (error) => deps.log.warn({ err: error }, 'the retention sweep failed and will be tried again'),
  });
  return { start: rounds.start, sweepAll, stop: rounds.stop };
};
