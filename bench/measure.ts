import { closedLoop, type Load, openLoop } from './load.ts';
import type { Server } from './process.ts';

/** Throughput and CPU time of the service relative to the baseline. Both alternate, so that noise affects both. */
export interface Ratio {
  readonly baselinePerSecond: number;
  readonly servicePerSecond: number;
  readonly throughput: number;
  readonly baselineCpuUs: number;
  readonly serviceCpuUs: number;
  readonly cpu: number;
}

const ROUNDS = 5;
const ROUND_MS = 3000;
const CONNECTIONS = 32;

const costOf = async (server: Server, next: () => string) => {
  const before = await server.cost();
  const load = await closedLoop(server.target, CONNECTIONS, next, { ms: ROUND_MS });
  const after = await server.cost();
  if (load.errors > 0) throw new Error(`${load.errors} responses were not 200`);
  return { requests: load.requests, seconds: load.seconds, cpuUs: after.cpuUs - before.cpuUs };
};

const sum = (rounds: Awaited<ReturnType<typeof costOf>>[]) => {
  const requests = rounds.reduce((total, round) => total + round.requests, 0);
  return {
    perSecond: requests / rounds.reduce((total, round) => total + round.seconds, 0),
    cpuUs: rounds.reduce((total, round) => total + round.cpuUs, 0) / requests,
  };
};

export const measureRatio = async (baseline: Server, service: Server, next: () => string): Promise<Ratio> => {
  const baselineRounds = [];
  const serviceRounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    baselineRounds.push(await costOf(baseline, next));
    serviceRounds.push(await costOf(service, next));
  }
  const [a, b] = [sum(baselineRounds), sum(serviceRounds)];
  return {
    baselinePerSecond: a.perSecond,
    servicePerSecond: b.perSecond,
    throughput: b.perSecond / a.perSecond,
    baselineCpuUs: a.cpuUs,
    serviceCpuUs: b.cpuUs,
    cpu: b.cpuUs / a.cpuUs,
  };
};

export interface Latency {
  readonly closed: readonly { readonly connections: number; readonly load: Load }[];
  readonly open: Load;
}

export const measureLatency = async (service: Server, next: () => string): Promise<Latency> => {
  const closed = [];
  for (const connections of [1, 32, 128]) {
    closed.push({ connections, load: await closedLoop(service.target, connections, next, { ms: 4000 }) });
  }
  return { closed, open: await openLoop(service.target, 1000, next, 15_000) };
};
