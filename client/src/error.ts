import type { ErrorDetail, ErrorStatuses } from './types.ts';

/** Codes that the client sets itself, when it has no valid response of the service. */
export type ClientErrorCode = 'network_error' | 'deadline_exceeded' | 'invalid_response';
export type PortcullisErrorCode = keyof ErrorStatuses | ClientErrorCode;

/** The HTTP status of a code. For `invalid_response`: the status of the invalid response. */
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
  readonly docUrl: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly attempts: number;
}

/**
 * A failed call. Branch on `code`, or narrow the type with `error.is('case_not_open')`. A newer service may send codes that this release
 * does not know.
 *
 * The error contains neither the API key nor any part of the request, so it is safe to log.
 */
export class PortcullisError<Code extends PortcullisErrorCode = PortcullisErrorCode> extends Error {
  readonly code: Code;
  /** Undefined if there was no response. */
  readonly status: StatusOf<Code>;
  /** Identifies the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** The page of the service that explains the code. */
  readonly docUrl: string | undefined;
  /** With `invalid_request`: every error, by field. */
  readonly details: readonly ErrorDetail[];
  /** Number of attempts. If above 1, an earlier attempt may have been carried out though its response was lost. */
  readonly attempts: number;

  constructor(parts: PortcullisErrorParts<Code>) {
    super(parts.message);
    this.name = 'PortcullisError';
    this.code = parts.code;
    this.status = parts.status;
    this.requestId = parts.requestId;
    this.docUrl = parts.docUrl;
    this.details = parts.details;
    this.attempts = parts.attempts;
  }

  /** Whether `code` is one of `codes`. Narrows the type of the error. */
  is<Of extends Code>(...codes: readonly Of[]): this is PortcullisError<Of> {
    return (codes as readonly string[]).includes(this.code);
  }
}
