import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { OperationId } from '@portcullis/contract';
import { NEWEST_API_VERSION } from '@portcullis/contract/values';
import type { NewId } from '../runtime/ids.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { findAmbiguity } from './ambiguity.ts';
import type { Caller } from './caller.ts';
import { asError, sendError } from './error-response.ts';
import type { ApiReply, ApiRequest, RouteOptions } from './exchange.ts';
import { isJson } from './json-body.ts';
import { logResponse } from './log-response.ts';
import { requestIdOf } from './request-id.ts';

/**
 * Plain requests bypass Fastify: its request, reply and hooks take up to 30 µs of the main thread for a screening. A
 * request is plain if its path is exactly that of a registered operation, its body is JSON of a known length, and it has
 * no header that asks for more. All others go to Fastify unread. Both are handled by the same functions and answered
 * with the same bytes.
 */

interface PlainDeps {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly newId: NewId;
}
/** Handles a request whose body has not been read. */
type Serve = (request: PlainRequest, reply: ApiReply) => void;
interface PlainRoute {
  readonly id: OperationId;
  readonly options: RouteOptions & { readonly bodyLimit: number };
  readonly serve: Serve;
}

export interface PlainRequest extends ApiRequest {
  body: Buffer | undefined;
}

const NOTHING = {};
const LENGTH = /^[1-9]\d{0,8}$/;

const isPlain = (headers: IncomingHttpHeaders, limit: number): boolean =>
  LENGTH.test(headers['content-length'] ?? '') &&
  Number(headers['content-length']) <= limit &&
  isJson(headers) &&
  headers['transfer-encoding'] === undefined &&
  headers['idempotency-key'] === undefined &&
  headers['x-api-version'] === undefined &&
  headers.expect === undefined;

/** Its headers are collected as Node takes them: names and values in turns. */
class PlainReply implements ApiReply {
  readonly raw: ServerResponse;
  readonly #request: PlainRequest;
  readonly #deps: PlainDeps;
  readonly #startedAt = performance.now();
  readonly #headers: string[];
  #status = 200;
  #isSent = false;

  constructor(raw: ServerResponse, request: PlainRequest, deps: PlainDeps) {
    this.raw = raw;
    this.#request = request;
    this.#deps = deps;
    this.#headers = ['x-request-id', request.id, 'x-api-version', NEWEST_API_VERSION];
  }
  code(status: number): this {
    this.#status = status;
    return this;
  }
  header(name: string, value: string): this {
    const headers = this.#headers;
    const lowerCase = name.toLowerCase();
    for (let i = 0; i < headers.length; i += 2)
      if (headers[i] === lowerCase) {
        headers[i + 1] = value;
        return this;
      }
    headers.push(lowerCase, value);
    return this;
  }
  hasHeader(name: string): boolean {
    const lowerCase = name.toLowerCase();
    return this.#headers.some((header, i) => i % 2 === 0 && header === lowerCase);
  }
  send(payload: unknown = ''): void {
    if (this.#isSent) return;
    if (typeof payload !== 'string') {
      sendError(this.#deps.log, payload, this.#request, this);
      return;
    }
    this.#isSent = true;
    const bytes = Buffer.byteLength(payload);
    this.#headers.push('content-length', String(bytes));
    this.raw.writeHead(this.#status, this.#headers);
    // Text of one byte a character is ASCII, which Node writes faster as Latin-1.
    this.raw.end(payload, bytes === payload.length ? 'latin1' : 'utf8');
    logResponse(this.#deps, this.#request, this.#status, performance.now() - this.#startedAt);
  }
}

/**
 * Reads the whole body. Nothing is called if the connection breaks off: nobody waits for an answer. An error that
 * `onRead` throws is answered, as Fastify answers those of its handlers. Thrown on, it would end the process.
 */
export const readBody = (request: PlainRequest, reply: ApiReply, onRead: () => void): void => {
  const chunks: Buffer[] = [];
  request.raw.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.raw.on('end', () => {
    request.body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
    try {
      onRead();
    } catch (error) {
      reply.send(asError(error));
    }
  });
};

export const makePlainRequests = (deps: PlainDeps) => {
  const routes = new Map<string, PlainRoute>();
  let isStopped = false;
  return {
    /** Registers an operation of method POST. */
    add: (id: OperationId, path: string, bodyLimit: number, serve: Serve): void => {
      routes.set(path, { id, options: { config: { operation: id }, bodyLimit }, serve });
    },
    /** Handles a request if it is plain. Returns whether it is. */
    take: (raw: IncomingMessage, response: ServerResponse): boolean => {
      const url = raw.url as string;
      const route = raw.method === 'POST' && !isStopped ? routes.get(url) : undefined;
      if (route === undefined || !isPlain(raw.headers, route.options.bodyLimit)) return false;
      if (findAmbiguity(raw, url) !== undefined) return false;
      const request: PlainRequest = {
        id: requestIdOf(raw, deps.newId),
        raw,
        method: 'POST',
        url,
        headers: raw.headers,
        params: NOTHING,
        query: NOTHING,
        body: undefined,
        routeOptions: route.options,
        caller: undefined as Caller | undefined,
      };
      route.serve(request, new PlainReply(response, request, deps));
      return true;
    },
    /** Leaves all requests to Fastify, which closes their connections while the service stops. */
    stop: (): void => {
      isStopped = true;
    },
  };
};
export type PlainRequests = ReturnType<typeof makePlainRequests>;
