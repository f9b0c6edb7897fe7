import { type Facts, makeArena, makeFacts, makeHistoryLocations } from '@portcullis/engine';
import { gatherTurn } from '../../runtime/gather-turn.ts';
import type { RedisClient } from './client.ts';
import type { Completeness } from './completeness.ts';
import { type Entity, entitiesOf, type MeasuredScreening, type PendingScreening, recordsOf } from './entities.ts';
import { type Corrections, type GatherHooks, type GatherState, gather, noCorrections, readEntity } from './gather.ts';
import type { Keys } from './keys.ts';
import { STATE } from './loss-detector.ts';
import type { Step } from './updates.ts';
import type { Watermarks } from './watermarks.ts';

/** Most screenings counted by one call. */
const MAX_SCREENINGS = 32;

export interface BatchHooks extends GatherHooks {
  /** Called before any screening of the batch is answered: the next screening must see a large payment as one. */
  readonly onCorrections: (corrections: Corrections) => void;
  readonly onRenewals: (steps: readonly Step[]) => void;
  /** Called before the screening is decided, with the activity that it is counted as. */
  readonly onGathered: (screening: PendingScreening, activity: number) => void;
  readonly onFailed: (screening: PendingScreening) => void;
}

interface BatchParts {
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly watermarks: Watermarks;
  readonly completeness: Completeness;
}

interface BatchState extends BatchParts, GatherState {
  readonly hooks: BatchHooks;
  /** Reused by every batch: `decideAll` does not wait for anything. */
  readonly facts: readonly Facts[];
  /** Screenings that wait for the end of this turn of the event loop. */
  gathering: number;
  inFlight: number;
}

const decideAll = (state: BatchState, batch: readonly PendingScreening[], entities: readonly Entity[]): void => {
  const { arena, facts, hooks } = state;
  arena.clear();
  for (const entity of entities) readEntity(state, entity);
  const corrections = noCorrections();
  const gathered: { readonly screening: PendingScreening; readonly facts: Facts }[] = [];
  for (const screening of batch) {
    const measured = { screening, facts: facts[gathered.length] as Facts };
    try {
      hooks.onGathered(screening, gather(state, screening, measured.facts, corrections));
      gathered.push(measured);
    } catch (error) {
      hooks.onFailed(screening);
      screening.fail(screening.counted, error);
    }
  }
  // Before the writes start: nothing may fail the batch after that.
  if (corrections.steps.length > 0) hooks.onCorrections(corrections);
  if (corrections.renewals.length > 0) hooks.onRenewals(corrections.renewals);
  for (const [decide, some] of Map.groupBy(gathered, ({ screening }) => screening.decide))
    decide(
      some.map(({ screening }) => screening.counted),
      some.map(({ facts }) => facts),
    );
  // Each value is a slice of a larger buffer, which must not stay in memory until the screenings are stored.
  for (const entity of entities) entity.value = undefined;
};

/** Reads entities without counting anything. Throws where a value cannot be read: an import can wait. */
const readValues = async ({ redis, completeness }: BatchState, entities: readonly Entity[]): Promise<void> => {
  const lossTimes = new Map<string, Promise<number | undefined>>();
  await Promise.all(
    entities.map(async (entity) => {
      const { key } = entity;
      const value = redis.sendFor(key, (client) => client.getBuffer(key));
      const marker = completeness.markerOf(key);
      const lossTime = lossTimes.get(marker) ?? completeness.readLossTime(key);
      lossTimes.set(marker, lossTime);
      [entity.value, entity.lostAt] = await Promise.all([value, lossTime]);
    }),
  );
};

/** Decides imported items, which are counted once they are stored. Returns their activities. */
const decidePast = async (
  state: BatchState,
  batch: readonly (MeasuredScreening & { readonly decide: (facts: Facts) => unknown })[],
): Promise<number[]> => {
  const entities = entitiesOf(batch, state.keys);
  await readValues(state, entities);
  state.arena.clear();
  for (const entity of entities) readEntity(state, entity);
  // Nothing has been counted that could be corrected.
  const none = noCorrections();
  return batch.map((item) => {
    const [facts] = state.facts as [Facts];
    const activity = gather(state, item, facts, none);
    item.decide(facts);
    return activity;
  });
};

