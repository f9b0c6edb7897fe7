import { type Operation, type OperationId, operations } from '@portcullis/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access, Admitted, Caller } from '../access/access.ts';
import type { Statement } from '../backend/backend.ts';
import { bodyReader, type FurtherFaults, queryReader } from './body.ts';
import { ApiError } from './errors.ts';
import { type Idempotency, type Once, Overtaken } from './idempotency.ts';
import type { Shedding } from './shedding.ts';

/** What is sent, and the statements that store it where the request is to be answered the same way again. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly statements: readonly Statement[];
}

/** A request that may be made, as the capability sees it. */
export interface Call {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: unknown;
  readonly body: unknown;
  /** What is odd about the request; the answer will say so. */
  readonly warnings: string[];
  /** The answer from a resource or its JSON. To be made after the last warning. */
  readonly answer: (resource: object | string) => Answer;
}

export type Handler = (call: Call) => Promise<Answer>;
export type Route = (id: OperationId, handler: Handler, furtherFaults?: FurtherFaults) => void;

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | undefined;
    /** Kept only where an idempotency key makes it needed. */
    rawBody: string;
  }
  interface FastifyContextConfig {
    operation?: OperationId;
  }
}

export const fastifyPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const withWarnings = (json: string, warnings: readonly string[]): string =>
  warnings.length === 0 ? json : `${json.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}`;

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

const requireJson = (request: FastifyRequest): void => {
  if (JSON_TYPE.test(request.headers['content-type'] ?? '') && request.headers['content-encoding'] === undefined)
    return;
  throw new ApiError(
    'unsupported_media_type',
    'Send the body as "Content-Type: application/json", in UTF-8, not compressed.',
  );
};

/** What it wanted to do was done already, perhaps by its own double in another process. */
const mayBeOvertaken = (error: unknown): boolean =>
  error instanceof Overtaken || (error instanceof ApiError && error.status === 409);

export const makeRoute = (
  app: FastifyInstance,
  access: Access,
  idempotency: Idempotency,
  shedding: Pick<Shedding, 'check'>,
): Route => {
  const bind = (operation: Operation, id: OperationId, handler: Handler, furtherFaults?: FurtherFaults): void => {
    const readBody = operation.body === undefined ? undefined : bodyReader<unknown>(operation.body, furtherFaults);
    const readQuery = operation.query === undefined ? undefined : queryReader<unknown>(operation.query);

    const admit = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
      const accept = ({ caller, headers }: Admitted): void => {
        request.caller = caller;
        for (const name in headers) reply.header(name, headers[name]);
        if (readBody !== undefined) requireJson(request);
        done();
      };
      try {
        if (operation.permission === 'screen') shedding.check();
        const { authorization, host } = request.headers;
        const admitted = access.authenticate(
          { authorization, host, connection: request.raw.socket },
          operation.permission,
        );
        if (admitted instanceof Promise) admitted.then(accept).catch(done);
        else accept(admitted);
      } catch (error) {
        done(error as Error);
      }
    };

    const callOf = (request: FastifyRequest, warnings: string[], once: Once | undefined): Call => ({
      caller: request.caller as Caller,
      params: request.params as Record<string, string>,
      query: readQuery?.(request.query as Record<string, unknown>),
      body: readBody?.(request.body, warnings),
      warnings,
      answer: (resource) => {
        const json = typeof resource === 'string' ? resource : JSON.stringify(resource);
        const body = operation.response === undefined ? '' : withWarnings(json, warnings);
        const statements = once === undefined ? [] : [once.remember(operation.status, body)];
        return { status: operation.status, body, statements };
      },
    });

    const send = (reply: FastifyReply, status: number, body: string): void => {
      reply.code(status);
      if (status === 204) reply.send();
      else reply.header('content-type', 'application/json; charset=utf-8').send(body);
    };

    /** With `refused`, only what is kept counts: another process may have answered meanwhile. */
    const handleOnce = async (
      request: FastifyRequest,
      reply: FastifyReply,
      key: string,
      refused?: unknown,
    ): Promise<void> => {
      const path = request.url.split('?', 1)[0] as string;
      const once = await idempotency(request.caller as Caller, path, key, request.rawBody);
      let stood: unknown;
      try {
        if (once.replay !== undefined) {
          reply.header('Idempotent-Replayed', 'true');
          return send(reply, once.replay.status, once.replay.body);
        }
        if (refused !== undefined) throw refused;
        const { status, body } = await handler(callOf(request, [], once));
        return send(reply, status, body);
      } catch (error) {
        if (refused !== undefined || !mayBeOvertaken(error)) throw error;
        stood = error;
      } finally {
        once.finish();
      }
      return handleOnce(request, reply, key, stood);
    };

    app.route({
      method: operation.method,
      url: fastifyPath(operation.path),
      config: { operation: id },
      ...(operation.bodyKib === undefined ? {} : { bodyLimit: operation.bodyKib * 1024 }),
      onRequest: admit,
      handler: (request, reply) => {
        const key = operation.method === 'POST' ? request.headers['idempotency-key'] : undefined;
        const handled =
          key === undefined
            ? handler(callOf(request, [], undefined)).then(({ status, body }) => send(reply, status, body))
            : handleOnce(request, reply, String(key));
        handled.catch((error: unknown) => reply.send(error));
      },
    });
  };
  return (id, handler, furtherFaults) => bind(operations[id], id, handler, furtherFaults);
};
