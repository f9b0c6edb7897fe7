import { readdirSync, readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';
import { closedLoop, openLoop } from './load.ts';
import { type Server, startServer } from './process.ts';
import { makeSharedStore } from './shared-store.ts';

/** Cost of a shared store: one and two processes on PostgreSQL and Redis, compared with the baseline, in one run. */
export interface ScaleCost {
  readonly baselinePerSecond: number;
  readonly onePerSecond: number;
  readonly twoPerSecond: number;
  /** CPU time per screening in microseconds, with one process. */
  readonly processCpuUs: number;
  readonly postgresCpuUs: number;
  readonly redisCpuUs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly arrivals: number;
  readonly redisBytesPerScreening: number;
}

const WARM_UP = 20_000;
const ROUNDS = 4;
const ROUND_MS = 3000;
const CONNECTIONS = 32;
const ARRIVALS = 500;
/** Unit of CPU time in /proc. */
const TICK_US = 10_000;

/** CPU time of all processes with a name. Undefined without such a process, or on systems without /proc. */
const cpuOf = (name: string): number | undefined => {
  let ticks: number | undefined;
  try {
    for (const pid of readdirSync('/proc')) {
      if (!/^\d+$/.test(pid)) continue;
      try {
        const [, comm, rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
        if (comm !== name) continue;
        const fields = (rest as string).split(' ');
        ticks = (ticks ?? 0) + Number(fields[11]) + Number(fields[12]);
      } catch {
        // The process ended before its file was read.
      }
    }
  } catch {
    return undefined;
  }
  return ticks === undefined ? undefined : ticks * TICK_US;
};
const cpuNow = () => ({ postgres: cpuOf('postgres') ?? Number.NaN, redis: cpuOf('redis-server') ?? Number.NaN });

const screen = async (servers: readonly Server[], next: () => string): Promise<number> => {
  const loads = await Promise.all(
    servers.map(({ target }) => closedLoop(target, CONNECTIONS / servers.length, next, { ms: ROUND_MS })),
  );
  const errors = loads.reduce((sum, load) => sum + load.errors, 0);
  if (errors > 0) throw new Error(`${errors} responses were not 200`);
  return loads.reduce((sum, { requests, seconds }) => sum + requests / seconds, 0);
};

const usedBytes = async (redis: Redis): Promise<number> =>
  Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1]);

/** Undefined if PostgreSQL or Redis is not available. */
export const measureScale = async (baseline: Server, next: () => string): Promise<ScaleCost | undefined> => {
  const store = await makeSharedStore();
  if (store === undefined) return undefined;
  const { env, redis } = store;
  const servers: Server[] = [];
  try {
    const emptyBytes = await usedBytes(redis);
    const one = await startServer('./service-server.ts', env);
    servers.push(one);
    await closedLoop(one.target, CONNECTIONS, next, { requests: WARM_UP });
    const redisBytesPerScreening = ((await usedBytes(redis)) - emptyBytes) / WARM_UP;

    const perSecond = { baseline: 0, one: 0, two: 0 };
    const cpu = { process: 0, postgres: 0, redis: 0 };
    let screened = 0;
    for (let round = 0; round < ROUNDS; round++) {
      perSecond.baseline += (await screen([baseline], next)) / ROUNDS;
      const [before, processBefore] = [cpuNow(), await one.cost()];
      const rate = await screen([one], next);
      const [after, processAfter] = [cpuNow(), await one.cost()];
      perSecond.one += rate / ROUNDS;
      screened += (rate * ROUND_MS) / 1000;
      cpu.process += processAfter.cpuUs - processBefore.cpuUs;
      cpu.postgres += after.postgres - before.postgres;
      cpu.redis += after.redis - before.redis;
    }
    const open = await openLoop(one.target, ARRIVALS, next, 10_000);
    servers.push(await startServer('./service-server.ts', env));
    await screen(servers, next);
    for (let round = 0; round < ROUNDS; round++) perSecond.two += (await screen(servers, next)) / ROUNDS;
    return {
      baselinePerSecond: perSecond.baseline,
      onePerSecond: perSecond.one,
      twoPerSecond: perSecond.two,
      processCpuUs: cpu.process / screened,
      postgresCpuUs: cpu.postgres / screened,
      redisCpuUs: cpu.redis / screened,
      p50Ms: open.p50Ms,
      p99Ms: open.p99Ms,
      arrivals: ARRIVALS,
      redisBytesPerScreening,
    };
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await store.drop();
  }
};
