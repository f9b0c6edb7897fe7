import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { closedLoop, openLoop, type Target } from './load.ts';
import type { PeopleLoad, PeopleResult } from './people-thread.ts';
import { signInPerson } from './person.ts';
import { startServer } from './process.ts';
import { makeTraffic } from './traffic.ts';

/** Screening while ten people work in the console, compared with screening alone. */
export interface ConsolePeople {
  readonly people: number;
  readonly arrivals: number;
  readonly stored: number;
  readonly alone: Screening;
  readonly beside: Screening;
  readonly ratios: Screening;
  /** Of all people together. */
  readonly requestsPerSecond: number;
  readonly resolvedPerMinute: number;
  readonly eventsPerSecond: number;
  readonly failed: number;
}
interface Screening {
  /** At the rate of the arrivals. */
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** With 32 connections, each as fast as it can. */
  readonly mostPerSecond: number;
}

const PEOPLE = 10;
const SECONDS_PER_CASE = 4;
const ARRIVALS = 500;
const STORED = 50_000;
const ROUNDS = 3;
const OPEN_MS = 15_000;
const CLOSED_MS = 5_000;
const CONNECTIONS = 32;

const startPeople = (load: PeopleLoad) => {
  const thread = new Worker(new URL('./people-thread.ts', import.meta.url), { workerData: load });
  return (): Promise<PeopleResult> =>
    new Promise((resolve, reject) => {
      thread.once('message', resolve).once('error', reject);
      thread.postMessage('stop');
    });
};

const screen = async (target: Target, next: () => string): Promise<Screening> => {
  const { requests, errors, seconds, p50Ms, p99Ms } = await openLoop(target, ARRIVALS, next, OPEN_MS);
  const most = await closedLoop(target, CONNECTIONS, next, { ms: CLOSED_MS });
  return {
    perSecond: (requests - errors) / seconds,
    p50Ms,
    p99Ms,
    mostPerSecond: (most.requests - most.errors) / most.seconds,
  };
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
const NAMES = ['perSecond', 'p50Ms', 'p99Ms', 'mostPerSecond'] as const;
const each = (of: (name: keyof Screening) => number): Screening =>
  Object.fromEntries(NAMES.map((name) => [name, of(name)])) as unknown as Screening;
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Rounds with and without people alternate, so that noise affects both. Each figure is the median of its rounds. */
const measure = async (target: Target): Promise<ConsolePeople> => {
  const next = makeTraffic(9);
  await closedLoop(target, 64, next, { requests: STORED });
  const cookies: string[] = [];
  for (let at = 0; at < PEOPLE; at++) cookies.push(await signInPerson(target, `person${at}`, 'analyst'));
  const alone: Screening[] = [];
  const beside: Screening[] = [];
  const worked: PeopleResult[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    alone.push(await screen(target, next));
    const stop = startPeople({ port: target.port, cookies, secondsPerCase: SECONDS_PER_CASE });
    // Everybody is at work when the measurement starts.
    await new Promise((done) => setTimeout(done, SECONDS_PER_CASE * 1000));
    beside.push(await screen(target, next));
    worked.push(await stop());
  }
  const without = each((name) => median(alone.map((one) => one[name])));
  const during = each((name) => median(beside.map((one) => one[name])));
  const seconds = total(worked.map((one) => one.seconds));
  return {
    people: PEOPLE,
    arrivals: ARRIVALS,
    stored: STORED,
    alone: without,
    beside: during,
    ratios: each((name) => during[name] / without[name]),
    requestsPerSecond: total(worked.map(({ requests }) => requests)) / seconds,
    resolvedPerMinute: (total(worked.map(({ resolved }) => resolved)) / seconds) * 60,
    eventsPerSecond: total(worked.map(({ events }) => events)) / seconds,
    failed: total(worked.map(({ failed }) => failed)),
  };
};

export const measureConsolePeople = async (): Promise<ConsolePeople> => {
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-bench-people-'));
  try {
    const service = await startServer('./service-server.ts', { DATA_DIR: directory, BENCH_SPEED: '100' });
    try {
      return await measure(service.target);
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

if (import.meta.main) process.stdout.write(`${JSON.stringify(await measureConsolePeople(), undefined, 2)}\n`);
