import type { Config } from '../config.ts';
import type { Place } from '../runtime/ids.ts';
import type { AnchorPlace } from './anchor-place.ts';
import type { Backend, Connection } from './backend.ts';
import type { Counters } from './counters.ts';
import { makeAnchorFile } from './embedded/anchor-file.ts';
import { openSqliteDirect } from './embedded/direct-store.ts';
import { migrateSqlite, openSqlite, openSqliteRecords } from './embedded/store.ts';
import { hasScreenings, isInJournal } from './journal-pages.ts';
import { makeLocalPresence, type Presence } from './presence.ts';
import { makeLocalRateLimits, type RateLimits } from './rate-limits.ts';
import type { RebuildOptions, RebuildResult } from './redis/rebuild.ts';
import { makeServiceIdentities } from './service-identities.ts';

/**
 * Selects the store: PostgreSQL and Redis when both are configured, else the embedded store. No other module knows
 * which one it is. The clients of PostgreSQL and Redis are loaded only when they are used.
 */
type Where = Pick<Config, 'dataDir' | 'shared'>;

export interface StoreOptions {
  /** The key of the hash that finds histories. */
  readonly identityKey: Uint8Array;
  readonly clock: () => number;
  readonly cacheBytes?: number;
  /** How long a write waits for a store that is locked or hangs. */
  readonly timeoutMs?: number;
  /** How long a call to Redis may take. Then the screening continues without histories. */
  readonly redisTimeoutMs?: number;
  readonly onCommit: (units: number, tookMs: number) => void;
  readonly onError: (message: string) => void;
  readonly onRecovered: (message: string) => void;
  readonly onWarning: (message: string) => void;
  /** The store cannot continue in this process. A new process can. */
  readonly onFatal: (message: string) => void;
}

export interface Gauge {
  readonly name: string;
  readonly help: string;
  readonly read: () => number;
}

export interface Store {
  readonly backend: Backend;
  /** Reads the projection that `search/` writes. */
  readonly search: Pick<Backend, 'readLong'>;
  /** Whether screenings and labels are committed in the order of their numbers. */
  readonly isCommittedInOrder: boolean;
  readonly counters: Counters;
  readonly limits: RateLimits;
  readonly presence: Presence;
  /** Checked before a screening is counted: once it is counted, the write must be accepted. */
  readonly hasRoom: () => boolean;
  /** Why the store takes no writes; undefined while it does, as far as is known. */
  readonly problem: () => string | undefined;
  /** Where ids are generated. Undefined while this process holds no process number; `hasRoom` is then false too. */
  readonly place: () => Place | undefined;
  readonly connect: () => Connection;
  /** The clock of the database; undefined where it is that of this machine. */
  readonly readClock: (() => Promise<number>) | undefined;
  /**
   * Removes the former content of changed and deleted rows from the files of the store, as far as the store can. Returns
   * false where it has to be tried again.
   */
  readonly dropFormerContent: () => Promise<boolean>;
  readonly anchorPlace: AnchorPlace;
  readonly gauges: readonly Gauge[];
}

const writeGauges = (writes: () => number, longReads: () => number, problem: () => string | undefined): Gauge[] => [
  {
    name: 'portcullis_store_writable',
    help: 'Whether the last commit succeeded, or a probe after a failed one.',
    read: () => Number(problem() === undefined),
  },
  { name: 'portcullis_writes_waiting', help: 'Writes that wait for a commit.', read: writes },
  {
    name: 'portcullis_long_reads_waiting',
    help: 'Reads of lists and other long reads that wait for their turn.',
    read: longReads,
  },
];

const damageGauges = (stats: () => { readonly damaged: number; readonly rebuilding: number }): Gauge[] => [
  {
    name: 'portcullis_histories_damaged',
    help: 'Damaged rows or values of histories found since the start.',
    read: () => stats().damaged,
  },
  {
    name: 'portcullis_histories_rebuilding',
    help: 'Histories that are unavailable until they are rebuilt from the stored screenings.',
    read: () => stats().rebuilding,
  },
];

const openEmbedded = (directory: string, options: StoreOptions): Store => {
  const { backend, search, counters, hasRoom, problem, waiting, readsWaiting, connect, dropFormerContent } = openSqlite(
    {
      directory,
      identities: makeServiceIdentities(options.identityKey),
      ...options,
    },
  );
  const place = { after: counters.newestSeq() };
  const { stats } = counters;
  const gauges = [
    ...writeGauges(waiting, readsWaiting, problem),
    { name: 'portcullis_cache_bytes', help: 'Approximate memory of cached histories.', read: () => stats().bytes },
    {
      name: 'portcullis_cache_hits',
      help: 'Lookups of histories answered from the cache since the start.',
      read: () => stats().hits,
    },
    {
      name: 'portcullis_cache_misses',
      help: 'Lookups of histories not answered from the cache since the start.',
      read: () => stats().misses,
    },
    ...damageGauges(stats),
  ];
  return {
    backend,
    search,
    isCommittedInOrder: true,
    counters,
    limits: makeLocalRateLimits(),
    presence: makeLocalPresence(),
    hasRoom,
    problem,
    place: () => place,
    connect,
    dropFormerContent,
    readClock: undefined,
    anchorPlace: makeAnchorFile(directory),
    gauges,
  };
};

