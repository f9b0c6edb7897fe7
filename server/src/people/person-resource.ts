import type { Me, Person, Roles } from '@portcullis/contract';
import {
  ENVIRONMENTS,
  type Environment,
  type Permission,
  ROLE_PERMISSIONS,
  writeTimestamp,
} from '@portcullis/contract/values';
import type { Caller } from '../http/caller.ts';
import { withPrefix } from '../runtime/ids.ts';
import { ApiError } from '../validation/errors.ts';
import type { PersonRow } from './store.ts';

export const normalizeEmail = (email: string): string => email.normalize('NFKC').toLowerCase();

export const rolesOf = ({ sandbox_role, production_role }: PersonRow): Roles => ({
  sandbox: sandbox_role,
  production: production_role,
});

export const withRole = (row: PersonRow, environment: Environment, role: Person['role'] | null): PersonRow => ({
  ...row,
  [`${environment}_role`]: role,
});

/** The permissions of a role; none without one. */
export const permissionsIn = (roles: Roles, environment: Environment): readonly Permission[] => {
  const role = roles[environment];
  return role === null ? [] : ROLE_PERMISSIONS[role];
};

/** A person as seen in an environment where they have a role. */
export const toPerson = (row: PersonRow, environment: Environment): Person => ({
  person_id: withPrefix('person', row.id),
  email: row.email,
  name: row.name,
  role: rolesOf(row)[environment] as Person['role'],
  has_password: row.password !== null,
  has_sso: row.sso_issuer !== null,
  has_totp: row.totp_confirmed_at !== null,
  signed_in_at: row.signed_in_at === null ? null : writeTimestamp(row.signed_in_at),
  created_at: writeTimestamp(row.created_at),
});

export const toMe = (row: PersonRow, sessionId: string): Me => {
  const roles = rolesOf(row);
  return {
    person_id: withPrefix('person', row.id),
    email: row.email,
    name: row.name,
    account: row.account,
    roles,
    permissions: {
      sandbox: [...permissionsIn(roles, 'sandbox')],
      production: [...permissionsIn(roles, 'production')],
    },
    has_totp: row.totp_confirmed_at !== null,
    has_password: row.password !== null,
    session_id: withPrefix('session', sessionId),
  };
};

/**
 * Refuses a caller who does not administer every environment of the roles with at least their permissions. Otherwise an
 * administrator of the sandbox could take over an administrator of production.
 */
export const requireAuthority = (caller: Caller, roles: Roles): void => {
  for (const environment of ENVIRONMENTS) {
    if (roles[environment] === null) continue;
    const inOther = caller.person === undefined ? [] : permissionsIn(caller.person.roles, environment);
    const own = environment === caller.environment ? caller.permissions : inOther;
    const needed: readonly Permission[] = ['administer', ...permissionsIn(roles, environment)];
    const missing = [...new Set(needed)].filter((permission) => !own.includes(permission));
    if (missing.length > 0)
      throw new ApiError(
        'insufficient_scope',
        `This takes the permission to administer, and all permissions of the role, in ${environment}. You do not have there: ${missing.join(', ')}.`,
      );
  }
};
