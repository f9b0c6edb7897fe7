import { ENVIRONMENTS, type Environment } from '@portcullis/contract/values';
import type { Actor, Audit } from '../audit/audit.ts';
import type { Backend, Statement } from '../backend/backend.ts';
import type { Note } from '../changes/changes.ts';
import { type NewId, withPrefix } from '../runtime/ids.ts';
import type { Log } from '../runtime/log.ts';
import type { Seal } from '../secrets/seal.ts';
import type { Passwords } from './passwords.ts';
import { rolesOf } from './person-resource.ts';
import type { Provider } from './provider.ts';
import type { Sessions } from './sessions.ts';
import type { PersonRow } from './store.ts';
import type { Throttle } from './throttle.ts';

export type TenantOf = (account: string, environment: Environment) => Promise<number>;

/** What signing in and changing oneself need. */
export interface PersonDeps {
  readonly backend: Backend;
  readonly audit: Audit;
  readonly note: Note;
  readonly log: Log;
  readonly seal: Seal;
  readonly newId: NewId;
  readonly clock: () => number;
  readonly tenantOf: TenantOf;
  readonly passwords: Passwords;
  readonly throttle: Throttle;
  readonly sessions: Sessions;
  /** Undefined without an identity provider. */
  readonly provider: Provider | undefined;
}

/** The person as an actor in each environment where they have a role. Both logs get the entry of a sign-in. */
export const actorsOf = async (tenantOf: TenantOf, person: PersonRow): Promise<[Actor, ...Actor[]]> => {
  const roles = rolesOf(person);
  const actors: Actor[] = [];
  for (const environment of ENVIRONMENTS) {
    const role = roles[environment];
    if (role === null) continue;
    const tenant = await tenantOf(person.account, environment);
    actors.push({ keyId: withPrefix('person', person.id), tenant, role });
  }
  return actors as [Actor, ...Actor[]];
};

/** Statements that make other processes read the sessions of the person again. */
export const noteOf = (note: Note, [{ tenant }]: readonly [Actor, ...Actor[]]): Statement[] => note(tenant, 'people');
