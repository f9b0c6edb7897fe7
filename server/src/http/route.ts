import {
  type IdKind,
  type Operation,
  type OperationId,
  operations,
  type SessionOperation,
  type SessionOperationId,
  sessionOperations,
  type TagOf,
} from '@portcullis/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IdentifierTags } from '../runtime/identifier-tags.ts';
import { atFirstUse, bodyReader, queryReader, type ReadResult } from '../validation/body.ts';
import { ApiError, invalidRequest } from '../validation/errors.ts';
import type { Answer, AnyCall, ReplayCheck, Route } from './call.ts';
import {
  type Admission,
  type Authenticator,
  type Caller,
  checkInclude,
  credentialsOf,
  isStillAllowed,
} from './caller.ts';
import type { Connections } from './connections.ts';
import type { FairShares } from './fair-shares.ts';
import { type Idempotency, type IdempotentRequest, OvertakenError } from './idempotency.ts';
import { type JsonBody, parseJson, requireJson } from './json-body.ts';
import { type Endpoint, lookalikesOf, methodNotAllowed } from './no-route.ts';
import { idParamsOf, maskNames, nameParamsOf, requireIdKinds } from './path-params.ts';
import { costOf } from './request-cost.ts';
import { type StreamedFile, send } from './send.ts';
import type { Shedding } from './shedding.ts';
import type { Turns } from './turns.ts';

export type { Answer, AnyCall, Call, CallWith, Handler, ReplayCheck, Route } from './call.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined;
  }
  interface FastifyContextConfig {
    operation?: OperationId | SessionOperationId;
    /** Whether the response is large. */
    isPage?: boolean;
  }
}

/** A handler of any operation; its call was validated against the schemas of that operation. */
type AnyHandler = (
  call: AnyCall & { readonly params: unknown; readonly query: unknown; readonly body: unknown },
) => Promise<Answer>;

export interface RouteDeps {
  readonly access: Authenticator;
  readonly connections: Connections;
  readonly turns: Turns;
  readonly idempotency: Idempotency;
  readonly shedding: Pick<Shedding, 'check'>;
  readonly shares: Pick<FairShares, 'check' | 'run'>;
  readonly tags: IdentifierTags;
}

type Reader<T> = (sent: T, warnings: string[], tagOf: TagOf) => ReadResult<unknown>;

/** One operation with all that its requests need. */
interface BoundOperation extends RouteDeps {
  readonly operation: Operation;
  readonly handler: AnyHandler;
  readonly checkReplay: ReplayCheck | undefined;
  readonly readBody: Reader<unknown> | undefined;
  readonly readQuery: Reader<Record<string, unknown>> | undefined;
  /** Path parameters that are ids of the service, with their kinds. */
  readonly idParams: readonly (readonly [name: string, kind: IdKind])[];
  /** Path parameters that are names of the caller. */
  readonly nameParams: readonly string[];
  /** The methods of another operation whose path this operation's path also matches. */
  readonly allowOfLookalike: ReturnType<typeof lookalikesOf>;
}

/** Every path of the API. */
export const ENDPOINTS: readonly Endpoint[] = [
  ...Object.values<Operation>(operations),
  ...Object.values<SessionOperation>(sessionOperations),
];

export const fastifyPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const withWarnings = (json: string, warnings: readonly string[]): string =>
  warnings.length === 0 ? json : `${json.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}`;

const validValue = <T>(result: ReadResult<T>): T => {
  if ('errors' in result) throw invalidRequest(result.errors);
  return result.value;
};

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] as string;

/** The error of a request to another operation's path with a method that only this operation takes. */
const refuseLookalike = ({ allowOfLookalike }: BoundOperation, request: FastifyRequest): ApiError | undefined => {
  const allow = allowOfLookalike?.(pathOf(request));
  return allow === undefined ? undefined : methodNotAllowed(allow);
};

