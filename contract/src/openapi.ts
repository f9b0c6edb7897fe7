import type { TSchema } from 'typebox';
import { ERROR_STATUSES, type ErrorCode } from './error-codes.ts';
import { ErrorBody } from './errors.ts';
import { ENVIRONMENTS } from './key-kinds.ts';
import { exampleOf, type Json, type Schema } from './openapi-examples.ts';
import { EVENT_STREAM, type Operation, operations, permissionText, TAGS } from './operations.ts';
import { SESSION_TAGS, type SessionOperation, sessionOperations } from './operations-session.ts';
import { API_VERSIONS } from './versions.ts';

export { exampleOf } from './openapi-examples.ts';

/** Fields of the case in the response to its resolution. */
const RESOLVED = {
  status: 'approved',
  resolved_at: '2026-11-14T10:05:42.007Z',
  analyst_id: 'analyst_7',
  notes: 'Called the customer; the purchase is theirs.',
};

/** Replaces named schemas by references and collects them as components. */
const collect = (schema: unknown, components: Map<string, Json>): Json => {
  if (Array.isArray(schema)) return schema.map((item) => collect(item, components));
  if (typeof schema !== 'object' || schema === null) return schema as Json;
  const { $id, ...rest } = schema as Schema;
  const plain = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, collect(value, components)]));
  if (typeof $id !== 'string') return plain;
  components.set($id, plain);
  return { $ref: `#/components/schemas/${$id}` };
};

const EVERY_OPERATION: readonly ErrorCode[] = [
  'unsupported_api_version',
  'invalid_request',
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'invalid_session',
  'insufficient_scope',
  'cross_site_request',
  'wrong_environment',
  'address_not_allowed',
  'rate_limited',
  'internal_error',
  'unavailable',
];
const WITH_BODY: readonly ErrorCode[] = ['invalid_json', 'payload_too_large', 'unsupported_media_type'];
const POST_ONLY: readonly ErrorCode[] = ['idempotency_in_progress', 'idempotency_key_reused'];

/** Of operations that take a session instead of a key. */
const EVERY_SESSION: readonly ErrorCode[] = [
  'unsupported_api_version',
  'invalid_request',
  'cross_site_request',
  'rate_limited',
  'internal_error',
  'unavailable',
];
const SIGNED_IN: readonly ErrorCode[] = ['invalid_session', 'insufficient_scope', 'wrong_environment'];

type AnyOperation = Operation | SessionOperation;
const isKeyed = (of: AnyOperation): of is Operation => 'permission' in of;

const generalErrors = (of: AnyOperation): readonly ErrorCode[] => {
  if (!isKeyed(of)) return of.isSignedIn ? [...EVERY_SESSION, ...SIGNED_IN] : EVERY_SESSION;
  return [...EVERY_OPERATION, ...(of.method === 'POST' ? POST_ONLY : [])];
};
const errorsOf = (of: AnyOperation): readonly ErrorCode[] => [
  ...generalErrors(of),
  ...(of.body ? WITH_BODY : []),
  ...(of.errors ?? []),
];

/** References to headers of `RESPONSE_HEADERS`. */
const headers = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Headers of error responses by status, beside the headers of every response. */
const ERROR_HEADERS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  503: ['Retry-After'],
};

const errorResponses = (of: AnyOperation, components: Map<string, Json>): Record<string, Json> => {
  const byStatus = Map.groupBy(errorsOf(of), (code) => ERROR_STATUSES[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `\`${code}\``).join(', '),
        headers: headers('X-Request-Id', 'X-Api-Version', ...(ERROR_HEADERS[status] ?? [])),
        content: { 'application/json': { schema: collect(ErrorBody, components) } },
      },
    ]),
  );
};

const ENVIRONMENT: Json = {
  name: 'X-Portcullis-Environment',
  in: 'header',
  required: true,
  description: 'The environment in which the person of a session acts.',
  schema: { type: 'string', enum: [...ENVIRONMENTS] },
};

const isEventStream = (of: AnyOperation): boolean =>
  isKeyed(of) && Object.values(of.streams ?? {}).includes(EVENT_STREAM);

