import {
  type Operation,
  type OperationId,
  operations,
  type SessionOperation,
  sessionOperations,
} from '@portcullis/contract';
import type { FastifyInstance } from 'fastify';
import { gatherTurn } from '../runtime/gather-turn.ts';
import { atFirstUse, bodyReader, queryReader } from '../validation/body.ts';
import { ApiError } from '../validation/errors.ts';
import { type HandleBatch, startBatch, type WaitingRequest } from './batch.ts';
import {
  type AnyHandler,
  type BoundOperation,
  makeCall,
  pathOf,
  type RouteDeps,
  refuseLookalike,
  type Started,
  startRequest,
} from './bound-operation.ts';
import type { BatchRoute, ReplayCheck, Route } from './call.ts';
import { type Admission, type Caller, credentialsOf } from './caller.ts';
import { asError, BODY_LIMIT_BYTES } from './error-response.ts';
import type { ApiReply, ApiRequest, RouteOptions } from './exchange.ts';
import { OvertakenError } from './idempotency.ts';
import { requireJson } from './json-body.ts';
import { type Endpoint, lookalikesOf } from './no-route.ts';
import { idParamsOf, nameParamsOf } from './path-params.ts';
import { type PlainRequests, readBody } from './plain-requests.ts';
import { costOf } from './request-cost.ts';
import { send } from './send.ts';

export type { RouteDeps } from './bound-operation.ts';
export type {
  Answer,
  AnyCall,
  BatchHandler,
  BatchRoute,
  Call,
  CallWith,
  Handler,
  PendingCall,
  ReplayCheck,
  Route,
} from './call.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined;
  }
  interface FastifyContextConfig extends NonNullable<RouteOptions['config']> {}
}

/** Every path of the API. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...Object.values<Operation>(operations),
  ...Object.values<SessionOperation>(sessionOperations),
];

export const fastifyPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Sheds load, then checks the key, then the media type: the cheapest refusal comes first. */
const admit = (bound: BoundOperation, request: ApiRequest, reply: ApiReply, done: (error?: Error) => void): void => {
  const { operation, access, connections, turns, shedding, shares, readBody } = bound;
  const { socket } = request.raw;
  const refuse = (error: unknown): void => {
    // A screening that is shed does not take turns: it has waited already, and a failed store is no fault of the caller.
    const takesTurns = error instanceof ApiError && request.caller === undefined && error.status < 500;
    if (takesTurns) turns.take(costOf(connections, request, error), () => done(error));
    else done(asError(error));
  };
  const accept = ({ caller, headers }: Admission): void => {
    connections.trust(socket);
    request.caller = caller;
    shares.check(caller.tenant);
    for (const name in headers) reply.header(name, headers[name]);
    if (readBody !== undefined) requireJson(request);
    // A body that is not read has no type. Fastify would refuse one that it cannot parse.
    else delete request.headers['content-type'];
    done();
  };
  try {
    // An id of the service never equals a word of a path, while a list may be named like one.
    const lookalike = bound.idParams.length > 0 ? refuseLookalike(bound, request) : undefined;
    if (lookalike !== undefined) throw lookalike;
    if (operation.permission === 'screen') shedding.check();
    const admission = access.authenticate(credentialsOf(connections, request), operation.permission);
    if (admission instanceof Promise) admission.then(accept).catch(refuse);
    else accept(admission);
  } catch (error) {
    refuse(error);
  }
};

/** Whether the effect may have been refused because the same request, sent to another process, was faster. */
const mayBeOvertaken = (error: unknown): boolean =>
  error instanceof OvertakenError || (error instanceof ApiError && error.status === 409);

/**
 * Handles a request with an idempotency key. With `refusal`, it only replays a response that another process stored,
 * and throws `refusal` if there is none.
 */
const handleOnce = async (
  bound: BoundOperation,
  started: Started,
  reply: ApiReply,
  key: string,
  refusal?: unknown,
): Promise<void> => {
  const { request, json } = started;
  const once = await bound.idempotency(request.caller as Caller, pathOf(request), key, json?.text ?? '');
  let overtaken: unknown;
  try {
    if (once.replay !== undefined) {
      await bound.checkReplay?.(request.caller as Caller, once.replay.body);
      reply.header('Idempotent-Replayed', 'true');
      return send(reply, once.replay);
    }
    if (refusal !== undefined) throw refusal;
    return send(reply, await bound.handler(makeCall(bound, started, once)));
  } catch (error) {
    if (refusal !== undefined || !mayBeOvertaken(error)) throw error;
    overtaken = error;
  } finally {
    once.finish();
  }
  return handleOnce(bound, started, reply, key, overtaken);
};