const openShared = async (where: NonNullable<Where['shared']>, options: StoreOptions): Promise<Store> => {
  const url = where.databaseUrl;
  const [
    { openPostgres },
    { openRedisCounters },
    { makeSharedRateLimits },
    { makeSharedPresence },
    { makeBacklogRegistry },
    { makeAnchorKey },
  ] = await Promise.all([
    import('./postgres/store.ts'),
    import('./redis/counters.ts'),
    import('./redis/rate-limits.ts'),
    import('./redis/presence.ts'),
    import('./redis/backlog-registry.ts'),
    import('./redis/anchor-key.ts'),
  ]);
  const { backend, readClock, hasRoom, problem, waiting, readsWaiting, place } = await openPostgres({
    url,
    ...options,
  });
  const counters = await openRedisCounters({
    url: where.redisUrl,
    prefix: where.redisPrefix,
    identityKey: options.identityKey,
    journal: backend,
    hasStored: () => hasScreenings(backend),
    isStored: (seq) => isInJournal(backend, seq),
    backlogRegistry: makeBacklogRegistry(backend),
    clock: options.clock,
    ...(options.redisTimeoutMs === undefined ? {} : { timeoutMs: options.redisTimeoutMs }),
    onError: options.onError,
    onRecovered: options.onRecovered,
    onWarning: options.onWarning,
  });
  // The records close last: the counters store there that Redis lacks entries.
  const close = async (): Promise<void> => {
    await counters.close();
    await backend.close();
  };
  const { stats } = counters;
  const gauges = [
    ...writeGauges(waiting, readsWaiting, problem),
    { name: 'portcullis_redis_up', help: 'Whether Redis answers.', read: () => Number(stats().isAvailable) },
    {
      name: 'portcullis_histories_whole',
      help: 'Whether the histories in Redis are complete; if not, run `portcullis rebuild`.',
      read: () => Number(stats().isComplete),
    },
    {
      name: 'portcullis_redis_may_evict',
      help: 'Whether the settings of Redis allow it to evict histories when its memory is full.',
      read: () => Number(stats().mayEvict),
    },
    {
      name: 'portcullis_screenings_without_histories',
      help: 'Screenings since the start that were decided without all histories.',
      read: () => stats().screeningsWithoutHistories,
    },
    ...damageGauges(stats),
  ];
  return {
    backend: { ...backend, close },
    search: backend,
    isCommittedInOrder: false,
    counters,
    limits: makeSharedRateLimits(counters.redis, where.redisPrefix),
    presence: makeSharedPresence(counters.redis, where.redisPrefix),
    readClock,
    hasRoom: () => hasRoom() && counters.isReady(),
    problem,
    place,
    connect: () => ({ url, ports: [] }),
    // The server reuses the space, or frees it when an operator runs VACUUM FULL.
    dropFormerContent: async () => true,
    anchorPlace: makeAnchorKey(counters.redis, where.redisPrefix),
    gauges,
  };
};

/** Opens the store for a serving process. */
export const openStore = async ({ dataDir, shared }: Where, options: StoreOptions): Promise<Store> =>
  shared === undefined ? openEmbedded(dataDir, options) : openShared(shared, options);

/** Opens the records without the counters, for a command that runs beside serving processes. */
export const openRecordStore = async ({ dataDir, shared }: Where): Promise<Backend & Pick<Store, 'connect'>> => {
  if (shared === undefined) return openSqliteRecords(dataDir);
  const url = shared.databaseUrl;
  const { migratePostgres, openPostgresRecords } = await import('./postgres/store.ts');
  await migratePostgres(url);
  return { ...(await openPostgresRecords({ url })), connect: () => ({ url, ports: [] }) };
};

/** Opens the place of the audit log's anchor, for a command that runs beside serving processes. */
export const openAnchorPlace = async ({
  dataDir,
  shared,
}: Where): Promise<AnchorPlace & { readonly close: () => void }> => {
  if (shared === undefined) return { ...makeAnchorFile(dataDir), close: () => {} };
  const [{ connectForCommand }, { makeAnchorKey }] = await Promise.all([
    import('./redis/client.ts'),
    import('./redis/anchor-key.ts'),
  ]);
  const redis = await connectForCommand(shared.redisUrl, `${shared.redisPrefix}:audit:{anchor}`);
  return { ...makeAnchorKey(redis, shared.redisPrefix), close: redis.close };
};

/** Opens the records for one task, before the store is opened for serving. */
export const withRecords = async <T>(
  { dataDir, shared }: Where,
  task: (records: Backend) => Promise<T>,
): Promise<T> => {
  const records = shared === undefined ? openSqliteDirect(dataDir) : await openRecordStore({ dataDir, shared });
  try {
    return await task(records);
  } finally {
    await records.close();
  }
};

/** Migrates the store. Returns the names of the migrations applied. */
export const migrateStore = async ({ dataDir, shared }: Where): Promise<string[]> => {
  if (shared === undefined) return migrateSqlite(dataDir);
  return (await import('./postgres/store.ts')).migratePostgres(shared.databaseUrl);
};

/** Rebuilds the histories in Redis from the journal. */
export const rebuildHistories = async (
  where: Where & { readonly shared: NonNullable<Where['shared']> },
  options: Pick<RebuildOptions, 'pause' | 'onWaiting' | 'onFolded' | 'onRestored'> & Pick<StoreOptions, 'identityKey'>,
): Promise<RebuildResult> => {
  const { redisUrl: url, redisPrefix: prefix } = where.shared;
  const { rebuildFromJournal } = await import('./redis/rebuild.ts');
  const backend = await openRecordStore(where);
  try {
    return await rebuildFromJournal({ backend, url, prefix, ...options });
  } finally {
    await backend.close();
  }
};
