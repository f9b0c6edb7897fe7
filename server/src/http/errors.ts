import { ERROR_STATUSES, type ErrorBody, type ErrorCode, type ErrorDetail } from '@portcullis/contract';

/** An answer other than success. The message is for the caller: never a stack, SQL, a secret or personal data. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    more: { details?: readonly ErrorDetail[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause });
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? {};
  }

  get status(): number {
    return ERROR_STATUSES[this.code];
  }
}

export const notFound = (what: string): ApiError => new ApiError('not_found', `There is no such ${what}.`);

/** All faults of a request at once. */
export const invalidRequest = (details: readonly ErrorDetail[]): ApiError => {
  const first = details[0];
  // One line: what follows shows the place, and belongs to the details.
  const said = first?.message.split('\n', 1)[0];
  const summary = first === undefined ? '' : `: ${first.field === '' ? 'it' : first.field} ${said}`;
  const count = details.length === 1 ? '1 fault' : `${details.length} faults`;
  return new ApiError('invalid_request', `The request has ${count}${summary}${details.length > 1 ? ', …' : '.'}`, {
    details,
  });
};

export const errorBody = (error: ApiError, requestId: string): ErrorBody => ({
  error: {
    code: error.code,
    message: error.message,
    request_id: requestId,
    ...(error.details === undefined ? {} : { details: [...error.details] }),
  },
});
