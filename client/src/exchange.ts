import { readRetryAfter } from './backoff.ts';
import type { PortcullisErrorCode } from './error.ts';
import type { ErrorDetail } from './types.ts';

/** As much of `fetch` as is used. */
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
}>;

export interface Request {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** Why there is no result, and whether the same request may have one later. */
export interface Failure {
  readonly code: PortcullisErrorCode;
  readonly message: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly mayPass: boolean;
  readonly retryAfterMs: number;
}
export type Outcome = { readonly result: unknown } | { readonly failure: Failure };

/** Of the service, whatever its code, or of a proxy that did not reach it or lost what it answered. */
const PASSING_STATUSES: readonly number[] = [429, 502, 503, 504];
const mayPassWith = (status: number, code?: string): boolean =>
  PASSING_STATUSES.includes(status) || code === 'idempotency_in_progress';

const NO_ANSWER = { status: undefined, requestId: undefined, details: [], mayPass: true, retryAfterMs: 0 };

type Members = Readonly<Record<string, unknown>>;
const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null;

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Not told on: its message quotes the body, which may hold a secret.
    return undefined;
  }
};

const isDetail = (value: unknown): value is ErrorDetail =>
  isMembers(value) && typeof value.field === 'string' && typeof value.message === 'string';

/** The error object of the service, or undefined where somebody else answered. */
const readError = (json: unknown): Pick<Failure, 'code' | 'message' | 'details'> | undefined => {
  const error = isMembers(json) ? json.error : undefined;
  if (!isMembers(error) || typeof error.code !== 'string' || typeof error.message !== 'string') return undefined;
  const details = Array.isArray(error.details) ? error.details.filter(isDetail) : [];
  return { code: error.code as PortcullisErrorCode, message: error.message, details };
};

const read = (status: number, headers: { get(name: string): string | null }, text: string): Outcome => {
  const isSuccess = status >= 200 && status < 300;
  const json = parse(text);
  if (isSuccess && (status === 204 || isMembers(json))) return { result: json };
  const requestId = headers.get('x-request-id') ?? undefined;
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now());
  const error = isSuccess ? undefined : readError(json);
  if (error !== undefined)
    return { failure: { ...error, status, requestId, retryAfterMs, mayPass: mayPassWith(status, error.code) } };
  return {
    failure: {
      code: 'invalid_response',
      message: `What came back with status ${status} is no answer of Portcullis. Is the url right, and what stands in between?`,
      status,
      requestId,
      details: [],
      retryAfterMs,
      mayPass: isSuccess || mayPassWith(status),
    },
  };
};

/** The code of a system error, such as ECONNREFUSED. Nothing else of it is told: what could not be read as HTTP would be quoted. */
const systemCode = (error: unknown): string => {
  const { cause, code = isMembers(cause) ? cause.code : undefined } = isMembers(error) ? error : {};
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? ` (${code})` : '';
};

/** Makes the request once, within the time; throws only when the caller aborts. */
export const exchange = async (
  fetch: Fetch,
  { url, method, headers, body }: Request,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<Outcome> => {
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
    // A redirect is not followed: it would carry what is screened to where nobody configured it, and a POST would arrive as a GET.
    const response = await fetch(url, { ...init, redirect: 'manual' });
    return read(response.status, response.headers, await response.text());
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (isLate) return { failure: { ...NO_ANSWER, code: 'deadline_exceeded', message: 'No answer came in time.' } };
    const message = `The service could not be reached, or the connection broke${systemCode(error)}.`;
    return { failure: { ...NO_ANSWER, code: 'network_error', message } };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
};
