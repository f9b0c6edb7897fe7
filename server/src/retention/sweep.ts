import { writeTimestamp } from '@portcullis/contract/values';
import type { Backend } from '../backend/backend.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { repeat } from '../runtime/repeat.ts';
import { serializeByKey } from '../runtime/serialize-by-key.ts';
import type { ClockDoubt } from './clock-doubt.ts';
import { readThrough, writeThrough } from './store.ts';

/** Small enough that a screening never waits long behind a batch of deletions. */
const BATCH = 100;
const PAUSE_MS = 20;
const FIRST_MS = 1000;
const REST_MS = 60_000;
/** The time by which rows are deleted advances by at most a day, then rests for an hour. */
const STEP_MS = 24 * 3_600_000;
const STEP_EVERY_MS = 3_600_000;
const REPORT_DOUBT_EVERY_MS = 3_600_000;

/** Deletes up to `limit` rows of one table that are past their retention at `now`. Returns how many it deleted. */
export type Sweep = (now: number, limit: number) => Promise<number>;

export interface RetentionDeps {
  readonly backend: Backend;
  /** The sweep of each table, by its name in the metrics. */
  readonly sweeps: Readonly<Record<string, Sweep>>;
  readonly clock: () => number;
  readonly clockDoubt: ClockDoubt;
  /** When the newest record was stored; 0 without one. */
  readonly newestRecordAt: () => Promise<number>;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Milliseconds that only move forward. */
  readonly monotonic?: () => number;
}

interface RetentionState extends RetentionDeps {
  readonly monotonic: () => number;
  /** The time by which rows are being deleted, until no table has more of them. */
  asOf: number | undefined;
  readonly deleted: Map<string, number>;
  nextStepAt: number;
  reportDoubtAt: number;
}

/**
 * The time to delete by next, at most a day after the last one; undefined while it must rest. Before the first sweep
 * of a store its newest record counts: the clock may be wrong from the start.
 */
const nextTime = async (state: RetentionState): Promise<number | undefined> => {
  const { backend, clock, log, monotonic } = state;
  const now = clock();
  const through = (await readThrough(backend)) ?? ((await state.newestRecordAt()) || now);
  if (now - through <= STEP_MS) return now;
  if (monotonic() < state.nextStepAt) return undefined;
  state.nextStepAt = monotonic() + STEP_EVERY_MS;
  const asOf = through + STEP_MS;
  log.warn(
    { now: writeTimestamp(now), as_of: writeTimestamp(asOf) },
    'retention is more than a day behind, or the clock is wrong: old rows are deleted a day per hour',
  );
  return asOf;
};

const refuse = (state: RetentionState, doubt: string): void => {
  state.asOf = undefined;
  if (state.monotonic() < state.reportDoubtAt) return;
  state.reportDoubtAt = state.monotonic() + REPORT_DOUBT_EVERY_MS;
  state.log.info({ reason: doubt }, 'retention sweep refused: nothing is deleted until the clock is certain');
};

/** Sweeps one batch of each table. Returns whether any table may hold more rows to delete. */
const sweepOnce = async (state: RetentionState, asOf: number): Promise<boolean> => {
  let hasMore = false;
  for (const [table, sweep] of Object.entries(state.sweeps)) {
    const deleted = await sweep(asOf, BATCH);
    state.metrics.swept.inc({ table }, deleted);
    if (deleted > 0) state.deleted.set(table, (state.deleted.get(table) ?? 0) + deleted);
    if (deleted >= BATCH) hasMore = true;
  }
  return hasMore;
};

/** No table has more rows to delete as of a time. */
const finish = async (state: RetentionState, asOf: number): Promise<void> => {
  const { backend, log, deleted } = state;
  state.asOf = undefined;
  await backend.write([writeThrough(asOf)]);
  if (deleted.size > 0)
    log.info({ as_of: writeTimestamp(asOf), deleted: Object.fromEntries(deleted) }, 'retention deleted old rows');
  deleted.clear();
};

/** Deletes a batch of rows, if the clock is certain. Returns whether there may be more. */
const run = async (state: RetentionState): Promise<boolean> => {
  // Checked before each batch: a clock that jumps during a long sweep stops it.
  const doubt = await state.clockDoubt();
  if (doubt !== undefined) {
    refuse(state, doubt);
    return false;
  }
  state.asOf ??= await nextTime(state);
  if (state.asOf === undefined) return false;
  const hasMore = await sweepOnce(state, state.asOf);
  if (!hasMore) await finish(state, state.asOf);
  return hasMore;
};

/**
 * Deletes rows past their retention. Reads never depend on it: they already skip rows that are too old, so it does
 * not matter how long the process was down.
 */
export const makeRetention = (deps: RetentionDeps) => {
  const { backend, clock, log } = deps;
  const state: RetentionState = {
    monotonic: () => performance.now(),
    ...deps,
    asOf: undefined,
    deleted: new Map(),
    nextStepAt: Number.NEGATIVE_INFINITY,
    reportDoubtAt: Number.NEGATIVE_INFINITY,
  };
  const inTurn = serializeByKey<string>();
  const runInTurn = (): Promise<boolean> => inTurn('sweep', () => run(state));
  const schedule = repeat({
    task: () => backend.tryWithLock('retention', runInTurn),
    firstMs: FIRST_MS,
    moreMs: PAUSE_MS,
    restMs: REST_MS,
    onError: (error) => log.warn({ err: error }, 'retention sweep failed; retrying in a minute'),
  });
  return {
    start: schedule.start,
    stop: schedule.stop,
    /** Deletes what a pass of the schedule deletes. */
    sweep: async (): Promise<void> => {
      while (await runInTurn());
    },
    /** Deletes everything past its retention at once, whatever the clock is like. */
    sweepAll: async (): Promise<void> => {
      while (!schedule.isStopped() && (await sweepOnce(state, clock())));
    },
  };
};
