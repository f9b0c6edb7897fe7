import type { IdKind, Operation, TagOf } from '@portcullis/contract';
import type { IdentifierTags } from '../runtime/identifier-tags.ts';
import type { ReadResult } from '../validation/body.ts';
import { type ApiError, invalidRequest } from '../validation/errors.ts';
import type { Answer, AnyCall, ReplayCheck } from './call.ts';
import { type Authenticator, type Caller, checkInclude, credentialsOf, isStillAllowed } from './caller.ts';
import type { Connections } from './connections.ts';
import type { ApiRequest } from './exchange.ts';
import type { FairShares } from './fair-shares.ts';
import type { Idempotency, IdempotentRequest } from './idempotency.ts';
import { type JsonBody, parseJson } from './json-body.ts';
import { type lookalikesOf, methodNotAllowed } from './no-route.ts';
import { maskNames, requireIdKinds } from './path-params.ts';
import type { StreamedFile } from './send.ts';
import type { Shedding } from './shedding.ts';
import type { Turns } from './turns.ts';

/** A handler of any operation; its call was validated against the schemas of that operation. */
export type AnyHandler = (
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
export interface BoundOperation extends RouteDeps {
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

const withWarnings = (json: string, warnings: readonly string[]): string =>
  warnings.length === 0 ? json : `${json.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}`;

const validValue = <T>(result: ReadResult<T>): T => {
  if ('errors' in result) throw invalidRequest(result.errors);
  return result.value;
};

export const pathOf = (request: ApiRequest): string => request.url.split('?', 1)[0] as string;

/** The error of a request to another operation's path with a method that only this operation takes. */
export const refuseLookalike = ({ allowOfLookalike }: BoundOperation, request: ApiRequest): ApiError | undefined => {
  const allow = allowOfLookalike?.(pathOf(request));
  return allow === undefined ? undefined : methodNotAllowed(allow);
};

/** A request whose turn has come. */
export interface Started {
  readonly request: ApiRequest;
  /** Undefined if the operation takes none, or none was sent. */
  readonly json: JsonBody | undefined;
}

export const startRequest = (request: ApiRequest): Started => ({
  request,
  json: Buffer.isBuffer(request.body) ? parseJson(request.body) : undefined,
});

export const makeCall = (bound: BoundOperation, { request, json }: Started, once?: IdempotentRequest) => {
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
