import { MAX_PEOPLE, type NewPerson, type PersonLink, type PersonList, type Roles } from '@portcullis/contract';
import type { Statement } from '../backend/backend.ts';
import type { Caller } from '../http/caller.ts';
import type { Answer, Call, CallWith, ReplayCheck } from '../http/route.ts';
import { idOf, withPrefix } from '../runtime/ids.ts';
import { ApiError, notFound } from '../validation/errors.ts';
import { deletePrivateViews } from '../views/erase.ts';
import { requireOtherAdmin, withPeopleLock } from './last-admin.ts';
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
import { clearTotp, deleteRecoveryCodes } from './totp-store.ts';
import { personExists } from './use-link.ts';

const NO_ROLES: Roles = { sandbox: null, production: null };

/** The roles of a person, only in the environment of the caller. */
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
  return withPeopleLock(backend, account, async () => {
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
      sso_issuer: null,
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

/** Runs a change until it is written. It is not if another request changed the person: decide again by what that left. */
const untilWritten = (
  { backend }: PersonDeps,
  { account }: Caller,
  change: () => Promise<Answer | undefined>,
): Promise<Answer> =>
  withPeopleLock(backend, account, async () => {
    for (;;) {
      const answer = await change();
      if (answer !== undefined) return answer;
    }
  });

export const changePerson = (deps: PersonDeps, call: Call<'changePerson'>): Promise<Answer> => {
  const { caller, body, params } = call;
  const { environment } = caller;
  const change = async (): Promise<Answer | undefined> => {
    const before = await requirePerson(deps, caller, params.person_id);
    const { role = rolesOf(before)[environment], name = before.name } = body;
    const after = withRole({ ...before, name }, environment, role);
    const hasNewRole = rolesOf(after)[environment] !== rolesOf(before)[environment];
    // The name is that of both environments.
    requireAuthority(caller, name === before.name ? rolesHere(caller, before) : rolesOf(before));
    requireAuthority(caller, rolesHere(caller, after));
    await requireOtherAdmin(deps.backend, caller, before, after);
    const answer = call.answer(toPerson(after, environment));
    if (!hasNewRole && name === before.name) return answer;
    const unit = [updatePerson(before, after), ...(hasNewRole ? [deleteSessionsOf(before.id)] : [])];
    return (await record(deps, caller, 'person.changed', { before, after }, unit)) ? answer : undefined;
  };
  return untilWritten(deps, caller, change);
};

/** Takes the role in this environment away. Without another role, the person is deleted. */
export const removePerson = (deps: PersonDeps, call: CallWith<'person_id'>): Promise<Answer> => {
  const { caller, params } = call;
  const remove = async (): Promise<Answer | undefined> => {
    const before = await requirePerson(deps, caller, params.person_id);
    requireAuthority(caller, rolesHere(caller, before));
    const after = withRole(before, caller.environment, null);
    await requireOtherAdmin(deps.backend, caller, before, after);
    const isLast = after.sandbox_role === null && after.production_role === null;
    const unit = [
      ...(isLast
        ? [deletePerson(before), deleteLinksOf(before.id), deleteRecoveryCodes(before.id)]
        : [updatePerson(before, after)]),
      deleteSessionsOf(before.id),
      deletePrivateViews(caller.tenant, withPrefix('person', before.id)),
    ];
    return (await record(deps, caller, 'person.removed', { before }, unit)) ? call.answer({}) : undefined;
  };
  return untilWritten(deps, caller, remove);
};

/** Takes the second factor from a person who lost it. Every session ends: the app may be in other hands, and a session too. */
export const removePersonTotp = async (deps: PersonDeps, call: CallWith<'person_id'>): Promise<Answer> => {
  const { caller, params } = call;
  const before = await requirePerson(deps, caller, params.person_id);
  requireAuthority(caller, rolesOf(before));
  // Otherwise a stolen session would be enough to be rid of the second factor.
  if (caller.keyId === withPrefix('person', before.id))
    throw new ApiError('insufficient_scope', 'Remove your own second factor with one of its codes, at /v1/me/totp.');
  if (before.totp_confirmed_at === null) throw notFound('second factor');
  const after = { ...before, totp_confirmed_at: null };
  const unit = [clearTotp(before.id), deleteRecoveryCodes(before.id), deleteSessionsOf(before.id)];
  await record(deps, caller, 'person.totp_removed', { before, after }, unit);
  return call.answer({});
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
