import { pauseMs } from './backoff.ts';
import { PortcullisError } from './error.ts';
import { exchange, type Failure, type Fetch } from './exchange.ts';

/** Deadline and number of retries of a call. */
export interface RetryOptions {
  /** Maximum duration of a call in milliseconds, including retries and the delays between them. Default 5000. */
  readonly deadlineMs?: number | undefined;
  /** Maximum number of retries after temporary errors. Default 3. */
  readonly maxRetries?: number | undefined;
}

export interface CallOptions extends RetryOptions {
  /** Cancels the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface PostOptions extends CallOptions {
  /**
   * The service carries out a request once per key within 24 hours, and answers a repetition with the first response. Default: a random
   * key per call. With your own key, such as an order number, a call repeated after a crash of your program is not carried out twice either.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface RequestParts {
  /** Values of the path parameters, such as `{case_id}`. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object | undefined;
  readonly body?: object;
  /** The response is a file, and its text is the result. */
  readonly isText?: boolean;
  /** The response does not end, and its body is the result. */
  readonly isStream?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}
export type Call = <Result>(
  method: string,
  path: string,
  parts: RequestParts,
  options?: PostOptions,
) => Promise<Result>;

const DEADLINE_MS = 5000;
const MAX_RETRIES = 3;
/** Longest delay of a timer. A timer with a longer delay fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const pathOf = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a non-empty string.`);
    // URL normalisation drops these segments, escaped or not, so the request would go to a different path.
    if (value === '.' || value === '..')
      throw new TypeError(`${name} must not be "." or "..", which a URL path cannot contain.`);
    return encodeURIComponent(value);
  });

const queryOf = (query: object): string => {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries.map(([name, value]) => [name, String(value)]))}`;
};

const idempotencyKeyOf = ({ idempotencyKey = crypto.randomUUID() }: PostOptions): string => {
  // HTTP strips spaces at both ends of a header value.
  if (typeof idempotencyKey === 'string' && /^(?! )[\x20-\x7e]{1,255}(?<! )$/.test(idempotencyKey))
    return idempotencyKey;
  throw new TypeError('idempotencyKey must have 1 to 255 ASCII characters, without leading or trailing spaces.');
};

export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });

const errorOf = ({ isTemporary, retryAfterMs, ...parts }: Failure, attempts: number): PortcullisError =>
  new PortcullisError({ ...parts, attempts } as ConstructorParameters<typeof PortcullisError>[0]);

interface Service {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly retries: RetryOptions;
}
const requestOf = (service: Service, method: string, path: string, parts: RequestParts, options: PostOptions) => {
  const { params = {}, query = {}, body, isText = false, isStream = false, headers = {} } = parts;
  return {
    isText,
    isStream,
    url: `${service.url}${pathOf(path, params)}${queryOf(query)}`,
    method,
    headers: {
      ...service.headers,
      ...headers,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(method === 'POST' ? { 'Idempotency-Key': idempotencyKeyOf(options) } : {}),
    },
    // Serialised once: all attempts under one idempotency key must have the same body.
    body: body === undefined ? undefined : JSON.stringify(body),
  };
};

const callService = async (
  service: Service,
  method: string,
  path: string,
  parts: RequestParts,
  options: PostOptions,
): Promise<unknown> => {
  const { signal, deadlineMs = service.retries.deadlineMs ?? DEADLINE_MS } = options;
  const { maxRetries = service.retries.maxRetries ?? MAX_RETRIES } = options;
  signal?.throwIfAborted();
  const request = requestOf(service, method, path, parts, options);
  const deadline = performance.now() + Math.min(deadlineMs, LONGEST_TIMER_MS);
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt > maxRetries;
    const left = Math.max(0, deadline - performance.now());
    // Half of the remaining time, so that a connection that hangs leaves time for a retry.
    const outcome = await exchange(service.fetch, request, isLast ? left : left / 2, signal);
    if ('result' in outcome) return outcome.result;
    const { failure } = outcome;
    const pause = pauseMs(attempt, failure.retryAfterMs, Math.random());
    if (isLast || !failure.isTemporary || performance.now() + pause >= deadline) throw errorOf(failure, attempt);
    await sleep(pause, signal);
  }
};

/**
 * Makes the function that sends a request and retries it. Every request is safe to retry: a POST has an idempotency key, the other
 * methods are idempotent.
 */
export const makeCall =
  (service: Service): Call =>
  <Result>(method: string, path: string, parts: RequestParts, options: PostOptions = {}) =>
    callService(service, method, path, parts, options) as Promise<Result>;
