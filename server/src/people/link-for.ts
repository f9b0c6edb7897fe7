import type { PersonLink } from '@portcullis/contract';
import { ENVIRONMENTS, type Environment } from '@portcullis/contract/values';
import { type Audit, actor } from '../audit/audit.ts';
import type { Backend } from '../backend/backend.ts';
import { type NewId, withPrefix } from '../runtime/ids.ts';
import { draftLink } from './links.ts';
import { normalizeEmail, rolesOf } from './person-resource.ts';
import { allPeople, insertPerson, type PersonRow, personByEmail } from './store.ts';

interface CommandDeps {
  readonly backend: Backend;
  readonly audit: Pick<Audit, 'writeAll'>;
  readonly newId: NewId;
  readonly clock: () => number;
  readonly tenantOf: (account: string, environment: Environment) => Promise<number>;
}

export interface LinkFor {
  readonly email: string;
  readonly account: string;
  readonly name: string;
}

/**
 * Makes a link for a person of the account, for the command line. A person who does not exist is added as administrator
 * of both environments. Undefined for a person of another account.
 */
export const linkFor = async (
  { backend, audit, newId, clock, tenantOf }: CommandDeps,
  { email: sent, account, name }: LinkFor,
): Promise<{ link: PersonLink; isNew: boolean } | undefined> => {
  const email = normalizeEmail(sent);
  const now = clock();
  const known = await personByEmail(backend, email);
  if (known !== undefined && known.account !== account) return undefined;
  const person: PersonRow = known ?? {
    id: newId(),
    account,
    email,
    name,
    password: null,
    sandbox_role: 'admin',
    production_role: 'admin',
    created_at: now,
    signed_in_at: null,
    totp_confirmed_at: null,
    sso_issuer: null,
  };
  const { link, statements } = draftLink(person, now);
  const concerned = ENVIRONMENTS.filter((environment) => rolesOf(person)[environment] !== null);
  const actors = await Promise.all(
    concerned.map(async (environment) => actor('command_line', await tenantOf(account, environment))),
  );
  const change = {
    action: known === undefined ? 'person.added' : 'person.link_created',
    target: withPrefix('person', person.id),
    before: null,
    after: { email, roles: rolesOf(person), expires_at: link.expires_at },
  };
  const added = known === undefined ? [insertPerson(person)] : [];
  const { written } = await audit.writeAll(actors, change, [...added, ...statements]);
  // Another command added the same person first: it has a link from there, and gets another from here.
  return written
    ? { link, isNew: known === undefined }
    : linkFor({ backend, audit, newId, clock, tenantOf }, { email, account, name });
};

/** The people of all accounts, with their roles. */
export const listEverybody = async (backend: Backend) =>
  (await allPeople(backend)).map((row) => ({
    person_id: withPrefix('person', row.id),
    account: row.account,
    email: row.email,
    name: row.name,
    roles: rolesOf(row),
    has_password: row.password !== null,
  }));
