import { randomBytes } from 'node:crypto';
import type { RedisClient } from './client.ts';
import { type Keys, MARKERS_IN_CLUSTER } from './keys.ts';

/**
 * Markers in Redis record whether the histories are complete. Every server holds at least one: a hash with a state, and
 * a heartbeat of each process. A server that lost its data comes back without the marker. A server restored from an
 * old copy comes back with old heartbeats. In both cases the state becomes lost, for every process, until a rebuild.
 */
export const STATE = 'state';
const COMPLETE = 'whole';
/** Different each time: a rebuild must not clear a loss that happened after it began. */
const newLossState = (lostAt: number): string => `lost ${lostAt} ${randomBytes(6).toString('base64url')}`;
/** When histories were first lost since they were complete; undefined for complete ones. */
export const lossTimeOf = (state: string): number | undefined =>
  state === COMPLETE ? undefined : Number(state.split(' ')[1] ?? 0);
const newHeartbeatField = (): string => `p ${randomBytes(6).toString('base64url')}`;
/**
 * A heartbeat may be older by this much without counting as a loss. An append-only file synced every second and a
 * failover each lose some seconds, which are not worth a rebuild.
 */
const TOLERATED_MS = 10_000;
const FORGOTTEN_AFTER_MS = 24 * 3_600_000;

interface DetectorState {
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly hasStored: () => Promise<boolean>;
  readonly clock: () => number;
  /** The field of our heartbeat. */
  readonly self: string;
  /** Our last heartbeat, by marker. */
  readonly heartbeats: Map<string, number>;
  /** The last state that we read, by marker. */
  readonly seen: Map<string, string | undefined>;
  /** Markers whose server was restored from an old copy, until their state is set to lost. */
  readonly rolledBack: Set<string>;
  hasChecked: boolean;
}

interface Marker {
  readonly key: string;
  readonly state: string | undefined;
}

const markersOf = ({ redis, keys }: DetectorState): string[] =>
  Array.from({ length: redis.isCluster() ? MARKERS_IN_CLUSTER : 1 }, (_, i) => keys.marker(i));
const setState = ({ redis }: DetectorState, key: string, state: string): Promise<unknown> =>
  redis.sendFor(key, (client) => client.hset(key, STATE, state));
/** Marks a loss. The time of an earlier loss stays: histories that began after it lack what came before. */
const setLost = async (detector: DetectorState, key: string): Promise<void> => {
  const before = await detector.redis.sendFor(key, (client) => client.hget(key, STATE));
  const lostAt = before === null ? undefined : lossTimeOf(before);
  await setState(detector, key, newLossState(lostAt ?? detector.clock()));
};
const setStateIfMissing = ({ redis }: DetectorState, key: string, state: string): Promise<unknown> =>
  redis.sendFor(key, (client) => client.hsetnx(key, STATE, state));

/** Reads a marker, and writes our heartbeat to it. */
const visit = async (detector: DetectorState, key: string): Promise<Marker> => {
  const { redis, self, heartbeats, seen, rolledBack } = detector;
  const now = detector.clock();
  const [fields] = await Promise.all([
    redis.sendFor(key, (client) => client.hgetall(key)),
    redis.sendFor(key, (client) => client.hset(key, self, String(now))),
  ]);
  const { [STATE]: state, [self]: before } = fields;
  // Another process has recorded this loss first. Recording it again would undo a rebuild that has begun since.
  const isRecorded = before === undefined && state !== undefined && state !== COMPLETE && state !== seen.get(key);
  // Without a state the marker is missing, and `check` records that. A second record would undo a rebuild in between.
  const isOlder = state !== undefined && (heartbeats.get(key) ?? 0) - Number(before ?? 0) > TOLERATED_MS;
  if (isOlder && !isRecorded) rolledBack.add(key);
  heartbeats.set(key, now);
  seen.set(key, state);
  const gone = Object.entries(fields).filter(
    ([field, at]) => field !== STATE && field !== self && now - Number(at) > FORGOTTEN_AFTER_MS,
  );
  if (gone.length > 0) await redis.sendFor(key, (client) => client.hdel(key, ...gone.map(([field]) => field)));
  return { key, state };
};

const check = async (detector: DetectorState): Promise<boolean> => {
  const { rolledBack } = detector;
  const markers = await Promise.all(markersOf(detector).map((key) => visit(detector, key)));
  const missing = markers.filter(({ state }) => state === undefined);
  // The first start on this store: nothing is stored, so nothing is lost.
  const isNew = !detector.hasChecked && missing.length === markers.length && !(await detector.hasStored());
  for (const { key } of missing)
    await setStateIfMissing(detector, key, isNew ? COMPLETE : newLossState(detector.clock()));
  detector.hasChecked = true;
  const wasRolledBack = rolledBack.size > 0;
  for (const key of rolledBack) {
    await setLost(detector, key);
    rolledBack.delete(key);
  }
  return isNew || (!wasRolledBack && markers.every(({ state }) => state === COMPLETE));
};

const readStates = async (detector: DetectorState): Promise<ReadonlyMap<string, string>> => {
  const states = new Map<string, string>();
  for (const key of markersOf(detector)) {
    await setStateIfMissing(detector, key, newLossState(detector.clock()));
    states.set(key, (await detector.redis.sendFor(key, (client) => client.hget(key, STATE))) ?? '');
  }
  return states;
};

const markCompleteIfUnchanged = async (
  { redis }: DetectorState,
  states: ReadonlyMap<string, string>,
): Promise<boolean> => {
  let changed = 0;
  for (const [key, state] of states) changed += Number(await redis.runScript('swap', [key], [STATE, state, COMPLETE]));
  return changed === states.size;
};

export const makeLossDetector = (
  redis: RedisClient,
  keys: Keys,
  hasStored: () => Promise<boolean>,
  clock: () => number = Date.now,
) => {
  const detector: DetectorState = {
    redis,
    keys,
    hasStored,
    clock,
    self: newHeartbeatField(),
    heartbeats: new Map(),
    seen: new Map(),
    rolledBack: new Set(),
    hasChecked: false,
  };
  return {
    /** Reads all markers, and sets those that are missing or wrong. Returns whether the histories are complete. */
    check: (): Promise<boolean> => check(detector),
    markLost: async (): Promise<void> => {
      for (const key of markersOf(detector)) await setLost(detector, key);
    },
    markComplete: async (): Promise<void> => {
      for (const key of markersOf(detector)) await setState(detector, key, COMPLETE);
    },
    /** The states of all markers, for a rebuild that hands them to `markCompleteIfUnchanged` when it is done. */
    readStates: (): Promise<ReadonlyMap<string, string>> => readStates(detector),
    /** Marks the histories as complete, unless another loss was recorded since. Returns whether they are complete. */
    markCompleteIfUnchanged: (states: ReadonlyMap<string, string>): Promise<boolean> =>
      markCompleteIfUnchanged(detector, states),
    /** Removes our heartbeats. */
    leave: async (): Promise<void> => {
      for (const key of detector.heartbeats.keys())
        await redis.sendFor(key, (client) => client.hdel(key, detector.self));
    },
  };
};
export type LossDetector = ReturnType<typeof makeLossDetector>;
