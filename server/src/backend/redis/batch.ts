import {
  type Arena,
  activityOf,
  addHistory,
  type Facts,
  firstAt,
  forgetOlder,
  HISTORY_UNAVAILABLE,
  historyAt,
  kindIndex,
  makeArena,
  makeFacts,
  makeHistoryLocations,
  measure,
  newEntityGroup,
  observe,
} from '@portcullis/engine';
import type { PendingDecision } from '../counters.ts';
import type { RedisClient } from './client.ts';
import { type Completeness, isPartial } from './completeness.ts';
import { type Entity, entitiesOf, type MeasuredScreening, type PendingScreening, recordsOf } from './entities.ts';
import type { Keys } from './keys.ts';
import { STATE } from './loss-detector.ts';
import { activityByte, type Compaction, HEADER, isNewDay, RECORD_BYTES, readHistory } from './record.ts';
import { activityStep, type Step } from './updates.ts';
import type { UnsettledScreening, Watermarks } from './watermarks.ts';

/** Most screenings counted by one call. */
const MAX_SCREENINGS = 32;

/** Corrections of a batch's records that needed the facts, and the screenings they belong to. */
interface Corrections {
  readonly steps: Step[];
  readonly screenings: UnsettledScreening[];
}

export interface BatchHooks {
  /** Called before any screening of the batch is answered: the next screening must see a large payment as one. */
  readonly onCorrections: (corrections: Corrections) => void;
  readonly onDecided: (screening: PendingScreening, decided: PendingDecision, activity: number) => void;
  readonly onFailed: (screening: PendingScreening) => void;
  /** A screening was decided without all of its histories. */
  readonly onPartial: () => void;
  /** A value cannot be read. */
  readonly onDamaged: (key: string, value: Buffer) => void;
  readonly onLong: (key: string, compaction: Compaction) => void;
  /** For tests: compacts tails of other lengths. */
  readonly compactFrom?: () => number | undefined;
}

interface BatchParts {
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly watermarks: Watermarks;
  readonly completeness: Completeness;
}

interface BatchState extends BatchParts {
  readonly hooks: BatchHooks;
  // Reused by every batch: `decideAll` does not wait for anything.
  readonly arena: Arena;
  readonly facts: ReturnType<typeof makeFacts>;
  readonly locations: ReturnType<typeof makeHistoryLocations>;
  readonly pending: PendingScreening[];
  isScheduled: boolean;
  inFlight: number;
}

const readEntity = ({ arena, watermarks, hooks }: BatchState, entity: Entity): void => {
  const { key, kind, value } = entity;
  if (value === undefined) return;
  const onLong = (compaction: Compaction): void => hooks.onLong(key, compaction);
  try {
    entity.group =
      value === null ? 0 : readHistory(arena, kind, value, watermarks.isSettled, onLong, hooks.compactFrom?.());
    const { group, lostAt } = entity;
    entity.isPartial = isPartial(lostAt, group === 0 ? undefined : firstAt(arena, historyAt(arena, group, 0)));
  } catch {
    hooks.onDamaged(key, value as Buffer);
  }
};

/** Corrects a record that is a large payment, or renews the expiry of the key on its first screening of a day. */
const addCorrection = (
  { subject, seq, unsettled }: MeasuredScreening,
  entity: Entity,
  activity: number,
  isNew: boolean,
  corrections: Corrections,
): void => {
  const { key, kind, value, decided } = entity;
  if (!entity.isCounted || unsettled === undefined || (activity === subject.activity && !isNew)) return;
  const offset = (value?.length ?? HEADER) + decided * (RECORD_BYTES[kind] as number);
  corrections.steps.push([key, activityStep(kind, offset, isNew, seq, activityByte(subject, activity))]);
  if (corrections.screenings.at(-1) === unsettled) return;
  corrections.screenings.push(unsettled);
  unsettled.left++;
};

/** Adds a screening to the history in the arena, for the later screenings of the batch. */
const observeScreening = (arena: Arena, entity: Entity, { subject }: MeasuredScreening, activity: number): void => {
  entity.decided++;
  if (entity.decided === entity.screenings.length || entity.group === HISTORY_UNAVAILABLE) return;
  const group =
    entity.group === 0 ? addHistory(arena, newEntityGroup(arena), entity.kind, 0, 0, subject.at) : entity.group;
  entity.group = observe(arena, group, 0, entity.kind, subject, activity);
};

