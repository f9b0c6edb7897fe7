import type { Backend } from '../backend/backend.ts';
import type { Log } from '../runtime/log.ts';
import { repeat } from '../runtime/repeat.ts';
import { claimJob, type JobRow, type JobTable, NOT_STARTED, oldestWaiting, renewLease } from './job-table.ts';

/** A job without a heartbeat for this long is lost: its process stopped or crashed. */
const LEASE_MS = 15_000;
const HEARTBEAT_MS = 3_000;
const WAITING = 'Waiting for a worker.';

/** A job of this process. */
export interface ActiveJob {
  readonly id: string;
  /** From 0 to 1. */
  progress: number;
  /** Ends the work early. Set once there is work to end. */
  stop?: () => Promise<unknown>;
}

interface JobsOptions<Row extends JobRow, Key> {
  readonly backend: Backend;
  readonly table: JobTable;
  /** The kind of job in log lines, such as `training`. */
  readonly name: string;
  /** Jobs with the same key exclude each other. */
  readonly keyOf: (row: Row) => Key;
  /** Message of a job whose process stopped. */
  readonly lostMessage: string;
  /** Whether this process runs jobs. Otherwise it leaves them to a process that does. */
  readonly runsJobs: boolean;
  /** How jobs that another process left are picked up. */
  readonly pickUp: {
    readonly everyMs: number;
    /** Wait after a job was picked up; `everyMs` unless set. */
    readonly moreMs?: number;
    /** With this many active jobs none is picked up: another process may have more time. */
    readonly maxActive: number;
    /** Runs before the job is claimed. Returns the function that starts it. */
    readonly prepare: (row: Row) => Promise<(job: ActiveJob) => void>;
  };
  readonly clock: () => number;
  readonly log: Log;
}

interface JobsState<Row extends JobRow, Key> extends JobsOptions<Row, Key> {
  readonly active: Map<Key, ActiveJob>;
  readonly heartbeats: Map<ActiveJob, NodeJS.Timeout>;
}

const leaseEnd = ({ clock }: { readonly clock: () => number }): number => clock() + LEASE_MS;

const add = <Row extends JobRow, Key>(state: JobsState<Row, Key>, row: Row): ActiveJob => {
  const { backend, table, name, log } = state;
  const job: ActiveJob = { id: row.id, progress: 0 };
  const beat = (): void =>
    void backend.write([renewLease(table, job.id, leaseEnd(state), job.progress)]).then(
      // Otherwise another process ended it.
      ({ written }) => (written ? undefined : end(state, job.id)),
      (error: unknown) => log.warn({ err: error }, `${name} heartbeat failed`),
    );
  const heartbeat = setInterval(beat, HEARTBEAT_MS);
  heartbeat.unref();
  state.active.set(state.keyOf(row), job);
  state.heartbeats.set(job, heartbeat);
  return job;
};

/** The key may belong to the next job already, so only the same job is removed. */
const remove = <Row extends JobRow, Key>({ active, heartbeats }: JobsState<Row, Key>, job: ActiveJob): void => {
  clearInterval(heartbeats.get(job));
  heartbeats.delete(job);
  for (const [key, other] of active) if (other === job) active.delete(key);
};

/** Ends the work on a job of this process. Its row says already how it ended. */
const end = async <Row extends JobRow, Key>(state: JobsState<Row, Key>, id: string): Promise<void> => {
  const job = [...state.active.values()].find((one) => one.id === id);
  if (job === undefined) return;
  remove(state, job);
  await job.stop?.();
};

/** Starts the oldest job that another process left. Returns whether there was one to claim. */
const pickUp = async <Row extends JobRow, Key>(state: JobsState<Row, Key>): Promise<boolean> => {
  const { backend, table, active } = state;
  const { maxActive, prepare } = state.pickUp;
  if (active.size >= maxActive) return false;
  const row = await oldestWaiting<Row>(backend, table);
  if (row === undefined || active.has(state.keyOf(row))) return false;
  const start = await prepare(row);
  const job = add(state, row);
  try {
    const { written } = await backend.write([claimJob(table, row.id, leaseEnd(state))]);
    if (written) start(job);
    else remove(state, job);
    return true;
  } catch (error) {
    remove(state, job);
    throw error;
  }
};

/** The current state of a job. Its row may be out of date. */
const currentState = <Row extends JobRow, Key>(
  { active, keyOf, clock, lostMessage }: JobsState<Row, Key>,
  row: Row,
): Pick<JobRow, 'status' | 'message' | 'ended_at' | 'progress'> => {
  const job = active.get(keyOf(row));
  const isActive = job?.id === row.id;
  const isLost = row.status === 'running' && !isActive && row.alive_until !== NOT_STARTED && row.alive_until <= clock();
  return {
    status: isLost ? 'failed' : row.status,
    message: isLost ? lostMessage : row.message,
    ended_at: isLost ? row.alive_until : row.ended_at,
    progress: isActive ? job.progress : row.progress,
  };
};

/** Background jobs of one kind, stored in a table and shared by all processes on the store. */
export const makeJobs = <Row extends JobRow, Key>(options: JobsOptions<Row, Key>) => {
  const state: JobsState<Row, Key> = { ...options, active: new Map(), heartbeats: new Map() };
  const { name, runsJobs, log } = options;
  const { everyMs, moreMs = everyMs } = options.pickUp;
  const pickUps = repeat({
    task: () => pickUp(state),
    firstMs: everyMs,
    moreMs,
    restMs: everyMs,
    onError: (error) => log.warn({ err: error }, `looking for waiting ${name}s failed; retrying`),
  });
  return {
    /**
     * Columns of a new job: leased by this process, or left to another. The API has no `queued`: a job that waits for a
     * worker is `running` with this message.
     */
    newJob: (): Pick<JobRow, 'status' | 'message' | 'ended_at' | 'alive_until' | 'progress'> => ({
      status: 'running',
      message: runsJobs ? null : WAITING,
      ended_at: null,
      alive_until: runsJobs ? leaseEnd(options) : NOT_STARTED,
      progress: 0,
    }),
    /** Whether this process runs a job with the key. */
    isActive: (key: Key): boolean => state.active.has(key),
    /** Makes a job active: its lease is renewed until it is removed. */
    add: (row: Row): ActiveJob => add(state, row),
    remove: (job: ActiveJob): void => remove(state, job),
    end: (id: string): Promise<void> => end(state, id),
    currentState: (row: Row) => currentState(state, row),
    start: (): void => {
      if (runsJobs) pickUps.start();
    },
    /** Ends the active jobs. Returns their ids: the caller stores them as failed. */
    stop: async (): Promise<readonly string[]> => {
      await pickUps.stop();
      const jobs = [...state.active.values()];
      for (const job of jobs) remove(state, job);
      await Promise.all(jobs.map((job) => job.stop?.()));
      return jobs.map(({ id }) => id);
    },
  };
};
export type Jobs<Row extends JobRow, Key> = ReturnType<typeof makeJobs<Row, Key>>;
