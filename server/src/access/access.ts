import { timingSafeEqual } from 'node:crypto';
import { type Environment, type Permission, writeTimestamp } from '@portcullis/contract/values';
import { type Backend, Unavailable } from '../backend/backend.ts';
import type { RateLimits } from '../backend/rate-limits.ts';
import { STRONG_KEY } from '../config.ts';
import {
  type Admission,
  type Authenticator,
  type Caller,
  type Credentials,
  requirePermission,
} from '../http/caller.ts';
import { isInNetworks } from '../http/client-address.ts';
import type { Seal } from '../secrets/seal.ts';
import { ApiError } from '../validation/errors.ts';
import { makeFailedKeys } from './failed-keys.ts';
import { networksOf, permissionsOf } from './key-resource.ts';
import { makeRateLimit } from './rate-limit.ts';
import { activeHashes, type KeyRow, keyByHashes } from './store.ts';

export { hasTenants, ownerOf, PRODUCTION_TENANTS, TENANT_ENVIRONMENTS } from './store.ts';

/** A key as it was last read. */
interface CachedKey {
  readonly caller: Caller;
  readonly rateLimit: number | undefined;
  /** Epoch milliseconds; Infinity for a key without an end. */
  readonly expiresAt: number;
  /** Undefined for a key that works from every address. */
  readonly isAllowedFrom: ((address: string) => boolean) | undefined;
  readonly readAt: number;
}

/** How long a cached key is used. A key that another process revokes keeps working this long. */
const CACHE_MS = 1000;
/** How long a cached admin key reads `/metrics` while the store is unreachable. */
const MONITOR_CACHE_MS = 3_600_000;
const MAX_CACHED = 10_000;
const BEARER = /^Bearer +([\x21-\x7e]{1,512})$/i;
const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };
const NO_HEADERS: Readonly<Record<string, string>> = {};

export interface AccessDeps {
  readonly backend: Backend;
  readonly limits: RateLimits;
  readonly seal: Seal;
  readonly clock: () => number;
  /** Called about once a second while a key is used. */
  readonly onUse?: ((keyId: string) => void) | undefined;
  /** The host name of each environment, where it has its own. */
  readonly hosts: Readonly<Record<Environment, string | undefined>>;
  /** Limit of keys without one of their own. */
  readonly rateLimitPerMinute: number | undefined;
  /** Unknown keys that a client may try. */
  readonly maxFailedKeysPerMinute: number;
}

interface HashedHeader {
  readonly authorization: string;
  readonly hashes: readonly string[];
  /** The newest version of the data key when it was hashed. */
  readonly version: number;
}

interface State extends AccessDeps {
  readonly limit: ReturnType<typeof makeRateLimit>;
  readonly tryKey: ReturnType<typeof makeFailedKeys>;
  readonly hasHosts: boolean;
  readonly cache: Map<string, CachedKey>;
  /** How often every key had to be read again. */
  cacheGeneration: number;
  /** Reads of keys in progress. */
  readonly reads: Map<string, Promise<CachedKey>>;
  /** The last header of each connection with the hashes that its key may have. */
  readonly lastHashes: WeakMap<object, HashedHeader>;
}

const parseKey = (authorization: string | undefined): string => {
  const key = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (key !== undefined) return key;
  throw new ApiError('missing_api_key', 'Send your API key as "Authorization: Bearer sk_test_…".', {
    headers: CHALLENGE,
  });
};

/** Hashing is the most expensive step, and a connection sends the same header with every request: it is hashed once. */
const hashesOf = ({ lastHashes, seal }: State, { authorization, connection }: Credentials): readonly string[] => {
  const last = lastHashes.get(connection);
  const version = seal.newestVersion();
  if (last !== undefined && last.authorization === authorization && last.version === version) return last.hashes;
  const hashes = seal.keyHashes(parseKey(authorization));
  lastHashes.set(connection, { authorization: authorization as string, hashes, version });
  return hashes;
};
/** The name of a key in the cache. */
const nameOf = (hashes: readonly string[]): string => hashes[0] as string;

const cacheKey = (
  { cache, rateLimitPerMinute, onUse }: State,
  name: string,
  row: KeyRow,
  readAt: number,
): CachedKey => {
  if (cache.size >= MAX_CACHED) cache.clear();
  const { id: keyId, tenant, account, environment, role } = row;
  const networks = networksOf(row);
  const key: CachedKey = {
    caller: { keyId, tenant, account, environment, role, permissions: permissionsOf(row) },
    rateLimit: row.rate_limit_per_minute ?? rateLimitPerMinute,
    expiresAt: row.expires_at ?? Number.POSITIVE_INFINITY,
    isAllowedFrom: networks === null ? undefined : isInNetworks(networks),
    readAt,
  };
  cache.set(name, key);
  onUse?.(keyId);
  return key;
};

const readKey = async (state: State, hashes: readonly string[]): Promise<CachedKey> => {
  const startedAt = performance.now();
  const { cacheGeneration } = state;
  const row = await keyByHashes(state.backend, hashes);
  // The row may be from before a revocation. The requests that wait for it were sent before, later ones read it again.
  const readAt = state.cacheGeneration === cacheGeneration ? startedAt : Number.NEGATIVE_INFINITY;
  const isStored = (hash: string): boolean => timingSafeEqual(Buffer.from(row?.hash ?? ''), Buffer.from(hash));
  if (row !== undefined && hashes.some(isStored)) return cacheKey(state, nameOf(hashes), row, readAt);
  state.cache.delete(nameOf(hashes));
  throw new ApiError(
    'invalid_api_key',
    'This API key is unknown or was revoked. Check that it is complete and belongs to this service, or use another key.',
    { headers: CHALLENGE },
  );
};

