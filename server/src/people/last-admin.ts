import type { Environment } from '@portcullis/contract';
import type { Backend } from '../backend/backend.ts';
import type { Caller } from '../http/caller.ts';
import { ApiError } from '../validation/errors.ts';
import { rolesOf } from './person-resource.ts';
import { type PersonRow, peopleIn } from './store.ts';

/** An invited administrator who never signed in may never do so. */
const isActiveAdmin = (row: PersonRow, environment: Environment): boolean =>
  rolesOf(row)[environment] === 'admin' && row.signed_in_at !== null;

/** Every change of roles holds this lock: two requests at once must not remove each other's last administrator. */
export const withPeopleLock = <T>(backend: Backend, account: string, task: () => Promise<T>): Promise<T> =>
  backend.withLock(`people of ${account}`, task);

/** Refuses to take the role from the last active administrator of the environment. Nobody could sign in to give it again. */
export const requireOtherAdmin = async (
  backend: Backend,
  { tenant, account, environment }: Caller,
  before: PersonRow,
  after: PersonRow,
): Promise<void> => {
  if (!isActiveAdmin(before, environment) || isActiveAdmin(after, environment)) return;
  const people = await peopleIn(backend, tenant, account, environment);
  if (people.some((row) => row.id !== before.id && isActiveAdmin(row, environment))) return;
  throw new ApiError(
    'last_admin',
    `${before.email} is the last administrator of ${environment} who has signed in. Give another person the role admin, and let them sign in first.`,
  );
};
