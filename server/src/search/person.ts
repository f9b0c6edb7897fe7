import { type IdentitiesOf, mailboxOf } from '@portcullis/engine';
import type { Backend } from '../backend/backend.ts';
import { hasLaterScreening } from '../backend/journal-follow.ts';
import { isWithin, itemsOf } from './person-store.ts';
import { readPositions, type SearchReader } from './query-store.ts';
import { entityTerm } from './terms.ts';

/** A person by the user id or the e-mail address, or both. */
export interface PersonName {
  readonly user_id?: string | undefined;
  readonly email?: string | undefined;
}

interface PersonSearchDeps {
  readonly backend: Backend;
  readonly search: SearchReader;
  readonly isCommittedInOrder: boolean;
  readonly identities: IdentitiesOf;
}

/** Finds the items of a person, for other capabilities. */
export const makePersonSearch = ({ backend, search, isCommittedInOrder, identities }: PersonSearchDeps) => {
  const userTerm = (tenant: number, userId: string): number => entityTerm(identities, tenant, 'user', userId);
  const emailTerm = (tenant: number, email: string): number =>
    entityTerm(identities, tenant, 'email', mailboxOf(email.toLowerCase()));
  return {
    /** Whether every stored screening numbered up to `through` can be found. */
    isCompleteThrough: async (tenant: number, through: number): Promise<boolean> => {
      const position = (await readPositions(search, tenant)).find(({ part }) => part === 'screenings');
      if (position === undefined || (position.follows === 0 && !isCommittedInOrder)) return false;
      return !(await hasLaterScreening(backend, position, through));
    },
    /** The numbers of a page of items. Another person may have the same number of a name: compare the names. */
    items: (
      tenant: number,
      { user_id, email }: PersonName,
      after: number,
      through: number,
      limit: number,
    ): Promise<number[]> => {
      const terms = [
        ...(user_id === undefined ? [] : [userTerm(tenant, user_id)]),
        ...(email === undefined ? [] : [emailTerm(tenant, email)]),
      ];
      return itemsOf(search, tenant, terms, after, through, limit);
    },
    /** Whether every item of a user up to `through` has the e-mail address. */
    isUserOf: (tenant: number, userId: string, email: string, through: number): Promise<boolean> =>
      isWithin(search, tenant, userTerm(tenant, userId), emailTerm(tenant, email), through),
  };
};
export type PersonSearch = ReturnType<typeof makePersonSearch>;