/** Requests that arrive during a read share it: a slow store must not get one query for each of them. */
const readKeyOnce = (state: State, hashes: readonly string[]): Promise<CachedKey> => {
  const { reads } = state;
  const name = nameOf(hashes);
  let read = reads.get(name);
  if (read === undefined) {
    read = readKey(state, hashes).finally(() => reads.get(name) === read && reads.delete(name));
    reads.set(name, read);
  }
  return read;
};

/** Refuses a caller whose environment has another host name. */
export const checkHost = (hosts: AccessDeps['hosts'], environment: Environment, host: string | undefined): void => {
  const name = (host ?? '').replace(/:\d+$/, '').toLowerCase();
  const own = hosts[environment];
  const other = environment === 'sandbox' ? hosts.production : hosts.sandbox;
  if (own === undefined ? name !== other : name === own) return;
  throw new ApiError(
    'wrong_environment',
    `${environment === 'sandbox' ? 'The sandbox' : 'Production'} is not served under this host name${own === undefined ? '' : `. Call ${own}`}.`,
  );
};

const permit = (caller: Caller, permission: Permission, headers: Admission['headers']): Admission => {
  requirePermission(caller, permission);
  return { caller, headers };
};

/** Refuses a key after its end, and outside its networks. */
const checkLimits = ({ clock }: State, { expiresAt, isAllowedFrom }: CachedKey, { address }: Credentials): void => {
  if (expiresAt !== Number.POSITIVE_INFINITY && expiresAt <= clock())
    throw new ApiError(
      'expired_api_key',
      `This API key expired at ${writeTimestamp(expiresAt)}. Use its replacement, or create another key.`,
      { headers: CHALLENGE },
    );
  if (isAllowedFrom !== undefined && !isAllowedFrom(address()))
    throw new ApiError(
      'address_not_allowed',
      'This API key does not work from your address. Call from one of its allowed networks, or use another key.',
    );
};

/** Checks expiry and network, host name, rate limit and permission, in this order. */
const admit = (
  state: State,
  key: CachedKey,
  credentials: Credentials,
  permission: Permission,
): Admission | Promise<Admission> => {
  const { caller, rateLimit } = key;
  const { host } = credentials;
  checkLimits(state, key, credentials);
  if (state.hasHosts) checkHost(state.hosts, caller.environment, host);
  const headers = rateLimit === undefined ? NO_HEADERS : state.limit(caller.keyId, rateLimit);
  return headers instanceof Promise
    ? headers.then((later) => permit(caller, permission, later))
    : permit(caller, permission, headers);
};

const isYoungerThan = (key: CachedKey | undefined, ms: number): key is CachedKey =>
  key !== undefined && performance.now() - key.readAt < ms;

/** Reads a key that the process has not accepted before. A client may try only so many of them. */
const readUnknownKey = (
  state: State,
  hashes: readonly string[],
  { address, authorization }: Credentials,
): Promise<CachedKey> =>
  state.tryKey({
    address: address(),
    hashes,
    isGuessable: !STRONG_KEY.test(parseKey(authorization)),
    lookUp: () => readKeyOnce(state, hashes),
  });

/** Synchronous for a key used in the last second, which is nearly always. */
const authenticate = (
  state: State,
  credentials: Credentials,
  permission: Permission,
): Admission | Promise<Admission> => {
  const hashes = hashesOf(state, credentials);
  const cached = state.cache.get(nameOf(hashes));
  if (isYoungerThan(cached, CACHE_MS)) return admit(state, cached, credentials, permission);
  const key = cached === undefined ? readUnknownKey(state, hashes, credentials) : readKeyOnce(state, hashes);
  return key.then((found) => admit(state, found, credentials, permission));
};

/** Accepts an older cached key while the store is unreachable: the metrics must show the outage, not end with it. */
const authenticateMonitor = async (state: State, credentials: Credentials): Promise<Admission> => {
  try {
    return await authenticate(state, credentials, 'administer');
  } catch (error) {
    const cached = state.cache.get(nameOf(hashesOf(state, credentials)));
    if (!(error instanceof Unavailable && isYoungerThan(cached, MONITOR_CACHE_MS))) throw error;
    return admit(state, cached, credentials, 'administer');
  }
};

export interface Access extends Authenticator {
  /** Makes every key be read again. Call it when a key was revoked here, so that the key stops working at once. */
  readonly forget: () => void;
}

export const makeAccess = (deps: AccessDeps): Access => {
  const state: State = {
    ...deps,
    limit: makeRateLimit(deps.limits, deps.clock),
    tryKey: makeFailedKeys({
      perMinute: deps.maxFailedKeysPerMinute,
      clock: deps.clock,
      readHashes: () => activeHashes(deps.backend),
    }),
    hasHosts: deps.hosts.sandbox !== undefined || deps.hosts.production !== undefined,
    cache: new Map(),
    cacheGeneration: 0,
    reads: new Map(),
    lastHashes: new WeakMap(),
  };
  return {
    authenticate: (credentials, permission) => authenticate(state, credentials, permission),
    authenticateMonitor: (credentials) => authenticateMonitor(state, credentials),
    forget: () => {
      state.cacheGeneration++;
      // The keys stay known: the clients of an address that tried too many unknown keys can still use them.
      for (const [hash, key] of state.cache) state.cache.set(hash, { ...key, readAt: Number.NEGATIVE_INFINITY });
      state.reads.clear();
    },
  };
};
