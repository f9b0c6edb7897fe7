import type { SignInMethods } from '@portcullis/contract';
import type { Credentials } from '../http/caller.ts';
import type { SessionAnswer, SessionCall } from '../http/session-route.ts';
import { withPrefix } from '../runtime/ids.ts';
import { ApiError } from '../validation/errors.ts';
import { actorsOf, type PersonDeps } from './person-deps.ts';
import { normalizeEmail, toMe } from './person-resource.ts';
import { type PersonRow, personByEmail, updatePerson } from './store.ts';

export const METHODS: SignInMethods = { methods: ['password'] };

/** The same for an unknown e-mail address, a wrong password and a person without one. */
export const invalidSignIn = (): ApiError =>
  new ApiError('invalid_sign_in', 'The e-mail address or the password is wrong.');

/** Not awaited: the time of an answer must not tell whether the e-mail address is known. */
const recordFailure = ({ audit, tenantOf, log }: PersonDeps, person: PersonRow, { address }: Credentials): void => {
  const change = {
    action: 'sign_in.failed',
    target: withPrefix('person', person.id),
    before: null,
    after: { address: address() },
  };
  actorsOf(tenantOf, person)
    .then((actors) => audit.writeAll(actors, change, []))
    .catch((error: unknown) => log.warn({ err: error }, 'a failed sign-in could not be written to the audit log'));
};

/** Signs in with a password. Counted before the check, and as expensive for an e-mail address that nobody has. */
export const signIn = async (
  deps: PersonDeps,
  { body, credentials }: SessionCall<'signIn'>,
): Promise<SessionAnswer> => {
  const { backend, audit, passwords, sessions, clock, tenantOf } = deps;
  const email = normalizeEmail(body.email);
  const attempt = await deps.throttle.begin(email, credentials.address());
  const person = await personByEmail(backend, email);
  const { isRight, isOutdated } = await passwords.check(body.password, person?.password ?? null);
  if (person === undefined || !isRight) {
    if (person !== undefined) recordFailure(deps, person, credentials);
    throw invalidSignIn();
  }
  const password = isOutdated ? await passwords.hash(body.password) : person.password;
  const { session, statements, cookie } = sessions.open(person, credentials);
  const change = {
    action: 'session.created',
    target: withPrefix('session', session),
    before: null,
    after: { person_id: withPrefix('person', person.id), address: credentials.address() },
  };
  const signedIn = { ...person, password, signed_in_at: clock() };
  const { written } = await audit.writeAll(await actorsOf(tenantOf, person), change, [
    updatePerson(person, signedIn),
    ...attempt.succeed(),
    ...statements,
  ]);
  // The password or a role changed since it was read.
  if (!written) throw invalidSignIn();
  return { resource: toMe(signedIn, session), cookie };
};
