import type { Environment } from '@portcullis/contract/values';
import type { Audit } from '../audit/audit.ts';
import type { Backend } from '../backend/backend.ts';
import type { RateLimits } from '../backend/rate-limits.ts';
import type { Note } from '../changes/changes.ts';
import type { OidcSettings } from '../oidc-settings.ts';
import { idOf, type NewId, withPrefix } from '../runtime/ids.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Seal } from '../secrets/seal.ts';
import { sweepFailures } from './failure-store.ts';
import { sweepLinks } from './link-store.ts';
import { draftFirstLink } from './links.ts';
import { makePasswords } from './passwords.ts';
import type { PersonDeps } from './person-deps.ts';
import { normalizeEmail } from './person-resource.ts';
import { makeProvider } from './provider.ts';
import { sweepSessions } from './session-store.ts';
import { IDLE_MS, makeSessions } from './sessions.ts';
import { hasPeople, personByEmail, personById } from './store.ts';
import { FORGET_FAILURES_MS, makeThrottle } from './throttle.ts';

export { withSessions } from './authenticate.ts';

export interface PeopleDeps {
  readonly backend: Backend;
  readonly limits: RateLimits;
  readonly audit: Audit;
  readonly note: Note;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly seal: Seal;
  readonly newId: NewId;
  readonly clock: () => number;
  readonly config: {
    readonly hosts: Readonly<Record<Environment, string | undefined>>;
    readonly rateLimitPerMinute: number | undefined;
    readonly maxFailedKeysPerMinute: number;
    readonly oidc: OidcSettings | undefined;
  };
  /** The tenant number of an account in an environment, assigned at first use. */
  readonly tenantOf: (account: string, environment: Environment) => Promise<number>;
}

/** Tenant numbers never change, so each is read once. */
const remember = (tenantOf: PeopleDeps['tenantOf']): PeopleDeps['tenantOf'] => {
  const known = new Map<string, number>();
  return async (account, environment) => {
    const name = `${environment} ${account}`;
    const tenant = known.get(name) ?? (await tenantOf(account, environment));
    known.set(name, tenant);
    return tenant;
  };
};

/** People who sign in: their sessions, and everything that routes and commands need. */
export const makePeople = (deps: PeopleDeps) => {
  const { backend, clock, metrics, config } = deps;
  const tenantOf = remember(deps.tenantOf);
  const sessions = makeSessions({ ...deps, ...config, tenantOf });
  const personDeps: PersonDeps = {
    ...deps,
    tenantOf,
    sessions,
    passwords: makePasswords(() => metrics.passwordHashes.inc()),
    throttle: makeThrottle(backend, clock),
    provider: config.oidc && makeProvider(config.oidc, Object.values(config.hosts), deps.log),
  };
  return {
    deps: personDeps,
    sessions,
    hosts: { sandbox: config.hosts.sandbox ?? null, production: config.hosts.production ?? null },
    /** The path of a link for the first administrator; undefined once somebody can sign in. */
    firstLink: async (account: string): Promise<string | undefined> => {
      if (await hasPeople(backend)) return undefined;
      const { path, statements } = draftFirstLink(account, clock());
      await backend.write(statements);
      return path;
    },
    /** The e-mail addresses of those authors who are people of the account, by `person_…`. */
    namesOf: async (account: string, authors: readonly string[]): Promise<ReadonlyMap<string, string>> => {
      const ids = [...new Set(authors)].flatMap((author) => idOf('person', author) ?? []);
      const rows = await Promise.all(ids.map((id) => personById(backend, account, id)));
      return new Map(rows.flatMap((row) => (row === undefined ? [] : [[withPrefix('person', row.id), row.email]])));
    },
    /** The author `person_…` of an e-mail address; undefined if the account has nobody with it. */
    authorOf: async (account: string, email: string): Promise<string | undefined> => {
      const row = await personByEmail(backend, normalizeEmail(email));
      return row?.account === account ? withPrefix('person', row.id) : undefined;
    },
    sweeps: {
      sessions: (now: number, limit: number) => sweepSessions(backend, now - IDLE_MS, limit),
      sign_in_links: (now: number, limit: number) => sweepLinks(backend, now, limit),
      sign_in_failures: (now: number, limit: number) => sweepFailures(backend, now - FORGET_FAILURES_MS, limit),
    },
  };
};
export type People = ReturnType<typeof makePeople>;
