import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Beside, getRequest, measureBeside } from './beside.ts';
import { type Server, startServer } from './process.ts';
import { makeTraffic } from './traffic.ts';

/**
 * Screening beside callers without a key. 400 connections that read large pages must not delay screenings more than
 * twice as much as 400 connections to `/healthz`, the cheapest request there is.
 */
export interface BesideStrangers {
  readonly connections: number;
  readonly alone: Beside;
  readonly health: Beside;
  readonly openapi: Beside;
  readonly docs: Beside;
  /** Each request with another unknown key. The fast clock of the benchmark lifts their limit: each is looked up. */
  readonly wrongKeys: Beside;
  readonly unread: Unread;
}

/** Connections that request pages and never read a response. */
export interface Unread {
  readonly connections: number;
  readonly rssMbBefore: number;
  readonly rssMbDuring: number;
  readonly healthP50Ms: number;
  readonly healthMaxMs: number;
}

const CONNECTIONS = 400;
const UNREAD_CONNECTIONS = 500;
const PIPELINED = 16;
const HEALTH_CHECKS = 40;

const rssMb = async (service: Server): Promise<number> => (await service.cost()).rssBytes / 1e6;

const measureUnread = async (service: Server): Promise<Unread> => {
  const { port } = service.target;
  const rssMbBefore = await rssMb(service);
  const sockets: Socket[] = [];
  for (let i = 0; i < UNREAD_CONNECTIONS; i++) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {}).pause();
    socket.write(getRequest(i % 2 === 0 ? '/openapi.json' : '/docs').repeat(PIPELINED));
    sockets.push(socket);
  }
  const times: number[] = [];
  let rssMbDuring = 0;
  for (let i = 0; i < HEALTH_CHECKS; i++) {
    const startedAt = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/healthz`);
    if (!response.ok) throw new Error(`/healthz returned ${response.status}`);
    await response.arrayBuffer();
    times.push(performance.now() - startedAt);
    rssMbDuring = Math.max(rssMbDuring, await rssMb(service));
    await new Promise((done) => setTimeout(done, 100));
  }
  for (const socket of sockets) socket.destroy();
  times.sort((a, b) => a - b);
  return {
    connections: UNREAD_CONNECTIONS,
    rssMbBefore,
    rssMbDuring,
    healthP50Ms: times[times.length >> 1] as number,
    healthMaxMs: times.at(-1) as number,
  };
};

export const measureBesideStrangers = async (): Promise<BesideStrangers> => {
  const directory = mkdtempSync(join(tmpdir(), 'portcullis-bench-strangers-'));
  const service = await startServer('./service-server.ts', { DATA_DIR: directory });
  try {
    // The pages are rendered at their first request, which is no part of the measurement.
    await fetch(`http://127.0.0.1:${service.target.port}/docs`).then((response) => response.arrayBuffer());
    const keys = Array.from({ length: 10_000 }, (_, i) => `sk_test_${String(i).padStart(40, '0')}`);
    const load = (requests: readonly string[]) => () => ({ connections: CONNECTIONS, requests });
    const measured = await measureBeside(service.target, makeTraffic(7), {
      alone: () => undefined,
      health: load([getRequest('/healthz')]),
      openapi: load([getRequest('/openapi.json')]),
      docs: load([getRequest('/docs')]),
      wrongKeys: load(keys.map((key) => getRequest('/v1/cases', key))),
    });
    return { connections: CONNECTIONS, ...measured, unread: await measureUnread(service) };
  } finally {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
};

if (import.meta.main) process.stdout.write(`${JSON.stringify(await measureBesideStrangers(), undefined, 2)}\n`);
