import { MAX_PEOPLE, type NewPerson, type PersonLink, type PersonList, type Roles } from '@portcullis/contract';
import type { Statement } from '../backend/backend.ts';
import type { Caller } from '../http/caller.ts';
import type { Answer, Call, CallWith, ReplayCheck } from '../http/route.ts';
import { idOf, withPrefix } from '../runtime/ids.ts';
import { ApiError, notFound } from '../validation/errors.ts';
import { deletePrivateViews } from '../views/erase.ts';
import { deleteLinksOf } from './link-store.ts';
import { draftLink } from './links.ts';
import type { PersonDeps } from './person-deps.ts';
import { normalizeEmail, requireAuthority, rolesOf, toPerson, withRole } from './person-resource.ts';
import { deleteSessionsOf } from './session-store.ts';
import {
  deletePerson,
  insertPerson,
  type PersonRow,
  peopleIn,
  personByEmail,
  personById,
  updatePerson,
} from './store.ts';
import { deleteRecoveryCodes } from './totp-store.ts';
import { personExists } from './use-link.ts';

const NO_ROLES: Roles = { sandbox: null, production: null };

/** The roles of a person in the environment of the caller alone. */
const rolesHere = ({ environment }: Caller, row: PersonRow): Roles => ({
  ...NO_ROLES,
  [environment]: rolesOf(row)[environment],
});

/** A person with a role in the environment of the caller. Others are not found there. */
const requirePerson = async ({ backend }: PersonDeps, caller: Caller, personId: string): Promise<PersonRow> => {
  const id = idOf('person', personId);
  const row = id === undefined ? undefined : await personById(backend, caller.account, id);
  if (row === undefined || rolesOf(row)[caller.environment] === null) throw notFound('person');
  return row;
};

/** Writes a change of a person with its audit entry. Returns false if the person changed since it was read. */
const record = async (
  { audit, note, sessions }: PersonDeps,
  caller: Caller,
  action: string,
  { before, after }: { readonly before?: PersonRow; readonly after?: PersonRow },
  unit: readonly Statement[],
): Promise<boolean> => {
  const audited = (row: PersonRow | undefined) =>
    row === undefined || rolesOf(row)[caller.environment] === null ? null : toPerson(row, caller.environment);
  const target = withPrefix('person', ((after ?? before) as PersonRow).id);
  const change = { action, target, before: audited(before), after: audited(after) };
  const { written } = await audit.write(caller, change, [...unit, ...note(caller.tenant, 'people')]);
  sessions.forget();
  return written;
};

export const listPeople = async ({ backend }: PersonDeps, call: Call<'listPeople'>): Promise<Answer> => {
  const { tenant, account, environment } = call.caller;
  const rows = await peopleIn(backend, tenant, account, environment);
  const list: PersonList = { people: rows.map((row) => toPerson(row, environment)) };
  return call.answer(list);
};

export const addPerson = (deps: PersonDeps, call: Call<'addPerson'>): Promise<Answer> => {
  const { backend, newId, clock } = deps;
  const { caller, body } = call;
  const { account, environment, tenant } = caller;
  const { role, name } = body;
  requireAuthority(caller, { ...NO_ROLES, [environment]: role });
  const email = normalizeEmail(body.email);
  return backend.withLock(`people of ${account}`, async () => {
    const known = await personByEmail(backend, email);
    if (known !== undefined && (known.account !== account || rolesOf(known)[environment] !== null))
      throw personExists();
    if ((await peopleIn(backend, tenant, account, environment)).length >= MAX_PEOPLE)
      throw new ApiError('limit_reached', `An account may have ${MAX_PEOPLE} people in an environment. Remove some.`);
    const now = clock();
    const fresh = {
      id: newId(),
      account,
      email,
      name,
      password: null,
      created_at: now,
      signed_in_at: null,
      totp_confirmed_at: null,
    };
    const row = withRole(known ?? { ...fresh, sandbox_role: null, production_role: null }, environment, role);
    const drafted = known === undefined ? draftLink(row, now) : undefined;
    const added: NewPerson = { ...toPerson(row, environment), link: drafted?.link ?? null };
    const answer = call.answer(added);
    const statements =
      known === undefined ? [insertPerson(row)] : [updatePerson(known, row), deleteSessionsOf(known.id)];
    const unit = [...statements, ...(drafted?.statements ?? []), ...answer.statements];
    if (!(await record(deps, caller, 'person.added', { after: row }, unit))) throw personExists();
    return answer;
  });
};

export const changePerson = async (deps: PersonDeps, call: Call<'changePerson'>): Promise<Answer> => {
  const { caller, body, params } = call;
  const { environment } = caller;
  for (;;) {
    const before = await requirePerson(deps, caller, params.person_id);
    const { role = rolesOf(before)[environment], name = before.name } = body;
    const after = withRole({ ...before, name }, environment, role);
    const hasNewRole = rolesOf(after)[environment] !== rolesOf(before)[environment];
    // The name is that of both environments.
    requireAuthority(caller, name === before.name ? rolesHere(caller, before) : rolesOf(before));
    requireAuthority(caller, rolesHere(caller, after));
    const answer = call.answer(toPerson(after, environment));
    if (!hasNewRole && name === before.name) return answer;
    const unit = [updatePerson(before, after), ...(hasNewRole ? [deleteSessionsOf(before.id)] : [])];
    // Otherwise another request was faster: decide again by what it left.
    if (await record(deps, caller, 'person.changed', { before, after }, unit)) return answer;
  }
};

/** Takes the role in this environment away. Without another role, the person is deleted. */
export const removePerson = async (deps: PersonDeps, call: CallWith<'person_id'>): Promise<Answer> => {
  const { caller, params } = call;
  for (;;) {
    const before = await requirePerson(deps, caller, params.person_id);
    requireAuthority(caller, rolesHere(caller, before));
    const after = withRole(before, caller.environment, null);
    const isLast = after.sandbox_role === null && after.production_role === null;
    const unit = [
      ...(isLast
        ? [deletePerson(before), deleteLinksOf(before.id), deleteRecoveryCodes(before.id)]
        : [updatePerson(before, after)]),
      deleteSessionsOf(before.id),
      deletePrivateViews(caller.tenant, withPrefix('person', before.id)),
    ];
    if (await record(deps, caller, 'person.removed', { before }, unit)) return call.answer({});
  }
};

export const createPersonLink = async (deps: PersonDeps, call: Call<'createPersonLink'>): Promise<Answer> => {
  const { caller, params } = call;
  const person = await requirePerson(deps, caller, params.person_id);
  requireAuthority(caller, rolesOf(person));
  const { link, statements } = draftLink(person, deps.clock());
  const answer = call.answer(link);
  const change = {
    action: 'person.link_created',
    target: link.person_id,
    before: null,
    after: { expires_at: link.expires_at },
  };
  await deps.audit.write(caller, change, [...statements, ...answer.statements]);
  return answer;
};

/** A stored response has the token of a link, so it must not give more than a new one would. */
export const checkAddReplay: ReplayCheck = (caller, json) =>
  requireAuthority(caller, { ...NO_ROLES, [caller.environment]: (JSON.parse(json) as NewPerson).role });
export const checkLinkReplay =
  (deps: PersonDeps): ReplayCheck =>
  async (caller, json) =>
    requireAuthority(caller, rolesOf(await requirePerson(deps, caller, (JSON.parse(json) as PersonLink).person_id)));
