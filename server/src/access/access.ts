import { timingSafeEqual } from 'node:crypto';
import { type Environment, type Permission, ROLE_PERMISSIONS, type Role } from '@portcullis/contract';
import { type Backend, Unavailable } from '../backend/backend.ts';
import type { Limits } from '../backend/limits.ts';
import { ApiError } from '../http/errors.ts';
import { makeRateLimit } from './rate-limit.ts';
import type { Seal } from './seal.ts';
import { type KeyRow, keyByHash } from './store.ts';

/** Who calls: one key, and with it one account in one environment. */
export interface Caller {
  readonly keyId: string;
  /** One number for account and environment: every query is bound to it. */
  readonly tenant: number;
  readonly account: string;
  readonly environment: Environment;
  readonly role: Role;
}

export interface Admitted {
  readonly caller: Caller;
  readonly headers: Record<string, string>;
}

interface Known {
  readonly caller: Caller;
  readonly rateLimit: number | undefined;
  readonly readAt: number;
}

export interface Presented {
  readonly authorization: string | undefined;
  readonly host: string | undefined;
  /** The connection it came by. */
  readonly connection: object;
}

/** Another process may revoke a key: what was read is believed for so long. */
const BELIEVE_MS = 1000;
/** Where the store cannot be asked, whoever watches the service goes on watching for so long. */
const WATCH_MS = 3_600_000;
const MAX_KNOWN = 10_000;
const BEARER = /^Bearer +([\x21-\x7e]{1,512})$/i;
const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

const presentedKey = (authorization: string | undefined): string => {
  const key = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
  if (key === undefined) {
    throw new ApiError('missing_api_key', 'Send your API key as "Authorization: Bearer sk_test_…".', {
      headers: CHALLENGE,
    });
  }
  return key;
};

export const makeAccess = (deps: {
  backend: Backend;
  limits: Limits;
  seal: Seal;
  clock: () => number;
  hosts: Readonly<Record<Environment, string | undefined>>;
  rateLimitPerMinute: number | undefined;
}) => {
  const { backend, seal, clock, hosts } = deps;
  const limit = makeRateLimit(deps.limits, clock);
  const known = new Map<string, Known>();
  const bound = hosts.sandbox !== undefined || hosts.production !== undefined;

  const remember = (row: KeyRow): Known => {
    if (known.size >= MAX_KNOWN) known.clear();
    const found: Known = {
      caller: { keyId: row.id, tenant: row.tenant, account: row.account, environment: row.environment, role: row.role },
      rateLimit: row.rate_limit_per_minute ?? deps.rateLimitPerMinute,
      readAt: performance.now(),
    };
    known.set(row.hash, found);
    return found;
  };

  /** Whoever comes while it is read waits for the same: a store that is slow must not be asked once for every request. */
  const reading = new Map<string, Promise<Known>>();
  const readOnce = (hash: string): Promise<Known> => {
    let found = reading.get(hash);
    if (found === undefined) {
      found = read(hash).finally(() => reading.get(hash) === found && reading.delete(hash));
      reading.set(hash, found);
    }
    return found;
  };

  const read = async (hash: string): Promise<Known> => {
    const row = await keyByHash(backend, hash);
    if (row === undefined || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) {
      known.delete(hash);
      throw new ApiError('invalid_api_key', 'This API key is unknown or was revoked.', { headers: CHALLENGE });
    }
    return remember(row);
  };

  const checkHost = (environment: Environment, host: string | undefined): void => {
    const name = (host ?? '').replace(/:\d+$/, '').toLowerCase();
    const own = hosts[environment];
    const other = environment === 'sandbox' ? hosts.production : hosts.sandbox;
    if (own === undefined ? name !== other : name === own) return;
    throw new ApiError('wrong_environment', `This is a ${environment} key${own === undefined ? '' : `: call ${own}`}.`);
  };

  /** Hashing is the dearest part, and a connection sends the same header all the time. What it sent before tells nobody anything new. */
  const lastOf = new WeakMap<object, { readonly authorization: string; readonly hash: string }>();
  const hashOf = ({ authorization, connection }: Presented): string => {
    const last = lastOf.get(connection);
    if (last !== undefined && last.authorization === authorization) return last.hash;
    const hash = seal.hashKey(presentedKey(authorization));
    lastOf.set(connection, { authorization: authorization as string, hash });
    return hash;
  };

  const permit = (caller: Caller, permission: Permission, headers: Record<string, string>): Admitted => {
    if (!ROLE_PERMISSIONS[caller.role].includes(permission)) {
      throw new ApiError(
        'insufficient_scope',
        `A key of role ${caller.role} may not do this: it needs the permission ${permission}.`,
      );
    }
    return { caller, headers };
  };
  const admit = (found: Known, presented: Presented, permission: Permission): Admitted | Promise<Admitted> => {
    const { caller } = found;
    if (bound) checkHost(caller.environment, presented.host);
    const limited = found.rateLimit === undefined ? NONE : limit(caller.keyId, found.rateLimit);
    return limited instanceof Promise
      ? limited.then((headers) => permit(caller, permission, headers))
      : permit(caller, permission, limited);
  };

  const isYoung = (found: Known | undefined, ms: number): found is Known =>
    found !== undefined && performance.now() - found.readAt < ms;
  /** Answers at once for a key seen lately, which is nearly always. */
  const authenticate = (presented: Presented, permission: Permission): Admitted | Promise<Admitted> => {
    const hash = hashOf(presented);
    const found = known.get(hash);
    if (isYoung(found, BELIEVE_MS)) return admit(found, presented, permission);
    return readOnce(hash).then((fresh) => admit(fresh, presented, permission));
  };

  return {
    authenticate,
    /** For who looks at how the service is: what is wrong with a store that is away must not be hidden by its being away. */
    authenticateWatcher: async (presented: Presented): Promise<Admitted> => {
      try {
        return await authenticate(presented, 'administer');
      } catch (error) {
        const found = known.get(hashOf(presented));
        if (!(error instanceof Unavailable && isYoung(found, WATCH_MS))) throw error;
        return admit(found, presented, 'administer');
      }
    },
    /** To be called once a key is revoked here: it must not be believed for a moment longer. */
    forget: (): void => {
      known.clear();
      reading.clear();
    },
  };
};
const NONE: Record<string, string> = {};
export type Access = ReturnType<typeof makeAccess>;