const handle = async (bound: BoundOperation, request: ApiRequest, reply: ApiReply, key?: string): Promise<void> => {
  const started = startRequest(request);
  if (key !== undefined) return handleOnce(bound, started, reply, key);
  send(reply, await bound.handler(makeCall(bound, started)));
};

const sendFailure = (bound: BoundOperation, request: ApiRequest, reply: ApiReply, error: unknown): void => {
  const isNotFound = error instanceof ApiError && error.code === 'not_found';
  reply.send((isNotFound ? refuseLookalike(bound, request) : undefined) ?? asError(error));
};

/** Starts a request. With `join`, it is handled together with others of the same turn of the event loop. */
const start = (
  bound: BoundOperation,
  request: ApiRequest,
  reply: ApiReply,
  join: ((waiting: WaitingRequest) => void) | undefined,
  end: () => void,
): void => {
  const key = bound.operation.method === 'POST' ? request.headers['idempotency-key'] : undefined;
  const fail = (error: unknown): void => sendFailure(bound, request, reply, error);
  if (join !== undefined && key === undefined) join({ request, reply, fail, end, started: undefined, isEnded: false });
  else
    handle(bound, request, reply, key === undefined ? undefined : String(key))
      .catch(fail)
      .then(end, end);
};

/** Handles an admitted request when it is its tenant's turn. */
const run = (
  bound: BoundOperation,
  request: ApiRequest,
  reply: ApiReply,
  join?: (waiting: WaitingRequest) => void,
): void =>
  bound.shares.run((request.caller as Caller).tenant, {
    bytes: Buffer.isBuffer(request.body) ? request.body.length : 0,
    start: (end) => start(bound, request, reply, join, end),
    refuse: (error) => reply.send(error),
    isAbandoned: () => request.raw.socket.destroyed,
  });

const bind = (
  app: FastifyInstance,
  id: OperationId,
  bound: BoundOperation,
  join?: (waiting: WaitingRequest) => void,
): void => {
  const { operation } = bound;
  app.route({
    method: operation.method,
    url: fastifyPath(operation.path),
    config: { operation: id },
    ...(operation.bodyKib === undefined ? {} : { bodyLimit: operation.bodyKib * 1024 }),
    onRequest: (request, reply, done) => admit(bound, request, reply, done),
    handler: (request, reply) => run(bound, request, reply, join),
  });
};

/** Serves plain requests of an operation, as Fastify serves the others. */
const bindPlain = (
  plain: PlainRequests,
  id: OperationId,
  bound: BoundOperation,
  join: (waiting: WaitingRequest) => void,
): void => {
  const { path, bodyKib } = bound.operation;
  plain.add(id, path, bodyKib === undefined ? BODY_LIMIT_BYTES : bodyKib * 1024, (request, reply) =>
    admit(bound, request, reply, (error) => {
      if (error !== undefined) reply.send(error);
      else readBody(request, reply, () => run(bound, request, reply, join));
    }),
  );
};

const bindingOf = (
  deps: RouteDeps,
  operation: Operation,
  handler: AnyHandler,
  checkBody?: Parameters<Route>[2],
  checkReplay?: ReplayCheck,
): BoundOperation => {
  const { body, query } = operation;
  return {
    ...deps,
    operation,
    handler,
    checkReplay,
    readBody: body && atFirstUse(() => bodyReader<unknown>(body, checkBody)),
    readQuery: query && atFirstUse(() => queryReader<unknown>(query)),
    idParams: idParamsOf(operation),
    nameParams: nameParamsOf(operation),
    allowOfLookalike: lookalikesOf(operation, ENDPOINTS),
  };
};

export const makeRoute =
  (app: FastifyInstance, deps: RouteDeps): Route =>
  (id, handler, checkBody, checkReplay) =>
    bind(app, id, bindingOf(deps, operations[id], handler as unknown as AnyHandler, checkBody, checkReplay));

/** A request with an idempotency key joins the batch of the turn in which its key has been looked up. */
export const makeBatchRoute =
  (app: FastifyInstance, plain: PlainRequests, deps: RouteDeps): BatchRoute =>
  (id, handler) => {
    const handleBatch = handler as unknown as HandleBatch;
    const joinCalls = gatherTurn(handleBatch);
    const bound = bindingOf(
      deps,
      operations[id],
      (call) => new Promise((resolve, reject) => joinCalls({ call, resolve, reject })),
    );
    const join = gatherTurn((requests: readonly WaitingRequest[]) => startBatch(bound, requests, handleBatch));
    bind(app, id, bound, join);
    bindPlain(plain, id, bound, join);
  };
