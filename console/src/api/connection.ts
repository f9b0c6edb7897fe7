import { makeStore } from './store.ts';

/** Whether the service answers. `until` is the time of the next attempt. */
export type Connection =
  | { readonly state: 'ok' }
  | { readonly state: 'away' | 'busy'; readonly until: number; readonly requestId: string | undefined };

const OK: Connection = { state: 'ok' };
const PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 60_000;

export const connection = makeStore<Connection>(OK);

const pauseOf = (retryAfter: string | null): number => {
  const seconds = Number(retryAfter);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1000, LONGEST_PAUSE_MS) : PAUSE_MS;
};

/** Learns from each response, and from a request without one. */
export const noteResponse = (response: Response | undefined): void => {
  const status = response?.status ?? 0;
  const isOk = status !== 0 && status !== 429 && status < 502;
  connection.set(
    isOk
      ? OK
      : {
          state: status === 429 ? 'busy' : 'away',
          until: Date.now() + pauseOf(response?.headers.get('retry-after') ?? null),
          requestId: response?.headers.get('x-request-id') ?? undefined,
        },
  );
};
