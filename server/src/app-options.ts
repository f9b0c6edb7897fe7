import type { Config } from './config.ts';
import type { FeedTimes } from './feed/feed.ts';
import type { ConnectionTimes } from './http/connections.ts';
import type { ShareLimits } from './http/fair-shares.ts';
import type { WatchLoop } from './http/shedding.ts';
import type { Schedule } from './http/turns.ts';
import type { Log } from './runtime/log.ts';
import type { ClockSources } from './runtime/steady-clock.ts';

export interface AppOptions {
  readonly config: Config;
  readonly log: Log;
  /** Epoch milliseconds. Tests move it; it is certain. */
  readonly clock?: () => number;
  /** What the clock of the service follows, unless `clock` is set. Tests move these. */
  readonly clockSources?: ClockSources & { readonly database?: () => Promise<number> };
  /** The process cannot continue, and must end with an error so that it is started again. */
  readonly onFatal?: () => void;
  readonly cacheBytes?: number;
  /** How long a write waits for a store that is locked or hangs. */
  readonly storeTimeoutMs?: number;
  /** How long a call to Redis may take. Then the screening continues without histories. */
  readonly redisTimeoutMs?: number;
  /** How long a request in flight may take to end once the service stops. */
  readonly drainMs?: number;
  /** How long a webhook exchange may take. */
  readonly exchangeMs?: number;
  /** Time limits of connections. Tests shorten them. */
  readonly connectionTimes?: ConnectionTimes;
  /** Calls a function after a time, for the turns of requests without a valid key. */
  readonly scheduleTurn?: Schedule;
  /** Measures the delay of the event loop. */
  readonly watchLoop?: WatchLoop;
  /** Limits of a tenant's requests in progress and waiting. */
  readonly shareLimits?: Partial<ShareLimits>;
  /** Times of the live feed. Tests shorten them. */
  readonly feedTimes?: FeedTimes;
  /** How long after the start of the service the thread of search starts. */
  readonly searchStartsAfterMs?: number;
  /** How many list entries a tenant may have. */
  readonly maxListEntries?: number;
}
