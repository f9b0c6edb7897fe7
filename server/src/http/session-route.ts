import {
  type SessionBodyOf,
  type SessionOperation,
  type SessionOperationId,
  sessionOperations,
} from '@portcullis/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NO_TENANT } from '../backend/backend.ts';
import type { IdentifierTags } from '../runtime/identifier-tags.ts';
import { atFirstUse, type BodyCheck, bodyReader } from '../validation/body.ts';
import { ApiError, invalidRequest } from '../validation/errors.ts';
import {
  type AuthenticateSession,
  type Caller,
  type CallingPerson,
  type Credentials,
  credentialsOf,
} from './caller.ts';
import type { Connections } from './connections.ts';
import { parseJson, requireJson } from './json-body.ts';
import { idParamsOf, requireIdKinds } from './path-params.ts';
import { costOf } from './request-cost.ts';
import { fastifyPath } from './route.ts';
import { requireSameOrigin } from './same-origin.ts';
import { send } from './send.ts';
import type { Turns } from './turns.ts';

/** The caller of a request with a session. */
export type SignedInCaller = Caller & { readonly person: CallingPerson };

/** A validated request to an operation that takes no key. */
export interface SessionCall<Id extends SessionOperationId> {
  readonly credentials: Credentials;
  readonly params: Readonly<Record<string, string>>;
  readonly body: SessionBodyOf<Id>;
  /** Throws for an operation without a session. */
  readonly caller: () => SignedInCaller;
}

export interface SessionAnswer {
  readonly resource: object;
  /** The `Set-Cookie` headers. */
  readonly cookie?: string | string[];
}

/** Registers the handler of an operation that takes no key. */
export type SessionRoute = <Id extends SessionOperationId>(
  id: Id,
  handler: (call: SessionCall<Id>) => Promise<SessionAnswer>,
  checkBody?: BodyCheck,
) => void;

export interface SessionRouteDeps {
  readonly authenticateSession: AuthenticateSession;
  readonly connections: Connections;
  readonly turns: Turns;
  readonly tags: IdentifierTags;
}

/** Strangers take turns, as elsewhere. A request with a session is checked first, then its body is read. */
const admit = (
  { authenticateSession, connections, turns }: SessionRouteDeps,
  { isSignedIn, method, body }: SessionOperation,
  request: FastifyRequest,
  done: (error?: Error) => void,
): void => {
  const credentials = credentialsOf(connections, request);
  const accept = (): void => {
    if (body !== undefined) requireJson(request);
    else delete request.headers['content-type'];
    done();
  };
  const refuse = (error: Error): void => {
    const takesTurns = error instanceof ApiError && request.caller === undefined && error.status < 500;
    if (takesTurns) turns.take(costOf(connections, request), () => done(error));
    else done(error);
  };
  const admitStranger = async (): Promise<void> => {
    if (method !== 'GET') requireSameOrigin(credentials);
    await new Promise<void>((resolve) => turns.take('large', resolve));
    accept();
  };
  const admitPerson = async (): Promise<void> => {
    const { caller } = await authenticateSession(credentials);
    connections.trust(request.raw.socket);
    request.caller = caller;
    accept();
  };
  (isSignedIn ? admitPerson() : admitStranger()).catch(refuse);
};

type Reader = ReturnType<typeof bodyReader<unknown>>;

const handle = async (
  { connections, tags }: SessionRouteDeps,
  operation: SessionOperation,
  readBody: Reader | undefined,
  handler: (call: SessionCall<SessionOperationId>) => Promise<SessionAnswer>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> => {
  const warnings: string[] = [];
  const sent = Buffer.isBuffer(request.body) ? parseJson(request.body).value : undefined;
  const read = readBody?.(sent, warnings, tags(request.caller?.tenant ?? NO_TENANT));
  if (read !== undefined && 'errors' in read) throw invalidRequest(read.errors);
  const params = request.params as Readonly<Record<string, string>>;
  requireIdKinds(idParamsOf(operation), params);
  const { resource, cookie } = await handler({
    credentials: credentialsOf(connections, request),
    params,
    body: read?.value as SessionBodyOf<SessionOperationId>,
    caller: () => request.caller as SignedInCaller,
  });
  if (cookie !== undefined) reply.header('Set-Cookie', cookie);
  const shown = warnings.length === 0 ? resource : { ...resource, warnings };
  send(reply, { status: operation.status, body: JSON.stringify(shown) });
};

export const makeSessionRoute =
  (app: FastifyInstance, deps: SessionRouteDeps): SessionRoute =>
  (id, handler, checkBody) => {
    const operation: SessionOperation = sessionOperations[id];
    const { method, path, body } = operation;
    const readBody = body && atFirstUse(() => bodyReader<unknown>(body, checkBody));
    app.route({
      method,
      url: fastifyPath(path),
      config: { operation: id },
      onRequest: (request, _reply, done) => admit(deps, operation, request, done),
      handler: async (request, reply) => {
        await handle(
          deps,
          operation,
          readBody,
          handler as (call: SessionCall<SessionOperationId>) => Promise<SessionAnswer>,
          request,
          reply,
        );
        return reply;
      },
    });
  };
