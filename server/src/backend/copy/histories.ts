import { connectRedis, type RedisClient } from '../redis/client.ts';
import { type Keys, makeKeys } from '../redis/keys.ts';
import { makeLossDetector } from '../redis/loss-detector.ts';
import { encodeSeq, HEADER } from '../redis/record.ts';
import { countGroups, type HistoryItem, readHistoryItems } from './history-items.ts';
import type { OnProgress } from './records.ts';
import { CopyFailed, CopyRefused, type Source } from './source.ts';

/** Copies histories and profiles from the embedded store into Redis. */

const BATCH = 500;
const TIMEOUT_MS = 10_000;

export interface HistoriesOptions {
  readonly url: string;
  readonly prefix: string;
  readonly source: Source;
}

interface TargetState {
  readonly source: Source;
  readonly redis: RedisClient;
  readonly keys: Keys;
  readonly prefix: string;
  /** The key with the id of the store that is being copied. */
  readonly marker: string;
}

const refuseUnlessEmpty = async ({ redis, source, prefix, marker }: TargetState): Promise<void> => {
  if ((await redis.send((client) => client.get(marker))) === source.id) return;
  for await (const found of redis.scan(`${prefix}:*`))
    if (found.length > 0)
      throw new CopyRefused(
        `Redis already has keys that begin with ${prefix}:. Choose another prefix with ?prefix=, or an empty Redis. Nothing was changed.`,
      );
};

/** Reads the value back, because an acknowledgement does not prove that the right value is stored. */
const put = async ({ redis, keys, source }: TargetState, { key, base, size }: HistoryItem): Promise<void> => {
  const staged = keys.staging('copy', key);
  await redis.send((client) => client.set(staged, base));
  await redis.runScript('restore', [key, staged], [encodeSeq(source.newestSeq), String(size), '1']);
  const value = await redis.send((client) => client.getBuffer(key));
  if (value === null || !value.subarray(HEADER).equals(base))
    throw new CopyFailed('a history in Redis differs from its copy; make sure that no other process uses this prefix');
};

/** How many histories and profiles were copied, and how many rows were damaged and left out. */
export interface CopiedHistories {
  readonly copied: number;
  readonly damaged: number;
}
const copyHistories = async (state: TargetState, onProgress: OnProgress): Promise<CopiedHistories> => {
  const { redis, source, keys, marker } = state;
  const total = countGroups(source);
  let copied = 0;
  let groups = 0;
  let damaged = 0;
  let pending: HistoryItem[] = [];
  const putPending = async (): Promise<void> => {
    await Promise.all(pending.map((item) => put(state, item)));
    copied += pending.length;
    pending = [];
    onProgress('histories', groups, total);
  };
  await redis.send((client) => client.set(marker, source.id));
  for (const items of readHistoryItems(source, keys)) {
    if (items === undefined) damaged++;
    else pending.push(...items);
    groups++;
    if (pending.length >= BATCH) await putPending();
  }
  await putPending();
  return { copied, damaged };
};

/** Opens the Redis prefix to copy into. It must be empty, or hold an unfinished copy of the same store. */
export const openHistories = async ({ url, prefix, source }: HistoriesOptions) => {
  const keys = makeKeys(prefix);
  let unavailable: string | undefined;
  const redis = await connectRedis({
    url,
    key: keys.marker(0),
    timeoutMs: TIMEOUT_MS,
    onUnavailable: (reason: string): void => {
      unavailable = reason;
    },
    onAvailable: (): void => {},
    onRejected: (): void => {},
  });
  const state: TargetState = { source, redis, keys, prefix, marker: `${prefix}:copy` };
  try {
    if (unavailable !== undefined) throw new CopyFailed(`--redis: Redis does not answer: ${unavailable}`);
    await refuseUnlessEmpty(state);
  } catch (error) {
    redis.close();
    throw error;
  }
  return {
    copy: (onProgress: OnProgress): Promise<CopiedHistories> => copyHistories(state, onProgress),
    /** Marks the histories in Redis as complete. */
    finish: () => makeLossDetector(redis, keys, async () => true).markComplete(),
    /** Called last: until then the same copy can be repeated. */
    unmark: () => redis.send((client) => client.del(state.marker)),
    close: (): void => redis.close(),
  };
};