/** Fills the facts from the histories, then adds the screening to these. Returns the activity that it is counted as. */
const gather = (state: BatchState, screening: MeasuredScreening, corrections: Corrections): number => {
  const { arena, locations, facts, hooks } = state;
  const { subject, entities } = screening;
  locations.group.fill(0);
  for (const { kind, group } of entities) locations.group[kind] = group;
  measure(arena, locations, subject, facts);
  let isUnavailable = false;
  for (const { kind, group, lostAt, isPartial } of entities) {
    if (isPartial) forgetOlder(facts, kind, subject.at - (lostAt as number));
    isUnavailable ||= isPartial || group === HISTORY_UNAVAILABLE;
  }
  if (isUnavailable) hooks.onPartial();
  const activity = activityOf(subject, facts);
  for (const entity of entities) {
    const { kind, group } = entity;
    const isNew = group !== 0 && group !== HISTORY_UNAVAILABLE && isNewDay(arena, group, subject.at);
    if (kind === kindIndex.user) screening.isNewDay = isNew;
    addCorrection(screening, entity, activity, isNew, corrections);
    observeScreening(arena, entity, screening, activity);
  }
  return activity;
};

const decideOne = (state: BatchState, screening: PendingScreening, corrections: Corrections): void => {
  const { facts, hooks } = state;
  try {
    const activity = gather(state, screening, corrections);
    const decided = screening.decide(facts);
    hooks.onDecided(screening, decided, activity);
    screening.resolve(decided);
  } catch (error) {
    hooks.onFailed(screening);
    screening.reject(error);
  }
};

const decideAll = (state: BatchState, batch: readonly PendingScreening[], entities: readonly Entity[]): void => {
  state.arena.clear();
  for (const entity of entities) readEntity(state, entity);
  const corrections: Corrections = { steps: [], screenings: [] };
  for (const screening of batch) decideOne(state, screening, corrections);
  // Each value is a slice of a larger buffer, which must not stay in memory until the screenings are stored.
  for (const entity of entities) entity.value = undefined;
  if (corrections.steps.length > 0) state.hooks.onCorrections(corrections);
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
  const none: Corrections = { steps: [], screenings: [] };
  return batch.map((item) => {
    const activity = gather(state, item, none);
    item.decide(state.facts);
    return activity;
  });
};

/** Counts entities of one server and reads them together with its marker: a loss between the two would be missed. */
const fetchAll = async (state: BatchState, entities: readonly Entity[]): Promise<void> => {
  const { redis, watermarks, completeness } = state;
  const keys = [...entities.map(({ key }) => key), completeness.markerOf('')];
  const args = [recordsOf(entities, watermarks.writer()), STATE];
  const values = (await redis.runScript('count', keys, args)) as (Buffer | null)[];
  const lostAt = completeness.lossTime(values[entities.length]?.toString() ?? null);
  for (const [i, entity] of entities.entries()) {
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

const flush = (state: BatchState): void => {
  state.isScheduled = false;
  while (state.pending.length > 0) {
    const batch = state.pending.splice(0, MAX_SCREENINGS);
    countBatch(state, batch).catch((error: unknown) => {
      for (const { reject } of batch) reject(error);
    });
  }
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
    facts: makeFacts(),
    locations: makeHistoryLocations(),
    pending: [],
    isScheduled: false,
    inFlight: 0,
  };
  return {
    /** Counts a screening together with all others of this turn of the event loop. */
    add: (screening: PendingScreening): void => {
      state.pending.push(screening);
      if (state.isScheduled) return;
      state.isScheduled = true;
      setImmediate(flush, state);
    },
    decidePast: (batch: Parameters<typeof decidePast>[1]): Promise<number[]> => decidePast(state, batch),
    isIdle: (): boolean => state.pending.length === 0 && state.inFlight === 0,
    /** How many batches wait for Redis. */
    inFlight: (): number => state.inFlight,
  };
};
export type Batches = ReturnType<typeof makeBatches>;
