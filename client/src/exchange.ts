import { readRetryAfter } from './backoff.ts';
import type { PortcullisErrorCode } from './error.ts';
import type { ErrorDetail } from './types.ts';

/** The part of `fetch` that the client uses. */
export type Fetch = (
  url: string,
  init: {
    method: string;
    headers: Record<string, string>;
    body?: string;
    redirect: 'manual';
    signal: AbortSignal;
  },
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
  /** Needed to listen to the feed. */
  readonly body?: ReadableStream<Uint8Array> | null;
}>;

export interface Request {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
  /** Whether a successful response is text, not JSON. */
  readonly isText: boolean;
  /** Whether a successful response does not end. Its body is the result. */
  readonly isStream: boolean;
}

/** A failed attempt. `isTemporary`: a retry of the same request may succeed. */
export interface Failure {
  readonly code: PortcullisErrorCode;
  readonly message: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly docUrl: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly isTemporary: boolean;
  readonly retryAfterMs: number;
}
export type Outcome = { readonly result: unknown } | { readonly failure: Failure };

/** Statuses of temporary errors, from the service with any code, or from a proxy that failed to reach it or lost its response. */
const TEMPORARY_STATUSES: readonly number[] = [429, 502, 503, 504];
const isTemporaryError = (status: number, code?: string): boolean =>
  TEMPORARY_STATUSES.includes(status) || code === 'idempotency_in_progress';

const NO_RESPONSE = {
  status: undefined,
  requestId: undefined,
  docUrl: undefined,
  details: [],
  isTemporary: true,
  retryAfterMs: 0,
};

type JsonObject = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null;

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // The error is dropped: its message quotes the body, which may contain a secret.
    return undefined;
  }
};

const isDetail = (value: unknown): value is ErrorDetail =>
  isObject(value) && typeof value.field === 'string' && typeof value.message === 'string';

/** The error object of the service, or undefined if the response has none, as that of a proxy. */
const readError = (
  json: unknown,
  url: string,
): Pick<Failure, 'code' | 'message' | 'docUrl' | 'details'> | undefined => {
  const error = isObject(json) ? json.error : undefined;
  if (!isObject(error) || typeof error.code !== 'string' || typeof error.message !== 'string') return undefined;
  const details = Array.isArray(error.details) ? error.details.filter(isDetail) : [];
  // The service sends a path: it does not know the address that it is reached at.
  const path = error.doc_url;
  const docUrl = typeof path === 'string' && URL.canParse(path, url) ? new URL(path, url).href : undefined;
  return { code: error.code as PortcullisErrorCode, message: error.message, docUrl, details };
};

const read = (
  { url, isText }: Pick<Request, 'url' | 'isText'>,
  status: number,
  headers: { get(name: string): string | null },
  text: string,
): Outcome => {
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && isText) return { result: text };
  const json = parse(text);
  if (isSuccess && (status === 204 || isObject(json))) return { result: json };
  const requestId = headers.get('x-request-id') ?? undefined;
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now());
  const error = isSuccess ? undefined : readError(json, url);
  if (error !== undefined)
    return {
      failure: { ...error, status, requestId, retryAfterMs, isTemporary: isTemporaryError(status, error.code) },
    };
  return {
    failure: {
      code: 'invalid_response',
      message: `The response with status ${status} is not a valid Portcullis response. Check the url and any proxy in between.`,
      status,
      requestId,
      docUrl: undefined,
      details: [],
      retryAfterMs,
      isTemporary: isSuccess || isTemporaryError(status),
    },
  };
};

/** The code of a system error, such as ECONNREFUSED. The error's message is left out: it may quote the response. */
const systemCode = (error: unknown): string => {
  const { cause, code = isObject(cause) ? cause.code : undefined } = isObject(error) ? error : {};
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? ` (${code})` : '';
};

/** Sends the request once, with a time limit. Throws only if the caller aborts. */
export const exchange = async (
  fetch: Fetch,
  request: Request,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> => {
  const { url, method, headers, body } = request;
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    abort();
  }, limitMs);
  signal?.addEventListener('abort', abort);
  try {
    const init = { method, headers, ...(body === undefined ? {} : { body }), signal: controller.signal };
    // Redirects are not followed: they would send the payment to an address that is not configured, and turn a POST into a GET.
    const response = await fetch(url, { ...init, redirect: 'manual' });
    if (request.isStream && response.status === 200 && response.body) return { result: response.body };
    return read(request, response.status, response.headers, await response.text());
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (isLate)
      return {
        failure: {
          ...NO_RESPONSE,
          code: 'deadline_exceeded',
          message: 'Timed out: no complete response before the deadline.',
        },
      };
    const message = `The service could not be reached, or the connection broke${systemCode(error)}.`;
    return { failure: { ...NO_RESPONSE, code: 'network_error', message } };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
};
