import type { SignedIn } from '@portcullis/contract';
import type { Statement } from '../backend/backend.ts';
import type { Credentials } from '../http/caller.ts';
import type { SessionAnswer, SessionCall } from '../http/session-route.ts';
import { withPrefix } from '../runtime/ids.ts';
import { ApiError } from '../validation/errors.ts';
import { actorsOf, type PersonDeps } from './person-deps.ts';
import { normalizeEmail, toMe } from './person-resource.ts';
import { makeTicket, personOfTicket, useCode } from './second-factor.ts';
import { type PersonRow, personByEmail, personById, updatePerson } from './store.ts';

/** The same for an unknown e-mail address, a wrong password and a person without one. */
export const invalidSignIn = (message = 'The e-mail address or the password is wrong.'): ApiError =>
  new ApiError('invalid_sign_in', message);

/** Not awaited: the time of an answer must not tell whether the e-mail address is known. */
export const recordFailure = (
  { audit, tenantOf, log }: PersonDeps,
  person: PersonRow,
  { address }: Credentials,
): void => {
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

/** The answer to a right password, while a code is missing. */
export const askForCode = ({ seal, clock }: PersonDeps, person: PersonRow): SessionAnswer => {
  const resource: SignedIn = { next: 'totp', ticket: makeTicket(seal, person, clock()), me: null };
  return { resource };
};

export const signedIn = (person: PersonRow, session: string): SignedIn => ({
  next: null,
  ticket: null,
  me: toMe(person, session),
});

interface Opening {
  readonly password: string | null;
  readonly credentials: Credentials;
  /** Written with the session, or not at all. */
  readonly unit: readonly Statement[];
  /** Further fields of the audit entry. */
  readonly audited?: object;
}

/**
 * Opens a session in one unit with the statements. Undefined if the person changed since it was read, or a statement was
 * refused, such as one that uses a code for the second time.
 */
export const openSession = async (
  { audit, sessions, clock, tenantOf }: PersonDeps,
  before: PersonRow,
  { password, credentials, unit, audited = {} }: Opening,
) => {
  const { session, statements, cookie } = sessions.open(before, credentials);
  const person: PersonRow = { ...before, password, signed_in_at: clock() };
  const change = {
    action: 'session.created',
    target: withPrefix('session', session),
    before: null,
    after: { person_id: withPrefix('person', person.id), address: credentials.address(), ...audited },
  };
  const { written } = await audit.writeAll(await actorsOf(tenantOf, before), change, [
    updatePerson(before, person),
    ...unit,
    ...statements,
  ]);
  return written ? { person, session, cookie } : undefined;
};
type Opened = NonNullable<Awaited<ReturnType<typeof openSession>>>;

const answerOf = ({ person, session, cookie }: Opened): SessionAnswer => ({
  resource: signedIn(person, session),
  cookie,
});

/**
 * Signs in with a password. The attempt is counted before the password is checked, and costs the same if the e-mail
 * address is unknown.
 */
export const signIn = async (
  deps: PersonDeps,
  { body, credentials }: SessionCall<'signIn'>,
): Promise<SessionAnswer> => {
  const { backend, passwords } = deps;
  const email = normalizeEmail(body.email);
  const attempt = await deps.throttle.begin(email, credentials.address());
  const person = await personByEmail(backend, email);
  const { isCorrect, isOutdated } = await passwords.check(body.password, person?.password ?? null);
  if (person === undefined || !isCorrect) {
    if (person !== undefined) recordFailure(deps, person, credentials);
    throw invalidSignIn();
  }
  if (person.totp_confirmed_at !== null) {
    await backend.write(attempt.forgive());
    return askForCode(deps, person);
  }
  const password = isOutdated ? await passwords.hash(body.password) : person.password;
  const opened = await openSession(deps, person, { password, credentials, unit: attempt.succeed() });
  if (opened === undefined) throw invalidSignIn();
  return answerOf(opened);
};

/** The second step of a sign-in. A wrong code counts as a failure of the e-mail address, like a wrong password. */
export const signInWithCode = async (
  deps: PersonDeps,
  { body, credentials }: SessionCall<'signInWithCode'>,
): Promise<SessionAnswer> => {
  const { backend, seal, clock } = deps;
  const person = await personOfTicket(seal, body.ticket, clock(), (account, id) => personById(backend, account, id));
  if (person === undefined) throw invalidSignIn('This sign-in took too long, or is unknown. Begin again.');
  const attempt = await deps.throttle.begin(person.email, credentials.address());
  const used = await useCode(deps, person, body.code);
  const { password } = person;
  const opened =
    used === undefined
      ? undefined
      : await openSession(deps, person, { password, credentials, unit: [used, ...attempt.succeed()] });
  if (opened !== undefined) return answerOf(opened);
  recordFailure(deps, person, credentials);
  throw invalidSignIn('The code is wrong or was used.');
};
