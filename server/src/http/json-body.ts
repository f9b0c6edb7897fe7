import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { operations, sessionOperations } from '@portcullis/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../validation/errors.ts';
import { findJsonError } from '../validation/json-error.ts';
import type { ApiRequest } from './exchange.ts';

const JSON_TYPE = /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Whether the body is announced as JSON. */
export const isJson = (headers: IncomingHttpHeaders): boolean =>
  JSON_TYPE.test(headers['content-type'] ?? '') && headers['content-encoding'] === undefined;

/** Throws an ApiError unless the body is announced as JSON. */
export const requireJson = ({ headers }: Pick<ApiRequest, 'headers'>): void => {
  if (isJson(headers)) return;
  throw new ApiError(
    'unsupported_media_type',
    'Send the body as "Content-Type: application/json", in UTF-8, not compressed.',
  );
};

/** Names the place of the error. The message of the parser would quote the body, which may hold personal data. */
const invalidJson = (text: string): ApiError => {
  if (text.trim() === '') return new ApiError('invalid_json', 'The body is empty. Send a JSON object.');
  const error = findJsonError(text);
  const place = error === undefined ? '' : ` at line ${error.line}, column ${error.column}: expected ${error.expected}`;
  return new ApiError('invalid_json', `The body is not valid JSON${place}.`);
};

export interface JsonBody {
  readonly value: unknown;
  readonly text: string;
}

/** Parses the body of a request. Throws an ApiError for one that is not JSON in UTF-8. */
export const parseJson = (bytes: Buffer): JsonBody => {
  if (!isUtf8(bytes)) throw new ApiError('invalid_json', 'The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  try {
    return { value: JSON.parse(text), text };
  } catch {
    throw invalidJson(text);
  }
};

const TAKING_BODY: ReadonlySet<string> = new Set(
  Object.entries({ ...operations, ...sessionOperations }).flatMap(([id, of]) => ('body' in of ? [id] : [])),
);

/** Some clients announce JSON with every POST, even where they send no body. */
const takesBody = (request: FastifyRequest): boolean => {
  const id = request.routeOptions.config?.operation;
  return id !== undefined && TAKING_BODY.has(id);
};

/**
 * Keeps JSON as bytes. It is parsed when the request starts: a body of 512 KiB can take 40 ms, which must come from the
 * share of its tenant.
 */
export const addBodyParsers = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes: Buffer, done) =>
    done(null, takesBody(request) ? bytes : undefined),
  );
  // An operation without a body ignores any that is sent, whatever its type. The others refuse the type before this.
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume();
    done(null, undefined);
  });
};
