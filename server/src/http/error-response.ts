import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { maskCardNumbers, NEWEST_API_VERSION } from '@portcullis/contract/values';
import type { FastifyError } from 'fastify';
import { Unavailable } from '../backend/backend.ts';
import type { Log } from '../runtime/log.ts';
import { ApiError, errorBody, invalidRequest, unavailable } from '../validation/errors.ts';
import { finish } from './connections.ts';
import type { ApiReply, ApiRequest } from './exchange.ts';

export const BODY_LIMIT_BYTES = 64 * 1024;

/** Anything can be thrown. A reply would send a text as a response, and `undefined` would admit a request. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error('something that is not an error was thrown', { cause: thrown });

const wrongLength = (): ApiError =>
  invalidRequest([{ field: 'Content-Length', message: 'must be the size of the body' }]);

/** The public form of an error; undefined for an unexpected error. */
const toApiError = (error: unknown, bodyLimit: number): ApiError | undefined => {
  if (error instanceof ApiError) return error;
  if (error instanceof Unavailable) return unavailable('The store is unavailable or overloaded.', error);
  switch ((error as FastifyError).code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError('payload_too_large', `The body is too large: the limit is ${bodyLimit} bytes.`);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('unsupported_media_type', 'Send the body as "Content-Type: application/json".');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return wrongLength();
    // The caller closed the connection before the body was complete. That is not a failure of the service.
    case 'ECONNRESET':
      return wrongLength();
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new ApiError('not_found', 'There is nothing at this path.');
    case 'FST_ERR_BAD_URL':
      return invalidRequest([{ field: 'URL', message: 'must be valid percent-encoding' }]);
    default:
      return undefined;
  }
};

const internalError = (log: Log, error: unknown, request: ApiRequest): ApiError => {
  const fields = {
    err: error,
    request_id: maskCardNumbers(request.id),
    operation: request.routeOptions?.config?.operation,
  };
  log.error(fields, 'request failed');
  return new ApiError('internal_error', 'The service failed to handle the request. Report the request_id.');
};

export const sendError = (log: Log, error: unknown, request: ApiRequest, reply: ApiReply): void => {
  const known =
    toApiError(error, request.routeOptions?.bodyLimit ?? BODY_LIMIT_BYTES) ?? internalError(log, error, request);
  // Shed requests have no cause and are not logged: refusing work must stay cheap.
  if (known.code === 'unavailable' && known.cause !== undefined)
    log.warn({ err: known.cause, request_id: maskCardNumbers(request.id) }, 'store unavailable, request refused');
  for (const [name, value] of Object.entries(known.headers)) reply.header(name, value);
  reply.code(known.status).header('X-Request-Id', request.id);
  if (!reply.hasHeader('X-Api-Version')) reply.header('X-Api-Version', NEWEST_API_VERSION);
  reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(errorBody(known, request.id)));
};

const RAW_ERRORS: Readonly<Record<string, { readonly status: string; readonly message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', message: 'The headers are too long.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', message: 'The request did not arrive in time.' },
};
const NOT_HTTP = { status: '400 Bad Request', message: 'This is not a valid HTTP request.' };

/** Answers bytes that never became a request: garbage, headers beyond the limit, a body that does not arrive. */
export const sendRawError = (error: Error & { code?: string }, socket: Socket, requestId: string): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
  const { status, message } = RAW_ERRORS[error.code ?? ''] ?? NOT_HTTP;
  const body = JSON.stringify(errorBody(new ApiError('invalid_request', message), requestId));
  finish(
    socket,
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: ${requestId}\r\n` +
      `X-Api-Version: ${NEWEST_API_VERSION}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
};

/** Answers a request that never reaches a route, and closes its connection. */
export const sendFinalError = (error: ApiError, response: ServerResponse, requestId: string): void => {
  const body = JSON.stringify(errorBody(error, requestId));
  response.writeHead(error.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-Id': requestId,
    'X-Api-Version': NEWEST_API_VERSION,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  });
  response.end(body);
};
