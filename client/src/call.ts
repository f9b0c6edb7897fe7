import { pauseMs } from './backoff.ts';
import { PortcullisError } from './error.ts';
import { exchange, type Failure, type Fetch } from './exchange.ts';

/** How patient a call is. */
export interface Patience {
  /** How long a call may take, repetitions and pauses included, in milliseconds. 5000 unless told. */
  readonly deadlineMs?: number | undefined;
  /** How often a call that failed for a passing reason is repeated. 3 unless told. */
  readonly maxRetries?: number | undefined;
}

export interface CallOptions extends Patience {
  /** Ends the call early: it then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

export interface PostOptions extends CallOptions {
  /**
   * Nothing happens twice under the same key within 24 hours: the first answer comes again. Made anew for each call unless told; name your own, such as an
   * order number, and a crash between the call and what follows cannot make it happen twice either.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface Sent {
  /** What stands in the path in place of `{case_id}` and the like. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: object | undefined;
  readonly body?: object;
}
export type Call = <Result>(method: string, path: string, sent: Sent, options?: PostOptions) => Promise<Result>;

const DEADLINE_MS = 5000;
const MAX_RETRIES = 3;
/** What a timer can wait at most; more would be no time at all. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const pathOf = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} must be a text that is not empty.`);
    // A URL leaves these out, escaped or not, and another path than the one that was meant would be called.
    if (value === '.' || value === '..')
      throw new TypeError(`${name} cannot be a dot or two: a path has no place for it.`);
    return encodeURIComponent(value);
  });

const queryOf = (query: object): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
};

const idempotencyKeyOf = ({ idempotencyKey = crypto.randomUUID() }: PostOptions): string => {
  // Spaces at its ends would be lost on the way.
  if (typeof idempotencyKey === 'string' && /^(?! )[\x20-\x7e]{1,255}(?<! )$/.test(idempotencyKey))
    return idempotencyKey;
  throw new TypeError('idempotencyKey must have 1 to 255 ASCII characters, without spaces around.');
};

const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
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

const errorOf = ({ mayPass, retryAfterMs, ...parts }: Failure, attempts: number): PortcullisError =>
  new PortcullisError({ ...parts, attempts } as ConstructorParameters<typeof PortcullisError>[0]);

/**
 * Everything a call does over HTTP. Any request may be repeated: a POST under its idempotency key, the others because saying them again changes nothing
 * further.
 */
export const makeCall = (service: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly patience: Patience;
}): Call => {
  const { patience } = service;
  const send = async (method: string, path: string, sent: Sent, options: PostOptions) => {
    const { params = {}, query = {}, body } = sent;
    const { signal, deadlineMs = patience.deadlineMs ?? DEADLINE_MS } = options;
    const { maxRetries = patience.maxRetries ?? MAX_RETRIES } = options;
    signal?.throwIfAborted();
    const request = {
      url: `${service.url}${pathOf(path, params)}${queryOf(query)}`,
      method,
      headers: {
        ...service.headers,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(method === 'POST' ? { 'Idempotency-Key': idempotencyKeyOf(options) } : {}),
      },
      // Written once: under one idempotency key the service expects the same text.
      body: body === undefined ? undefined : JSON.stringify(body),
    };
    const deadline = performance.now() + Math.min(deadlineMs, LONGEST_TIMER_MS);
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt > maxRetries;
      const left = Math.max(0, deadline - performance.now());
      // A connection that hangs must not use up the time of those that would not.
      const outcome = await exchange(service.fetch, request, isLast ? left : left / 2, signal);
      if ('result' in outcome) return outcome.result;
      const { failure } = outcome;
      const pause = pauseMs(attempt, failure.retryAfterMs, Math.random());
      if (isLast || !failure.mayPass || performance.now() + pause >= deadline) throw errorOf(failure, attempt);
      await sleep(pause, signal);
    }
  };
  return <Result>(method: string, path: string, sent: Sent, options: PostOptions = {}) =>
    send(method, path, sent, options) as Promise<Result>;
};
