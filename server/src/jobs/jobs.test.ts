import { expect, test, vi } from 'vitest';
import type { Backend, Statement } from '../backend/backend.ts';
import { makeLog } from '../runtime/log.ts';
import { type JobRow, NOT_STARTED } from './job-table.ts';
import { type ActiveJob, makeJobs } from './jobs.ts';

const PICK_UP_MS = 1;
const NOW = 1_000_000;

/** Jobs on a store with the given waiting row. `isClaimed`: another process claims it first. */
const makeTestJobs = (options: { runsJobs?: boolean; waiting?: JobRow; isClaimed?: boolean } = {}) => {
  const written: Statement[] = [];
  const started: ActiveJob[] = [];
  const backend = {
    read: async () => (options.waiting === undefined ? [] : [options.waiting]),
    write: async ([statement]: readonly Statement[]) => {
      written.push(statement as Statement);
      return options.isClaimed === true ? { written: false, refused: 0 } : { written: true };
    },
  } as unknown as Backend;
  const jobs = makeJobs<JobRow, string>({
    backend,
    table: { name: 'things', columns: 'id', order: 'id' },
    name: 'thing',
    keyOf: () => 'key',
    lostMessage: 'lost',
    runsJobs: options.runsJobs ?? true,
    pickUp: { everyMs: PICK_UP_MS, maxActive: 1, prepare: async () => (job) => void started.push(job) },
    clock: () => NOW,
    log: makeLog('silent'),
  });
  return { jobs, written, started };
};
const row = (changes: Partial<JobRow> = {}): JobRow => ({
  id: 'job',
  status: 'running',
  message: null,
  ended_at: null,
  alive_until: NOW + 1,
  progress: 0.5,
  ...changes,
});

test('a new job is leased by a process that runs jobs, and left waiting by one that does not', () => {
  expect(makeTestJobs().jobs.newJob()).toMatchObject({ alive_until: NOW + 15_000, message: null });
  const waiting = { alive_until: NOT_STARTED, message: 'Waiting for a worker.' };
  expect(makeTestJobs({ runsJobs: false }).jobs.newJob()).toMatchObject(waiting);
});

test('a job is lost when its lease ends, unless it waits or is active in this process', () => {
  const { jobs } = makeTestJobs();
  const expired = row({ alive_until: NOW });
  expect(jobs.currentState(row())).toMatchObject({ status: 'running', progress: 0.5 });
  expect(jobs.currentState(expired)).toMatchObject({ status: 'failed', message: 'lost', ended_at: NOW });
  expect(jobs.currentState(row({ alive_until: NOT_STARTED })).status).toBe('running');
  expect(jobs.currentState(row({ alive_until: 0, status: 'done' })).status).toBe('done');
  const job = jobs.add(expired);
  job.progress = 0.75;
  expect(jobs.currentState(expired)).toMatchObject({ status: 'running', progress: 0.75 });
  jobs.remove(job);
});

test('removing a job leaves the next job of the same key active', () => {
  const { jobs } = makeTestJobs();
  const first = jobs.add(row());
  const second = jobs.add(row({ id: 'second' }));
  jobs.remove(first);
  expect(jobs.isActive('key')).toBe(true);
  jobs.remove(second);
  expect(jobs.isActive('key')).toBe(false);
});

test('an active job renews its lease with its progress every 3 seconds, until it is removed', () => {
  vi.useFakeTimers();
  try {
    const { jobs, written } = makeTestJobs();
    const job = jobs.add(row());
    job.progress = 0.25;
    vi.advanceTimersByTime(9_000);
    expect(written.map(({ params }) => params)).toEqual(Array(3).fill([NOW + 15_000, 0.25, 'job']));
    jobs.remove(job);
    vi.advanceTimersByTime(9_000);
    expect(written).toHaveLength(3);
  } finally {
    vi.useRealTimers();
  }
});

test('an active job that another process ended is stopped by its next heartbeat', async () => {
  vi.useFakeTimers();
  try {
    const { jobs } = makeTestJobs({ isClaimed: true });
    const stop = vi.fn(async () => {});
    jobs.add(row()).stop = stop;
    await vi.advanceTimersByTimeAsync(3_000);
    expect(stop).toHaveBeenCalledOnce();
    expect(jobs.isActive('key')).toBe(false);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['starts once', false, 1],
  ['does not start when another process claimed it first', true, 0],
])('a waiting job %s', async (_, isClaimed, count) => {
  const { jobs, written, started } = makeTestJobs({ waiting: row({ alive_until: NOT_STARTED }), isClaimed });
  jobs.start();
  await expect.poll(() => written.length).toBeGreaterThan(0);
  expect(await jobs.stop()).toHaveLength(count);
  expect(started).toHaveLength(count);
  expect(written[0]?.sql).toContain('UPDATE things SET alive_until = ?');
});

test('stopping ends the active jobs and returns their ids', async () => {
  const { jobs } = makeTestJobs();
  const stop = vi.fn(async () => {});
  jobs.add(row()).stop = stop;
  expect(await jobs.stop()).toEqual(['job']);
  expect(stop).toHaveBeenCalledOnce();
  expect(jobs.isActive('key')).toBe(false);
});

test('a process that runs no jobs picks none up', async () => {
  const { jobs, written } = makeTestJobs({ runsJobs: false, waiting: row({ alive_until: NOT_STARTED }) });
  jobs.start();
  await new Promise((resolve) => setTimeout(resolve, 20 * PICK_UP_MS));
  await jobs.stop();
  expect(written).toEqual([]);
});
