import { AccountSettings, AccountSettingsChange } from './account-settings.ts';
import { type Operation, operation } from './operation.ts';
import { MAX_PEOPLE, NewPerson, Person, PersonChange, PersonLink, PersonList, PersonRequest } from './person.ts';

const params = { person_id: 'Returned when the person was added, or by the list.' };

/** Operations on the people of an account who have a role in the environment of the request. */
export const peopleOperations = {
  listPeople: operation({
    method: 'GET',
    path: '/v1/people',
    tag: 'People',
    summary: 'List people',
    description: 'Lists the people who have a role in this environment.',
    permission: 'administer',
    status: 200,
    response: PersonList,
  }),
  addPerson: operation({
    method: 'POST',
    path: '/v1/people',
    tag: 'People',
    summary: 'Add a person',
    description: `Invites a new person: the link is returned only in this response. A person of the account who has a role in the other environment gets one here, and keeps the name. Nobody can give a role with permissions that they do not have. An account may have ${MAX_PEOPLE} people in an environment.`,
    permission: 'administer',
    body: PersonRequest,
    status: 201,
    response: NewPerson,
    errors: ['person_exists', 'limit_reached'],
  }),
  changePerson: operation({
    method: 'PUT',
    path: '/v1/people/{person_id}',
    tag: 'People',
    summary: 'Change a person',
    description:
      'Omitted fields keep their value. A new role ends every session of the person. The last administrator who has signed in keeps the role.',
    permission: 'administer',
    params,
    body: PersonChange,
    status: 200,
    response: Person,
    errors: ['not_found', 'last_admin'],
  }),
  removePerson: operation({
    method: 'DELETE',
    path: '/v1/people/{person_id}',
    tag: 'People',
    summary: 'Remove a person',
    description:
      'Removes the role in this environment and ends every session of the person. A person without a role in the other environment is deleted. The last administrator who has signed in stays.',
    permission: 'administer',
    params,
    status: 204,
    errors: ['not_found', 'last_admin'],
  }),
  removePersonTotp: operation({
    method: 'DELETE',
    path: '/v1/people/{person_id}/totp',
    tag: 'People',
    summary: "Turn a person's second factor off",
    description:
      'For a person who lost the app and the recovery codes. Ends every session of the person, who then signs in with the password alone. It takes the permissions that the person has, also in the other environment. Your own is removed with a code, at `/v1/me/totp`.',
    permission: 'administer',
    params,
    status: 204,
    errors: ['not_found'],
  }),
  createPersonLink: operation({
    method: 'POST',
    path: '/v1/people/{person_id}/link',
    tag: 'People',
    summary: 'Create a link to set a password',
    description:
      'For an invitation that expired or a forgotten password. The link works once, for 24 hours, and replaces earlier ones. It takes the permissions that the person has, also in the other environment.',
    permission: 'administer',
    params,
    status: 201,
    response: PersonLink,
    errors: ['not_found'],
  }),
  getSettings: operation({
    method: 'GET',
    path: '/v1/settings',
    tag: 'Settings',
    summary: 'Get the settings of the account',
    description: 'Each environment has its own.',
    permission: 'read',
    status: 200,
    response: AccountSettings,
  }),
  changeSettings: operation({
    method: 'PUT',
    path: '/v1/settings',
    tag: 'Settings',
    summary: 'Change the settings of the account',
    description: 'Omitted fields keep their value. Applies to every request that starts after the response.',
    permission: 'administer',
    body: AccountSettingsChange,
    status: 200,
    response: AccountSettings,
  }),
} satisfies Record<string, Operation>;