const queryOf = (of: AnyOperation) => (isKeyed(of) ? of.query : undefined);
const parametersOf = (of: AnyOperation, components: Map<string, Json>): Json[] => [
  ...Object.entries(of.params ?? {}).map(([name, description]) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema: { type: 'string' },
  })),
  ...Object.entries((queryOf(of)?.properties ?? {}) as Record<string, TSchema>).map(([name, schema]) => {
    const { description, ...rest } = collect(schema, components) as { description?: string };
    const isRequired = ((queryOf(of)?.required ?? []) as string[]).includes(name);
    return {
      name,
      in: 'query',
      ...(isRequired ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    };
  }),
  { $ref: '#/components/parameters/ApiVersion' },
  { $ref: '#/components/parameters/RequestId' },
  ...(isKeyed(of) && of.method === 'POST' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ...(!isKeyed(of) && of.isSignedIn ? [ENVIRONMENT] : []),
  ...(isEventStream(of) ? [{ $ref: '#/components/parameters/LastEventId' }] : []),
];

const json = (schema: TSchema, components: Map<string, Json>, example = exampleOf(schema as Schema)): Json => ({
  'application/json': { schema: collect(schema, components), example },
});

/** The content of a streamed file: each line of one with JSON, or the data of each event, is an object of the schema. */
const streamed = (
  of: Operation & Required<Pick<Operation, 'streams' | 'response'>>,
  components: Map<string, Json>,
): Json =>
  Object.fromEntries(
    Object.values(of.streams).map((type) => {
      const [name = ''] = type.split(';');
      const isJson = name.includes('json') || type === EVENT_STREAM;
      if (!isJson) return [name, { schema: { type: 'string' } }];
      const schema = collect(of.response, components);
      return [name, name === 'application/json' ? { schema, example: exampleOf(of.response as Schema) } : { schema }];
    }),
  );

const success = (id: string, of: AnyOperation, components: Map<string, Json>): Json => {
  const replayed = isKeyed(of) && of.method === 'POST' ? ['Idempotent-Replayed'] : [];
  const sent = headers('X-Request-Id', 'X-Api-Version', ...replayed);
  if (of.response === undefined) return { description: 'Success, without a body.', headers: sent };
  const { description = 'Success.' } = of.response as { description?: string };
  if (isKeyed(of) && of.streams !== undefined)
    return {
      description,
      headers: sent,
      content: streamed({ ...of, streams: of.streams, response: of.response }, components),
    };
  const example = { ...(exampleOf(of.response as Schema) as object), ...(id === 'resolveCase' ? RESOLVED : {}) };
  return { description, headers: sent, content: json(of.response, components, example) };
};

/** What a caller needs, in words. */
const accessText = (of: AnyOperation): string => {
  if (isKeyed(of)) return permissionText(of);
  return of.isSignedIn ? 'Requires a session.' : 'Requires neither a key nor a session.';
};
/** An operation with a permission takes what the document says for all: a key or a session. */
const securityOf = (of: AnyOperation): { security?: Json } => {
  if (isKeyed(of)) return {};
  return { security: of.isSignedIn ? [{ session: [] }] : [] };
};

const describe = (id: string, of: AnyOperation, components: Map<string, Json>): Json => ({
  operationId: id,
  tags: [of.tag],
  summary: of.summary,
  description: `${of.description ? `${of.description}\n\n` : ''}${accessText(of)}`,
  ...securityOf(of),
  parameters: parametersOf(of, components),
  ...(of.body ? { requestBody: { required: true, content: json(of.body, components) } } : {}),
  responses: {
    [of.status]: success(id, of, components),
    ...errorResponses(of, components),
  },
});

const HEADER_PARAMETERS: Json = {
  ApiVersion: {
    name: 'X-Api-Version',
    in: 'header',
    description: 'API version of the request. Default: the newest.',
    schema: { type: 'string', enum: [...API_VERSIONS] },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description:
      'Your id of the request: 1 to 128 visible ASCII characters. It is returned; the service generates one if it is missing or invalid.',
    schema: { type: 'string', maxLength: 128 },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'For 24 hours, a request with the same key and body returns the first response and has no further effect.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'The `id` of the last event that was received. The stream continues after it. Default: with new events.',
    schema: { type: 'string', pattern: '^[0-9]{1,16}$' },
  },
};

const header = (description: string, schema: Json): Json => ({ description, schema });

const RESPONSE_HEADERS: Json = {
  'X-Request-Id': header('Identifies this request in logs and error reports.', { type: 'string' }),
  'X-Api-Version': header('API version of the response.', { type: 'string', enum: [...API_VERSIONS] }),
  'Idempotent-Replayed': header(
    '`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.',
    {
      type: 'string',
      enum: ['true'],
    },
  ),
  'Retry-After': header('Seconds to wait before a retry.', { type: 'integer', minimum: 1 }),
  'RateLimit-Limit': header('Requests per minute of the key.', { type: 'integer' }),
  'RateLimit-Remaining': header('Remaining requests.', { type: 'integer' }),
  'RateLimit-Reset': header('Seconds until the full limit is available again.', { type: 'integer' }),
  'WWW-Authenticate': header('Always `Bearer`.', { type: 'string', const: 'Bearer' }),
};

/** The OpenAPI 3.1 document of everything in `operations`. */
export const openapi = (version: string): Json => {
  const components = new Map<string, Json>();
  const paths: Record<string, Record<string, Json>> = {};
  for (const [id, of] of Object.entries({ ...operations, ...sessionOperations }) as [string, AnyOperation][]) {
    paths[of.path] = { ...paths[of.path], [of.method.toLowerCase()]: describe(id, of, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Portcullis',
      version,
      summary: 'Fraud screening: a payment or login in, a decision with its reasons out.',
      description:
        'Every request carries `Authorization: Bearer <API key>`. Sandbox keys begin with `sk_test_`, production keys ' +
        'with `sk_live_`. A browser sends the cookie of its session instead, with `X-Portcullis-Environment`. Unknown request fields are ignored and listed in `warnings`. Clients must ignore unknown response fields.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This server' }],
    security: [{ apiKey: [] }, { session: [] }],
    tags: Object.entries({ ...TAGS, ...SESSION_TAGS }).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-portcullis',
          description:
            'The session of a signed-in person. It counts only with `X-Portcullis-Environment` and, unless the method is GET, with `Sec-Fetch-Site: same-origin` or the `Origin` of this service. Over plain HTTP on this machine the cookie is named `portcullis`.',
        },
      },
      parameters: HEADER_PARAMETERS,
      headers: RESPONSE_HEADERS,
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
};
