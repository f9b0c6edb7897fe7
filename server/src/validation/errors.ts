import type { ErrorBody, ErrorDetail } from '@portcullis/contract';
import { ERROR_STATUSES, type ErrorCode, errorDocUrl, maskCardNumbers } from '@portcullis/contract/values';

/** An error response. The message is for the caller: never a stack trace, SQL, a secret or personal data. */
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

export const notFound = (resource: string): ApiError => new ApiError('not_found', `There is no such ${resource}.`);

/** An error that goes away by itself. */
export const unavailable = (message: string, cause?: unknown): ApiError =>
  new ApiError('unavailable', `${message} Retry after 1 second.`, { headers: { 'Retry-After': '1' }, cause });

const MAX_SUMMARIZED = 3;
const SUGGESTION = /; did you mean .*\?$/;

/** The first line of a detail: further lines show the place of an error, and stay in `details`. */
const summarize = ({ field, message }: ErrorDetail): string =>
  `${field === '' ? 'the body' : field} ${message.split('\n', 1)[0]}`;

/** Counts the invalid fields and names the first ones. */
const summarizeAll = (details: readonly ErrorDetail[]): string => {
  const [first] = details;
  if (first !== undefined && details.length === 1) {
    const summary = `The request is invalid: ${summarize(first)}`;
    return summary.endsWith('?') ? summary : `${summary}.`;
  }
  const summaries = details.slice(0, MAX_SUMMARIZED).map((detail) => summarize(detail).replace(SUGGESTION, ''));
  const rest = details.length > MAX_SUMMARIZED ? `; and ${details.length - MAX_SUMMARIZED} more` : '';
  return `${details.length} fields are invalid: ${summaries.join('; ')}${rest}.`;
};

/** A refused request, with every invalid field. */
export const invalidRequest = (details: readonly ErrorDetail[]): ApiError =>
  new ApiError('invalid_request', summarizeAll(details), { details });

const maskDetail = ({ field, message }: ErrorDetail): ErrorDetail => ({
  field: maskCardNumbers(field),
  message: maskCardNumbers(message),
});

/** The error object. A field name or a name in a message can be one that the caller chose. */
export const errorBody = (error: ApiError, requestId: string): ErrorBody => ({
  error: {
    code: error.code,
    message: maskCardNumbers(error.message),
    request_id: requestId,
    doc_url: errorDocUrl(error.code),
    ...(error.details === undefined ? {} : { details: error.details.map(maskDetail) }),
  },
});
