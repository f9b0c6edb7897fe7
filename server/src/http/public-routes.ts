import { setTimeout } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Metrics } from '../runtime/metrics.ts';
import { unavailable } from '../validation/errors.ts';
import { type Authenticator, credentialsOf } from './caller.ts';
import type { Connections } from './connections.ts';
import { CONSOLE_ENDPOINTS } from './console-routes.ts';
import { DOCS_ENDPOINTS } from './docs-routes.ts';
import type { Endpoint } from './no-route.ts';
import { readSdk, sendSdk } from './sdk.ts';
import { makeOnce } from './static-content.ts';

const gets = (...paths: string[]): readonly Endpoint[] => paths.map((path) => ({ method: 'GET', path }));
/** Endpoints about the process itself, which every process serves. */
export const HEALTH_ENDPOINTS = gets('/healthz', '/readyz', '/metrics');
export const PUBLIC_ENDPOINTS = [
  ...HEALTH_ENDPOINTS,
  ...DOCS_ENDPOINTS,
  ...CONSOLE_ENDPOINTS,
  ...gets('/sdk/device.js'),
];

const METRICS_PAUSE_MS = 100;
/** Writes the metrics one at a time, with pauses: requests in between share the next text. It takes milliseconds. */
const makePacedText = (write: () => Promise<string>) => {
  let next: Promise<string> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  const writeNext = async (): Promise<string> => {
    const pauseMs = lastAt + METRICS_PAUSE_MS - performance.now();
    if (pauseMs > 0) await setTimeout(pauseMs);
    try {
      return await write();
    } finally {
      lastAt = performance.now();
      next = undefined;
    }
  };
  return (): Promise<string> => {
    next ??= writeNext();
    return next;
  };
};

/** `/healthz` and `/readyz`, which take no key, and `/metrics`, which takes an admin key. */
export const healthRoutes = (
  app: FastifyInstance,
  deps: { access: Authenticator; connections: Connections; metrics: Metrics; notReady: () => string | undefined },
): void => {
  const { access, connections, metrics, notReady } = deps;
  const metricsText = makePacedText(metrics.text);
  app.get('/healthz', (_request, reply) => reply.send({ status: 'alive' }));
  app.get('/readyz', (_request, reply) => {
    const reason = notReady();
    if (reason === undefined) return reply.send({ status: 'ready' });
    throw unavailable(reason);
  });
  app.get('/metrics', async (request, reply) => {
    await access.authenticateMonitor(credentialsOf(connections, request));
    return reply.type(metrics.contentType).send(await metricsText());
  });
};

/** The script of the device SDK, which the pages of customers load. */
export const sdkRoutes = (app: FastifyInstance): void => {
  const sdk = makeOnce(readSdk);
  app.get('/sdk/device.js', async (request, reply) => sendSdk(await sdk(), request, reply));
};
