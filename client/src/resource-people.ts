// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions, PostOptions } from './call.ts';

import type { NewPerson, Person, PersonChange, PersonLink, PersonList, PersonRequest } from './types.ts';

export const makePeople = (call: Call) => ({
  /**
   * List people.
   *
   * Lists the people who have a role in this environment.
   *
   * Requires the permission `administer`.
   */
  list: (options?: CallOptions): Promise<PersonList> => call<PersonList>('GET', '/v1/people', {}, options),

  /**
   * Add a person.
   *
   * Invites a new person: the link is returned only in this response. A person of the account who has a role in the other environment gets one here, and keeps the name. Nobody can give a role with permissions that they do not have. An account may have 500 people in an environment.
   *
   * Requires the permission `administer`. Specific errors: `person_exists`, `limit_reached`.
   */
  addPerson: (body: PersonRequest, options?: PostOptions): Promise<NewPerson> =>
    call<NewPerson>('POST', '/v1/people', { body }, options),

  /**
   * Change a person.
   *
   * Omitted fields keep their value. A new role ends every session of the person. The last administrator who has signed in keeps the role.
   *
   * Requires the permission `administer`. Specific errors: `not_found`, `last_admin`.
   */
  changePerson: (person_id: string, body: PersonChange, options?: CallOptions): Promise<Person> =>
    call<Person>('PUT', '/v1/people/{person_id}', { params: { person_id }, body }, options),

  /**
   * Remove a person.
   *
   * Removes the role in this environment and ends every session of the person. A person without a role in the other environment is deleted. The last administrator who has signed in stays.
   *
   * Requires the permission `administer`. Specific errors: `not_found`, `last_admin`.
   */
  removePerson: (person_id: string, options?: CallOptions): Promise<void> =>
    call<void>('DELETE', '/v1/people/{person_id}', { params: { person_id } }, options),

  /**
   * Turn a person's second factor off.
   *
   * For a person who lost the app and the recovery codes. Ends every session of the person, who then signs in with the password alone. It takes the permissions that the person has, also in the other environment. Your own is removed with a code, at `/v1/me/totp`.
   *
   * Requires the permission `administer`. Specific errors: `not_found`.
   */
  removePersonTotp: (person_id: string, options?: CallOptions): Promise<void> =>
    call<void>('DELETE', '/v1/people/{person_id}/totp', { params: { person_id } }, options),

  /**
   * Create a link to set a password.
   *
   * For an invitation that expired or a forgotten password. The link works once, for 24 hours, and replaces earlier ones. It takes the permissions that the person has, also in the other environment.
   *
   * Requires the permission `administer`. Specific errors: `not_found`.
   */
  createPersonLink: (person_id: string, options?: PostOptions): Promise<PersonLink> =>
    call<PersonLink>('POST', '/v1/people/{person_id}/link', { params: { person_id } }, options),
});
