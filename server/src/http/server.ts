import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { NewId } from '../runtime/ids.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { findAmbiguity, findUnclearEnd, offersUpgrade } from './ambiguity.ts';
import type { Connections } from './connections.ts';
import { BODY_LIMIT_BYTES, sendError, sendFinalError, sendRawError } from './error-response.ts';
import { addBodyParsers } from './json-body.ts';
import { makeListener } from './listener.ts';
import { logResponse } from './log-response.ts';
import { type Endpoint, makeNoRoute } from './no-route.ts';
import type { PlainRequests } from './plain-requests.ts';
import { costOf } from './request-cost.ts';
import { newRequestId, requestIdOf } from './request-id.ts';
import { canonicalUrl } from './request-url.ts';
import type { Turns } from './turns.ts';
import { apiVersion } from './versions.ts';

export interface HttpServerDeps {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly newId: NewId;
  readonly connections: Connections;
  readonly turns: Turns;
  readonly plain: Pick<PlainRequests, 'take' | 'stop'>;
  /** Everything the process serves, for 404 and 405. */
  readonly endpoints: readonly Endpoint[];
}

/** Requests are checked by `validation/`. Without these two, Fastify loads its own validator and serializer at each start. */
const refuseSchema = (): never => {
  throw new Error('a route has a schema of Fastify');
};

const createFastify = ({ log, newId, connections, turns, plain }: HttpServerDeps) =>
  Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    serverFactory: (handle) =>
      makeListener((request, response) => {
        if (offersUpgrade(request)) response.shouldKeepAlive = false;
        // Before the router: its own errors would leave the connection open.
        const unclearEnd = findUnclearEnd(request);
        if (unclearEnd === undefined) {
          if (!plain.take(request, response)) handle(request, response);
          return;
        }
        connections.closeSoon(request.socket);
        sendFinalError(unclearEnd, response, newRequestId(newId));
      }, connections),
    rewriteUrl: (request) => canonicalUrl(request.url as string),
    routerOptions: { maxParamLength: 4096 },
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    genReqId: (request) => requestIdOf(request as IncomingMessage, newId),
    requestIdHeader: false,
    clientErrorHandler: (error, socket) => {
      if (connections.mayAnswerError(socket as Socket)) sendRawError(error, socket as Socket, newRequestId(newId));
    },
    frameworkErrors: (error, request, reply) =>
      turns.take(costOf(connections, request), () => sendError(log, error, request, reply)),
  });

/** The error of a request that is refused before its key and its body are read. Sets the version of the response. */
const refuseEarly = (
  noRoute: ReturnType<typeof makeNoRoute>,
  request: FastifyRequest,
  reply: FastifyReply,
): Error | undefined => {
  try {
    reply.header('X-Api-Version', apiVersion(request.headers['x-api-version']));
  } catch (error) {
    return error as Error;
  }
  return findAmbiguity(request.raw, request.originalUrl) ?? (request.is404 ? noRoute(request.url) : undefined);
};

const addHooks = (app: FastifyInstance, deps: HttpServerDeps): void => {
  const { connections, turns } = deps;
  const noRoute = makeNoRoute(deps.endpoints);
  app.setErrorHandler((error, request, reply) => sendError(deps.log, error, request, reply));
  app.setNotFoundHandler((request, reply) => sendError(deps.log, noRoute(request.url), request, reply));
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id);
    if (request.method === 'GET') reply.header('Cache-Control', 'no-store');
    const refusal = refuseEarly(noRoute, request, reply);
    // An operation checks the key first: only requests without a valid key take turns.
    if (refusal === undefined && request.routeOptions.config.operation !== undefined) done();
    else turns.take(costOf(connections, request), () => done(refusal));
  });
  app.addHook('preClose', (done) => {
    deps.plain.stop();
    connections.closeAllSoon();
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    logResponse(deps, request, reply.statusCode, reply.elapsedTime);
    done();
  });
};

/** Fastify with JSON bodies, one error object and an id on every response. The capabilities add their routes. */
export const makeHttpServer = (deps: HttpServerDeps) => {
  const app = createFastify(deps);
  app.decorateRequest('caller', undefined);
  addHooks(app, deps);
  addBodyParsers(app);
  return app;
};
