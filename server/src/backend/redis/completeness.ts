import type { RedisClient } from './client.ts';
import { type Keys, MARKERS_IN_CLUSTER } from './keys.ts';
import { lossTimeOf, STATE } from './loss-detector.ts';

/**
 * Tells for every batch whether histories were lost. The health check notices a loss seconds later: until then every
 * decision would take known users for new ones.
 */

/** Records of screenings from before a loss may reach Redis this long after it: processes had queued them. */
const LATE_MS = 3_600_000;

/** Whether a history that begins at `firstAt` may lack its older part. Without a history, `firstAt` is undefined. */
export const isPartial = (lostAt: number | undefined, firstAt: number | undefined): boolean =>
  lostAt !== undefined && (firstAt === undefined || firstAt >= lostAt - LATE_MS);

export interface Completeness {
  /** The marker of the server that holds a key, for a script that reads it together with the key. */
  readonly markerOf: (key: string) => string;
  /** When histories were lost, from the value of the marker; undefined where they are complete. */
  readonly lossTime: (state: string | null) => number | undefined;
  /** Reads the marker of the server that holds a key. */
  readonly readLossTime: (key: string) => Promise<number | undefined>;
}

export const makeCompleteness = (
  redis: RedisClient,
  keys: Keys,
  clock: () => number,
  onMissing: () => void,
): Completeness => {
  const markers = new Map<string, string>();
  const markerOf = (key: string): string => {
    if (!redis.isCluster()) return keys.marker(0);
    const server = redis.serverOf(key);
    const known = markers.get(server);
    if (known !== undefined && redis.serverOf(known) === server) return known;
    const all = Array.from({ length: MARKERS_IN_CLUSTER }, (_, i) => keys.marker(i));
    const marker = all.find((one) => redis.serverOf(one) === server) ?? keys.marker(0);
    markers.set(server, marker);
    return marker;
  };
  const lossTime = (state: string | null): number | undefined => {
    if (state === null) onMissing();
    return state === null ? clock() : lossTimeOf(state);
  };
  return {
    markerOf,
    lossTime,
    readLossTime: async (key) => {
      const marker = markerOf(key);
      return lossTime(await redis.sendFor(marker, (client) => client.hget(marker, STATE)));
    },
  };
};
