import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import { maskCardNumbers, NEWEST_API_VERSION, type Operation, operations } from '@portcullis/contract';
import Fastify, { type FastifyError, type FastifyReply, type FastifyRequest } from 'fastify';
import { Unavailable } from '../backend/backend.ts';
import { type NewId, withPrefix } from '../ids.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { ApiError, errorBody, invalidRequest } from './errors.ts';
import { apiVersion } from './versions.ts';

export const BODY_LIMIT_BYTES = 64 * 1024;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 72_000;
const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** What is to be had where: method and path. */
export type Served = readonly Pick<Operation, 'method' | 'path'>[];

/** Why no route was found: nothing is there, or it takes other methods. */
const makeNoRoute = (served: Served) => {
  const methodsByPath = Map.groupBy(served, ({ path }) => path);
  // Those without an id first: as an id, the `check` of `/v1/lists/check` would be taken for that of a list.
  const paths = [...methodsByPath]
    .sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')))
    .map(([path, of]) => ({
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      allow: [...new Set(of.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].join(', '),
    }));
  return (url: string): ApiError => {
    const path = url.split('?', 1)[0] as string;
    const known = paths.find(({ pattern }) => pattern.test(path));
    if (known === undefined) return new ApiError('not_found', 'There is nothing at this path.');
    const headers = { Allow: known.allow };
    return new ApiError('method_not_allowed', `This path takes ${known.allow}.`, { headers });
  };
};

const asApiError = (error: unknown, bodyLimit: number): ApiError | undefined => {
  if (error instanceof ApiError) return error;
  if (error instanceof Unavailable) {
    return new ApiError('unavailable', 'The store cannot take this now. Try again.', {
      headers: { 'Retry-After': '1' },
      cause: error,
    });
  }
  switch ((error as FastifyError).code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('payload_too_large', `The body must not be over ${bodyLimit} bytes.`);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('unsupported_media_type', 'Send the body as "Content-Type: application/json".');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return invalidRequest([{ field: 'Content-Length', message: 'must be the size of the body' }]);
    // The caller hung up before the body was there: nobody reads the answer, but it is no fault of ours.
    case 'ECONNRESET':
      return invalidRequest([{ field: 'Content-Length', message: 'must be the size of the body' }]);
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiError('not_found', 'There is nothing at this path.');
    case 'FST_ERR_BAD_URL':
      return invalidRequest([{ field: 'URL', message: 'must be valid percent-encoding' }]);
    default:
      return undefined;
  }
};

const parseJson = (bytes: Buffer): { value: unknown; text: string } => {
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  try {
    return { value: JSON.parse(text), text };
  } catch {
    // The parser's own message quotes the body, which may hold personal data.
    throw new ApiError(
      'invalid_json',
      text === '' ? 'The body is empty: send a JSON object.' : 'The body is not valid JSON.',
    );
  }
};

/** Some clients announce JSON with every POST, and send none where there is nothing to say. */
const takesBody = (request: FastifyRequest): boolean => {
  const id = request.routeOptions.config?.operation;
  return id !== undefined && 'body' in operations[id];
};

/** Answers what never became a request: garbage on the line, headers beyond the limit, a body that does not come. */
const answerRaw = (error: Error & { code?: string }, socket: Socket, requestId: string): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW';
  const tooSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const status = tooLong ? '431 Request Header Fields Too Large' : tooSlow ? '408 Request Timeout' : '400 Bad Request';
  const message = tooLong
    ? 'The headers are too long.'
    : tooSlow
      ? 'The request did not arrive in time.'
      : 'This is not a valid HTTP request.';
  const body = JSON.stringify(errorBody(new ApiError('invalid_request', message), requestId));
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${requestId}\r\n` +
      `X-Api-Version: ${NEWEST_API_VERSION}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
};

/** Fastify as we use it: JSON in and out, one error object, an id on every answer. Routes are added by the capabilities. */
export const makeHttp = (deps: { log: Log; metrics: Metrics; newId: NewId; served: Served }) => {
  const { log, metrics, newId } = deps;
  const noRoute = makeNoRoute(deps.served);
  const newRequestId = (): string => withPrefix('request', newId());

  const app = Fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node itself would answer a request without Host, but not with JSON.
    http: { requireHostHeader: false },
    keepAliveTimeout: KEEP_ALIVE_MS,
    routerOptions: { maxParamLength: 4096 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    genReqId: (request) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && VISIBLE_ASCII.test(given) ? given : newRequestId();
    },
    requestIdHeader: false,
    clientErrorHandler: (error, socket) => answerRaw(error, socket as Socket, newRequestId()),
    frameworkErrors: (error, request, reply) => void fail(error, request, reply),
  });

  const fail = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    let known = asApiError(error, request.routeOptions?.bodyLimit ?? BODY_LIMIT_BYTES);
    if (known === undefined) {
      const fields = {
        err: error,
        request_id: maskCardNumbers(request.id),
        operation: request.routeOptions?.config?.operation,
      };
      log.error(fields, 'a request failed');
      known = new ApiError(
        'internal_error',
        'Something went wrong on our side. Quote the request id when you report it.',
      );
    }
    // What is refused because there is too much to do must not make more to do.
    if (known.code === 'unavailable' && known.cause !== undefined)
      log.warn({ err: known.cause, request_id: maskCardNumbers(request.id) }, 'unavailable');
    for (const [name, value] of Object.entries(known.headers)) reply.header(name, value);
    reply.code(known.status).header('X-Request-Id', request.id);
    if (!reply.hasHeader('X-Api-Version')) reply.header('X-Api-Version', NEWEST_API_VERSION);
    reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(errorBody(known, request.id)));
  };

  // An expectation we do not know is ignored; Node would answer it, but not with JSON.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.decorateRequest('caller', undefined);
  app.decorateRequest('rawBody', '');
  app.setErrorHandler(fail);
  app.setNotFoundHandler((request, reply) => fail(noRoute(request.url), request, reply));

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('X-Request-Id', request.id);
    if (request.method === 'GET') reply.header('Cache-Control', 'no-store');
    try {
      reply.header('X-Api-Version', apiVersion(request.headers['x-api-version']));
      if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
        throw invalidRequest([{ field: 'Host', message: 'is required' }]);
      }
      // Told before anything is expected of the body: it is nobody's.
      done(request.is404 ? noRoute(request.url) : undefined);
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.config?.operation ?? 'none';
    metrics.requests(operation, reply.statusCode, reply.elapsedTime / 1000);
    if (log.isLevelEnabled('debug')) {
      const fields = {
        request_id: maskCardNumbers(request.id),
        operation,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      };
      log.debug(fields, 'answered');
    }
    done();
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) => {
    if (!takesBody(request)) return done(null, undefined);
    try {
      const { value, text } = parseJson(bytes);
      if (request.headers['idempotency-key'] !== undefined) request.rawBody = text;
      done(null, value);
    } catch (error) {
      done(error as Error);
    }
  });
  // Where no body is taken, whatever type one claims, it is not looked at.
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume();
    done(null, undefined);
  });
  return app;
};
