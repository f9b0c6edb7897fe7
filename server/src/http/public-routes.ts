import { openapi } from '@portcullis/contract';
import type { FastifyInstance } from 'fastify';
import type { Access } from '../access/access.ts';
import type { Metrics } from '../metrics.ts';
import { VERSION } from '../version.ts';
import { docsPage } from './docs.ts';
import { ApiError } from './errors.ts';
import type { Served } from './http.ts';
import { readSdk, sendSdk } from './sdk.ts';

const served = (...paths: string[]): Served => paths.map((path) => ({ method: 'GET', path }));
/** What tells of the process itself, and all that one has who answers no callers. */
export const HEALTH_PATHS = served('/healthz', '/readyz', '/metrics');
export const PUBLIC_PATHS = [...HEALTH_PATHS, ...served('/openapi.json', '/docs', '/sdk/device.js')];

/** What is reached without a key, and `/metrics`, which takes an admin's. */
export const healthRoutes = (
  app: FastifyInstance,
  { access, metrics, isReady }: { access: Access; metrics: Metrics; isReady: () => boolean },
): void => {
  app.get('/healthz', (_request, reply) => reply.send({ status: 'alive' }));
  app.get('/readyz', (_request, reply) => {
    if (isReady()) return reply.send({ status: 'ready' });
    throw new ApiError('unavailable', 'The service is starting or stopping.', { headers: { 'Retry-After': '1' } });
  });
  app.get('/metrics', async (request, reply) => {
    const { authorization, host } = request.headers;
    await access.authenticateWatcher({ authorization, host, connection: request.raw.socket });
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
};

const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

/** What callers read before they call. */
export const docsRoutes = (app: FastifyInstance): void => {
  // Made when somebody asks: together they take a tenth of the time of a start, and most processes are never asked.
  const document = once(() => openapi(VERSION));
  const page = once(() => docsPage(document() as never));
  app.get('/openapi.json', (_request, reply) => reply.send(document()));
  app.get('/docs', (_request, reply) =>
    reply
      .header(
        'Content-Security-Policy',
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
      )
      .header('X-Content-Type-Options', 'nosniff')
      .type('text/html; charset=utf-8')
      .send(page()),
  );
};

/** What a page loads before its visitor pays. */
export const sdkRoutes = (app: FastifyInstance): void => {
  const sdk = once(readSdk);
  app.get('/sdk/device.js', (request, reply) => sendSdk(sdk(), request, reply));
};
