import { type Environment, type Permission, ROLE_PERMISSIONS } from '@portcullis/contract/values';
import { checkHost } from '../access/access.ts';
import { makeFailedKeys } from '../access/failed-keys.ts';
import { makeRateLimit } from '../access/rate-limit.ts';
import type { Backend, Statement } from '../backend/backend.ts';
import type { RateLimits } from '../backend/rate-limits.ts';
import { type Admission, type Caller, type Credentials, requirePermission } from '../http/caller.ts';
import { environmentIn, requireSameOrigin } from '../http/same-origin.ts';
import { isToken, sessionCookie, sessionTokenIn } from '../http/session-cookie.ts';
import { type NewId, withPrefix } from '../runtime/ids.ts';
import { ApiError } from '../validation/errors.ts';
import { rolesOf } from './person-resource.ts';
import { deleteSessionByHash, findSession, insertSession, type OpenSession, touchSession } from './session-store.ts';
import type { PersonRow } from './store.ts';
import { hashToken, newToken } from './token.ts';

/** A session ends after this time without a request. */
export const IDLE_MS = 12 * 3_600_000;
/** It ends this long after the sign-in in any case. */
export const LIFETIME_MS = 7 * 24 * 3_600_000;
/** How exactly the last use is stored. */
const TOUCH_MS = 5 * 60_000;
/** How long a session that was read is used. A session that another process ends keeps working this long. */
const CACHE_MS = 1000;
const MAX_CACHED = 10_000;
const MAX_AGENT = 200;
const NO_HEADERS: Admission['headers'] = {};

export interface SessionDeps {
  readonly backend: Backend;
  readonly limits: RateLimits;
  readonly clock: () => number;
  readonly newId: NewId;
  readonly hosts: Readonly<Record<Environment, string | undefined>>;
  readonly rateLimitPerMinute: number | undefined;
  readonly maxFailedKeysPerMinute: number;
  readonly tenantOf: (account: string, environment: Environment) => Promise<number>;
}

interface CachedSession {
  row: OpenSession;
  readonly readAt: number;
}

export const invalidSession = (): ApiError =>
  new ApiError('invalid_session', 'You are not signed in, or your session has ended. Sign in again.');

/** The token of the session cookie of a request. */
export const tokenOf = ({ headers, host }: Credentials): string | undefined =>
  headers.cookie === undefined ? undefined : sessionTokenIn(headers.cookie, host);

/** Opens, finds and ends the sessions of people. */
export const makeSessions = (deps: SessionDeps) => {
  const { backend, clock, newId, tenantOf } = deps;
  const limit = makeRateLimit(deps.limits, clock);
  const cache = new Map<string, CachedSession>();
  let cacheGeneration = 0;
  /**
   * Limits guesses of session tokens per client. Unlike API keys, valid sessions are not preloaded, so the set is empty.
   */
  const tryToken = makeFailedKeys({
    perMinute: deps.maxFailedKeysPerMinute,
    clock,
    readHashes: async () => new Set<string>(),
  });

  const read = async (hash: string): Promise<OpenSession> => {
    const startedAt = performance.now();
    const before = cacheGeneration;
    const row = await findSession(backend, hash);
    cache.delete(hash);
    if (row === undefined) throw invalidSession();
    if (cache.size >= MAX_CACHED) cache.clear();
    // The row may be from before the session ended. Later requests read it again.
    cache.set(hash, { row, readAt: cacheGeneration === before ? startedAt : Number.NEGATIVE_INFINITY });
    return row;
  };

  const find = async (token: string, { address }: Credentials): Promise<OpenSession> => {
    if (!isToken(token)) throw invalidSession();
    const hash = hashToken('session', token);
    const cached = cache.get(hash);
    if (cached === undefined)
      return tryToken({ address: address(), hashes: [hash], isGuessable: true, lookUp: () => read(hash) });
    return performance.now() - cached.readAt < CACHE_MS ? cached.row : read(hash);
  };

  /** Refuses a session after its end, and stores that it was used. */
  const use = async (row: OpenSession, token: string): Promise<void> => {
    const now = clock();
    if (now - row.session_used_at >= IDLE_MS || now - row.session_created_at >= LIFETIME_MS) throw invalidSession();
    if (now - row.session_used_at < TOUCH_MS) return;
    await backend.write([touchSession(row.session, now)]);
    const cached = cache.get(hashToken('session', token));
    if (cached !== undefined) cached.row = { ...row, session_used_at: now };
  };

  const callerOf = async (row: OpenSession, environment: Environment): Promise<Caller> => {
    const roles = rolesOf(row);
    const role = roles[environment];
    if (role === null) throw new ApiError('wrong_environment', `You have no role in ${environment}.`);
    const personId = withPrefix('person', row.id);
    return {
      keyId: personId,
      person: { personId: row.id, sessionId: row.session, email: row.email, roles },
      tenant: await tenantOf(row.account, environment),
      account: row.account,
      environment,
      role,
      permissions: ROLE_PERMISSIONS[role],
    };
  };

  /** Admits a request with a session. Without a permission, every person may make it. */
  const authenticate = async (credentials: Credentials, permission?: Permission): Promise<Admission> => {
    const token = tokenOf(credentials);
    if (token === undefined) throw invalidSession();
    const environment = environmentIn(credentials);
    if (credentials.method !== 'GET' && credentials.method !== 'HEAD') requireSameOrigin(credentials);
    const row = await find(token, credentials);
    await use(row, token);
    checkHost(deps.hosts, environment, credentials.host);
    const caller = await callerOf(row, environment);
    const { rateLimitPerMinute } = deps;
    const headers = rateLimitPerMinute === undefined ? NO_HEADERS : await limit(caller.keyId, rateLimitPerMinute);
    if (permission !== undefined) requirePermission(caller, permission);
    return { caller, headers };
  };

  /** Makes a session with a new token. It replaces the session of the request, whose token a stranger may have set. */
  const open = ({ id }: PersonRow, credentials: Credentials) => {
    const token = newToken();
    const now = clock();
    const session = newId();
    const old = tokenOf(credentials);
    const agent = credentials.headers['user-agent'];
    const statements: Statement[] = [
      ...(old === undefined ? [] : [deleteSessionByHash(hashToken('session', old))]),
      insertSession({
        id: session,
        hash: hashToken('session', token),
        person: id,
        address: credentials.address(),
        user_agent: agent === undefined ? null : agent.slice(0, MAX_AGENT),
        created_at: now,
        used_at: now,
      }),
    ];
    return { session, statements, cookie: sessionCookie(token, credentials.host, LIFETIME_MS / 1000) };
  };

  return {
    authenticate,
    open,
    /** The header that deletes the cookie. */
    noCookie: ({ host }: Credentials): string => sessionCookie('', host, 0),
    /** Invalidates the cache, so that a session ended in this process stops working at once. */
    forget: (): void => {
      cacheGeneration++;
      for (const [hash, { row }] of cache) cache.set(hash, { row, readAt: Number.NEGATIVE_INFINITY });
    },
  };
};
export type Sessions = ReturnType<typeof makeSessions>;
