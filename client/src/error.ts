import type { ErrorDetail, ErrorStatuses } from './types.ts';

/** What the client finds itself, where the service gave no answer that is one of its own. */
export type ClientErrorCode = 'network_error' | 'deadline_exceeded' | 'invalid_response';
export type PortcullisErrorCode = keyof ErrorStatuses | ClientErrorCode;

/** The HTTP status of a code; of `invalid_response` that of whoever answered instead of the service. */
type StatusOf<Code extends PortcullisErrorCode> = Code extends keyof ErrorStatuses
  ? ErrorStatuses[Code]
  : Code extends 'invalid_response'
    ? number
    : undefined;

export interface PortcullisErrorParts<Code extends PortcullisErrorCode> {
  readonly code: Code;
  readonly message: string;
  readonly status: StatusOf<Code>;
  readonly requestId: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly attempts: number;
}

/**
 * A call that did not succeed. Decide by `code`, or let `error.is('case_not_open')` narrow it; a newer service may send codes this release does not know.
 *
 * Holds neither the API key nor anything of the request, so it may be logged.
 */
export class PortcullisError<Code extends PortcullisErrorCode = PortcullisErrorCode> extends Error {
  readonly code: Code;
  /** Undefined where nobody answered. */
  readonly status: StatusOf<Code>;
  /** Names the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** With `invalid_request`: every fault, by member. */
  readonly details: readonly ErrorDetail[];
  /** How often the call was made. Above 1, an earlier one may have been carried out though its answer was lost. */
  readonly attempts: number;

  constructor(parts: PortcullisErrorParts<Code>) {
    super(parts.message);
    this.name = 'PortcullisError';
    this.code = parts.code;
    this.status = parts.status;
    this.requestId = parts.requestId;
    this.details = parts.details;
    this.attempts = parts.attempts;
  }

  /** Whether it is one of these, in a way that the compiler understands. */
  is<Of extends Code>(...codes: readonly Of[]): this is PortcullisError<Of> {
    return (codes as readonly string[]).includes(this.code);
  }
}