/** Counts entities of one server and reads them together with its marker: a loss between the two would be missed. */
const fetchAll = async (state: BatchState, entities: readonly Entity[]): Promise<void> => {
  const { redis, watermarks, completeness } = state;
  const keys = entities.map(({ key }) => key);
  keys.push(completeness.markerOf(''));
  const args = [recordsOf(entities, watermarks.writer()), STATE];
  const values = (await redis.runScript('count', keys, args)) as (Buffer | null)[];
  const lostAt = completeness.lossTime(values[entities.length]?.toString() ?? null);
  for (let i = 0; i < entities.length; i++) {
    const entity = entities[i] as Entity;
    entity.value = values[i] ?? null;
    entity.isCounted = true;
    entity.lostAt = lostAt;
  }
};

/** Counts and reads one entity of a cluster. Its server's marker is in another slot, so another command reads it. */
const fetchOne = async (
  { redis, watermarks }: BatchState,
  entity: Entity,
  lossTime: Promise<number | undefined>,
): Promise<void> => {
  const values = (await redis.runScript(
    'count',
    [entity.key],
    [recordsOf([entity], watermarks.writer()), ''],
  )) as (Buffer | null)[];
  entity.isCounted = true;
  entity.lostAt = await lossTime;
  entity.value = values[0] ?? null;
};

const fetchFromCluster = async (state: BatchState, entities: readonly Entity[]): Promise<void> => {
  const { redis, completeness } = state;
  const byServer = Map.groupBy(entities, ({ key }) => redis.serverOf(key));
  const all = [...byServer.values()].flatMap((ofServer) => {
    const lossTime = Promise.withResolvers<number | undefined>();
    lossTime.promise.catch(() => {});
    const fetched = ofServer.map((entity) => fetchOne(state, entity, lossTime.promise));
    // Sent after the calls above over the same connection, so it reports a loss that happened before them.
    completeness.readLossTime((ofServer[0] as Entity).key).then(lossTime.resolve, lossTime.reject);
    return fetched;
  });
  await Promise.allSettled(all);
};

/** Counts and reads entities. After an error their values stay undefined: the client has reported it. */
const fetchValues = async (state: BatchState, entities: readonly Entity[]): Promise<void> => {
  if (state.redis.isCluster()) await fetchFromCluster(state, entities);
  else if (entities.length > 0) await fetchAll(state, entities).catch(() => {});
};

const countBatch = async (state: BatchState, batch: readonly PendingScreening[]): Promise<void> => {
  const { redis, watermarks } = state;
  const entities = entitiesOf(batch, state.keys);
  const reachable = entities.filter(({ key }) => redis.canReach(key));
  for (const entity of reachable) entity.wasSent = true;
  // Only screenings that append a record need a watermark.
  for (const screening of batch)
    if (screening.entities.some(({ wasSent }) => wasSent)) screening.unsettled = watermarks.begin(screening.seq);
  state.inFlight++;
  watermarks.publishIfDue();
  await fetchValues(state, reachable);
  state.inFlight--;
  decideAll(state, batch, entities);
};

const countAll = (state: BatchState, screenings: readonly PendingScreening[]): void => {
  for (let from = 0; from < screenings.length; from += MAX_SCREENINGS) {
    const batch = screenings.slice(from, from + MAX_SCREENINGS);
    countBatch(state, batch).catch((error: unknown) => {
      for (const { counted, fail } of batch) fail(counted, error);
    });
  }
  state.gathering = 0;
};

/**
 * Counts screenings that arrive together in one call, which reads their histories and appends their records in one
 * step.
 */
export const makeBatches = (parts: BatchParts, hooks: BatchHooks) => {
  const state: BatchState = {
    ...parts,
    hooks,
    arena: makeArena(2 ** 14),
    facts: Array.from({ length: MAX_SCREENINGS }, makeFacts),
    locations: makeHistoryLocations(),
    gathering: 0,
    inFlight: 0,
  };
  const join = gatherTurn<PendingScreening>((screenings) => countAll(state, screenings));
  return {
    /** Counts screenings together with all others of this turn of the event loop. */
    add: (screening: PendingScreening): void => {
      state.gathering++;
      join(screening);
    },
    decidePast: (batch: Parameters<typeof decidePast>[1]): Promise<number[]> => decidePast(state, batch),
    isIdle: (): boolean => state.gathering === 0 && state.inFlight === 0,
    /** How many batches wait for Redis. */
    inFlight: (): number => state.inFlight,
  };
};
export type Batches = ReturnType<typeof makeBatches>;