/** Sheds load, then checks the key, then the media type: the cheapest refusal comes first. */
const admit = (
  bound: BoundOperation,
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
): void => {
  const { operation, access, connections, turns, shedding, shares, readBody } = bound;
  const { socket } = request.raw;
  const refuse = (error: unknown): void => {
    // A screening that is shed does not take turns: it has waited already, and a failed store is no fault of the caller.
    const takesTurns = error instanceof ApiError && request.caller === undefined && error.status < 500;
    if (takesTurns) turns.take(costOf(connections, request, error), () => done(error));
    else done(error as Error);
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

/** A request whose turn has come. */
interface Started {
  readonly request: FastifyRequest;
  /** Undefined if the operation takes none, or none was sent. */
  readonly json: JsonBody | undefined;
}

const startRequest = (request: FastifyRequest): Started => ({
  request,
  json: Buffer.isBuffer(request.body) ? parseJson(request.body) : undefined,
});

const makeCall = (bound: BoundOperation, { request, json }: Started, once?: IdempotentRequest) => {
  const { operation, readQuery, readBody } = bound;
  const caller = request.caller as Caller;
  const tagOf = bound.tags(caller.tenant);
  const warnings: string[] = [];
  const query = readQuery && validValue(readQuery(request.query as Record<string, unknown>, warnings, tagOf));
  checkInclude(operation, caller, query);
  const body = readBody && validValue(readBody(json?.value, warnings, tagOf));
  const params = request.params as Readonly<Record<string, string>>;
  requireIdKinds(bound.idParams, params);
  return {
    caller,
    lastEventId: request.headers['last-event-id'] as string | undefined,
    isStillAllowed: () => isStillAllowed(bound.access, credentialsOf(bound.connections, request), operation.permission),
    tagOf,
    params: maskNames(bound.nameParams, params, tagOf),
    query,
    body,
    warnings,
    answer: (resource: object | string): Answer => {
      const json = typeof resource === 'string' ? resource : JSON.stringify(resource);
      const sent = operation.response === undefined ? '' : withWarnings(json, warnings);
      const statements = once === undefined ? [] : [once.remember(operation.status, sent)];
      return { status: operation.status, body: sent, statements };
    },
    stream: (file: StreamedFile): Answer => ({ status: operation.status, body: '', statements: [], stream: file }),
  };
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
  reply: FastifyReply,
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

const handle = async (bound: BoundOperation, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  const key = bound.operation.method === 'POST' ? request.headers['idempotency-key'] : undefined;
  const started = startRequest(request);
  if (key !== undefined) return handleOnce(bound, started, reply, String(key));
  send(reply, await bound.handler(makeCall(bound, started)));
};

const bind = (app: FastifyInstance, id: OperationId, bound: BoundOperation): void => {
  const { operation } = bound;
  app.route({
    method: operation.method,
    url: fastifyPath(operation.path),
    config: { operation: id },
    ...(operation.bodyKib === undefined ? {} : { bodyLimit: operation.bodyKib * 1024 }),
    onRequest: (request, reply, done) => admit(bound, request, reply, done),
    handler: (request, reply) => {
      const start = (): Promise<void> =>
        handle(bound, request, reply).catch((error: unknown) => {
          const isNotFound = error instanceof ApiError && error.code === 'not_found';
          reply.send((isNotFound ? refuseLookalike(bound, request) : undefined) ?? error);
        });
      bound.shares.run((request.caller as Caller).tenant, {
        bytes: Buffer.isBuffer(request.body) ? request.body.length : 0,
        start,
        refuse: (error) => reply.send(error),
        isAbandoned: () => request.raw.socket.destroyed,
      });
    },
  });
};

export const makeRoute =
  (app: FastifyInstance, deps: RouteDeps): Route =>
  (id, handler, checkBody, checkReplay) => {
    const operation: Operation = operations[id];
    const { body, query } = operation;
    bind(app, id, {
      ...deps,
      operation,
      handler: handler as unknown as AnyHandler,
      checkReplay,
      readBody: body && atFirstUse(() => bodyReader<unknown>(body, checkBody)),
      readQuery: query && atFirstUse(() => queryReader<unknown>(query)),
      idParams: idParamsOf(operation),
      nameParams: nameParamsOf(operation),
      allowOfLookalike: lookalikesOf(operation, ENDPOINTS),
    });
  };
