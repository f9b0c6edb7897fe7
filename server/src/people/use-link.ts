import type { LinkRequest } from '@portcullis/contract';
import type { SessionAnswer, SessionCall } from '../http/session-route.ts';
import { withPrefix } from '../runtime/ids.ts';
import { ApiError, invalidRequest } from '../validation/errors.ts';
import { unlinkIdentity } from './identity-store.ts';
import { deleteLinksOf, findLink, type LinkRow, spendLink } from './link-store.ts';
import { passwordErrors } from './passwords.ts';
import { actorsOf, noteOf, type PersonDeps } from './person-deps.ts';
import { normalizeEmail } from './person-resource.ts';
import { deleteSessionsOf } from './session-store.ts';
import { askForCode, signedIn } from './sign-in.ts';
import { insertPerson, type PersonRow, personByEmail, personById, updatePerson } from './store.ts';
import { hashToken } from './token.ts';

const invalidLink = (): ApiError =>
  new ApiError('invalid_link', 'This link is unknown, was used, or has expired. Ask for another one.');

export const personExists = (): ApiError =>
  new ApiError('person_exists', 'A person with this e-mail address exists. Use another address.');

/** The person of the first start, who administers both environments. */
const firstPerson = ({ newId, clock }: PersonDeps, { account }: LinkRow, body: LinkRequest): PersonRow => {
  const { email, name } = body;
  const missing = (['email', 'name'] as const).filter((field) => body[field] === undefined);
  if (email === undefined || name === undefined)
    throw invalidRequest(missing.map((field) => ({ field, message: 'is required with the link of the first start' })));
  return {
    id: newId(),
    account,
    email: normalizeEmail(email),
    name,
    password: null,
    sandbox_role: 'admin',
    production_role: 'admin',
    created_at: clock(),
    signed_in_at: null,
    totp_confirmed_at: null,
    sso_issuer: null,
  };
};

/** Sets the password of the link's person, who is then signed in. The link, older links and all sessions end. */
export const spendPersonLink = async (
  deps: PersonDeps,
  { body, credentials }: SessionCall<'useLink'>,
): Promise<SessionAnswer> => {
  const { backend, audit, note, passwords, sessions, clock, tenantOf } = deps;
  const hash = hashToken('link', body.token);
  const link = await findLink(backend, hash);
  if (link === undefined || link.expires_at <= clock()) throw invalidLink();
  const found = link.person === null ? undefined : await personById(backend, link.account, link.person);
  if (link.person !== null && found === undefined) throw invalidLink();
  const before = found ?? firstPerson(deps, link, body);
  const errors = passwordErrors(body.password, before.email);
  if (errors.length > 0) throw invalidRequest(errors);
  if (found === undefined && (await personByEmail(backend, before.email)) !== undefined) throw personExists();
  const password = await passwords.hash(body.password);
  const person: PersonRow = { ...before, name: body.name ?? before.name, password, signed_in_at: clock() };
  const asksForCode = person.totp_confirmed_at !== null;
  const { session, statements, cookie } = sessions.open(person, credentials);
  const actors = await actorsOf(tenantOf, person);
  const change = {
    action: found === undefined ? 'person.added' : 'person.link_used',
    target: withPrefix('person', person.id),
    before: null,
    after: { email: person.email, name: person.name, session_id: asksForCode ? null : withPrefix('session', session) },
  };
  const outcome = await audit.writeAll(actors, change, [
    spendLink(hash),
    found === undefined ? insertPerson(person) : updatePerson(found, person),
    deleteLinksOf(person.id),
    unlinkIdentity(person.id),
    deleteSessionsOf(person.id),
    ...(asksForCode ? [] : statements),
    ...noteOf(note, actors),
  ]);
  if (!outcome.written) throw found === undefined && outcome.refused === 1 ? personExists() : invalidLink();
  sessions.forget();
  return asksForCode ? askForCode(deps, person) : { resource: signedIn(person, session), cookie };
};
