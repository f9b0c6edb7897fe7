import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { OperationId, SessionOperationId } from '@portcullis/contract';
import type { Caller } from './caller.ts';

/** The part of a route that its requests refer to. */
export interface RouteOptions {
  readonly config?: {
    readonly operation?: OperationId | SessionOperationId;
    /** Whether the response is large. */
    readonly isPage?: boolean;
  };
  readonly bodyLimit?: number | undefined;
}

/** What an operation needs of a request. Both Fastify's requests and plain requests have it. */
export interface ApiRequest {
  readonly id: string;
  readonly raw: IncomingMessage;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly params: unknown;
  readonly query: unknown;
  /** The bytes of a JSON body. */
  readonly body: unknown;
  readonly routeOptions: RouteOptions;
  caller: Caller | undefined;
}

/** What an operation needs of the reply to a request. */
export interface ApiReply {
  readonly raw: ServerResponse;
  code(status: number): ApiReply;
  header(name: string, value: string | undefined): ApiReply;
  hasHeader(name: string): boolean;
  /** Sends a text or a stream, or answers with an error. */
  send(payload?: unknown): unknown;
}
