import type { Config } from '../config.ts';
import type { Place } from '../ids.ts';
import type { Backend, Connection } from './backend.ts';
import type { Counters } from './counters.ts';
import { type Limits, makeLocalLimits } from './limits.ts';
import type { RebuildOptions, Rebuilt } from './redis-rebuild.ts';
import { migrateSqlite, openSqlite, openSqliteBeside } from './sqlite.ts';

/**
 * Which store it is, is decided here and known nowhere else: records in PostgreSQL and histories in Redis where both are named, else the
 * embedded one, which the clients of the others are not loaded for.
 */
type Where = Pick<Config, 'dataDir' | 'shared'>;

export interface StoreOptions {
  readonly cacheBytes?: number;
  readonly onCommit: (units: number, tookMs: number) => void;
  readonly onFault: (message: string) => void;
  readonly onRecovered: (message: string) => void;
  readonly onWarning: (message: string) => void;
}

export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

/** What the service is built on. */
export interface Store {
  readonly backend: Backend;
  readonly counters: Counters;
  readonly limits: Limits;
  /** Asked before a screening is counted in: once it is, the write must be taken. */
  readonly hasRoom: () => boolean;
  /** Where ids are made; undefined while that is not sure, when there is no room either. */
  readonly place: () => Place | undefined;
  readonly connect: () => Connection;
  readonly gauges: readonly Gauge[];
}

const openEmbedded = (directory: string, options: StoreOptions): Store => {
  const { backend, counters, hasRoom, waiting, connect } = openSqlite({ directory, ...options });
  const place = { after: counters.newestSeq() };
  const { stats } = counters;
  const gauges = [
    { name: 'portcullis_writes_waiting', help: 'Writes that wait for a commit.', read: waiting },
    { name: 'portcullis_cache_bytes', help: 'Memory taken by histories, about.', read: () => stats().bytes },
    { name: 'portcullis_cache_hits', help: 'Histories found in memory since the start.', read: () => stats().hits },
    {
      name: 'portcullis_cache_misses',
      help: 'Histories not found in memory since the start.',
      read: () => stats().misses,
    },
  ];
  return { backend, counters, limits: makeLocalLimits(), hasRoom, place: () => place, connect, gauges };
};

const openShared = async (where: NonNullable<Where['shared']>, options: StoreOptions): Promise<Store> => {
  const url = where.databaseUrl;
  const [{ openPostgres }, { openRedisCounters }, { makeSharedLimits }, { makeMissed }] = await Promise.all([
    import('./postgres.ts'),
    import('./counters-redis.ts'),
    import('./limits-redis.ts'),
    import('./redis-missed.ts'),
  ]);
  const { backend, hasRoom, waiting, held } = await openPostgres({ url, ...options });
  const hasStored = async (): Promise<boolean> =>
    (await backend.read('SELECT seq FROM screenings ORDER BY seq LIMIT 1')).length > 0;
  const counters = await openRedisCounters({
    url: where.redisUrl,
    prefix: where.redisPrefix,
    hasStored,
    missed: makeMissed(backend),
    onFault: options.onFault,
    onRecovered: options.onRecovered,
    onWarning: options.onWarning,
  });
  // The records last: what Redis was not told is noted there.
  const close = async (): Promise<void> => {
    await counters.close();
    await backend.close();
  };
  const { stats } = counters;
  const gauges = [
    { name: 'portcullis_writes_waiting', help: 'Writes that wait for a commit.', read: waiting },
    { name: 'portcullis_redis_up', help: 'Whether Redis answers.', read: () => Number(stats().isHere) },
    {
      name: 'portcullis_histories_whole',
      help: 'Whether Redis has all that was counted; if not, `portcullis rebuild` makes it anew.',
      read: () => Number(stats().isWhole),
    },
    {
      name: 'portcullis_redis_may_evict',
      help: 'Whether Redis is set to throw histories away when its memory is full.',
      read: () => Number(stats().mayEvict),
    },
    {
      name: 'portcullis_screenings_without_histories',
      help: 'Screenings since the start whose histories were not all to be had.',
      read: () => stats().unavailable,
    },
  ];
  return {
    backend: { ...backend, close },
    counters,
    limits: makeSharedLimits(counters.link, where.redisPrefix),
    hasRoom: () => hasRoom() && counters.isReady(),
    place: held,
    connect: () => ({ url, ports: [] }),
    gauges,
  };
};

/** The store for a process that serves. */
export const openStore = async ({ dataDir, shared }: Where, options: StoreOptions): Promise<Store> =>
  shared === undefined ? openEmbedded(dataDir, options) : openShared(shared, options);

/** The records alone, for a command beside those who serve. */
export const openBeside = async ({ dataDir, shared }: Where): Promise<Backend & Pick<Store, 'connect'>> => {
  if (shared === undefined) return openSqliteBeside(dataDir);
  const url = shared.databaseUrl;
  const { migratePostgres, openPostgresBeside } = await import('./postgres.ts');
  await migratePostgres(url);
  return { ...(await openPostgresBeside({ url })), connect: () => ({ url, ports: [] }) };
};

/** Brings the store up to date. Answers with the names of the migrations applied. */
export const bringUpToDate = async ({ dataDir, shared }: Where): Promise<string[]> => {
  if (shared === undefined) return migrateSqlite(dataDir);
  return (await import('./postgres.ts')).migratePostgres(shared.databaseUrl);
};

/** Makes histories that are kept apart from the records anew from these. Undefined where they are not kept apart. */
export const makeHistoriesAnew = async (
  where: Where,
  hooks: Pick<RebuildOptions, 'onWaiting' | 'onFolded' | 'onRestored'>,
): Promise<Rebuilt | undefined> => {
  if (where.shared === undefined) return undefined;
  const { redisUrl: url, redisPrefix: prefix } = where.shared;
  const { rebuildHistories } = await import('./redis-rebuild.ts');
  const backend = await openBeside(where);
  try {
    return await rebuildHistories({ backend, url, prefix, ...hooks });
  } finally {
    await backend.close();
  }
};
