import { clientNetwork } from '../http/client-address.ts';
import { ApiError } from '../validation/errors.ts';

const MINUTE_MS = 60_000;
/** Clients that are remembered. Beyond, the one whose last attempt is the oldest is forgotten. */
const MAX_CLIENTS = 10_000;
/** Unknown keys that are looked up at the same time, for all clients: each may take a connection to the database. */
const MAX_LOOKUPS = 64;
/** How long the list of all keys is used. A key that another process creates works after this time at the latest. */
const LIST_MS = 10_000;

const tooMany = (retryAfter: number): ApiError =>
  new ApiError(
    'rate_limited',
    `Too many requests with unknown API keys or sessions came from this address. Retry after ${retryAfter} second${retryAfter === 1 ? '' : 's'}.`,
    { headers: { 'Retry-After': String(retryAfter) } },
  );

export interface FailedKeysDeps {
  readonly perMinute: number;
  readonly clock: () => number;
  /** Reads the hashes of all keys that are not revoked. */
  readonly readHashes: () => Promise<ReadonlySet<string>>;
}

/** A token bucket per client. Returns the seconds until the next token; 0 if one was taken. */
const makeBuckets = (perMinute: number, clock: () => number) => {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    take: (client: string): number => {
      const now = clock();
      const bucket = buckets.get(client) ?? { left: perMinute, at: now };
      bucket.left = Math.min(perMinute, bucket.left + (Math.max(0, now - bucket.at) * perMinute) / MINUTE_MS);
      bucket.at = now;
      // Deleted and added, so that the first client of the map is the one whose last attempt is the oldest.
      buckets.delete(client);
      buckets.set(client, bucket);
      if (buckets.size > MAX_CLIENTS) buckets.delete(buckets.keys().next().value as string);
      if (bucket.left < 1) return Math.max(1, Math.ceil(((1 - bucket.left) * 60) / perMinute));
      bucket.left -= 1;
      return 0;
    },
    giveBack: (client: string): void => {
      const bucket = buckets.get(client);
      if (bucket !== undefined) bucket.left = Math.min(perMinute, bucket.left + 1);
    },
  };
};

/** The hashes of all keys, read again when they are old. Requests that arrive during a read share it. */
const makeKeyList = ({ clock, readHashes }: FailedKeysDeps) => {
  let list: { readonly hashes: Promise<ReadonlySet<string>>; readonly at: number } | undefined;
  return async (hashes: readonly string[]): Promise<boolean> => {
    const now = clock();
    if (list === undefined || Math.abs(now - list.at) > LIST_MS) list = { hashes: readHashes(), at: now };
    try {
      const listed = await list.hashes;
      return hashes.some((hash) => listed.has(hash));
    } catch (error) {
      list = undefined;
      throw error;
    }
  };
};

/** An unknown key that a client sent. */
export interface Attempt<T> {
  readonly address: string;
  /** Every hash that the key may have. */
  readonly hashes: readonly string[];
  /** Whether the key is short enough to be guessed. */
  readonly isGuessable: boolean;
  readonly lookUp: () => Promise<T>;
}

/**
 * Limits how many unknown keys a client may try. Beyond its limit, a key is compared with the list of all keys instead
 * of being looked up: wrong keys cost next to nothing, and a correct key works, even if its owner shares the address
 * with an attacker. A guessable key gets no such exception.
 */
export const makeFailedKeys = (deps: FailedKeysDeps) => {
  const buckets = makeBuckets(deps.perMinute, deps.clock);
  const isListed = makeKeyList(deps);
  let lookups = 0;
  return async <T>({ address, hashes, isGuessable, lookUp }: Attempt<T>): Promise<T> => {
    const client = clientNetwork(address);
    const retryAfter = lookups >= MAX_LOOKUPS ? 1 : buckets.take(client);
    if (retryAfter > 0) {
      if (isGuessable || !(await isListed(hashes))) throw tooMany(retryAfter);
      return lookUp();
    }
    lookups++;
    try {
      const found = await lookUp();
      buckets.giveBack(client);
      return found;
    } finally {
      lookups--;
    }
  };
};
