import type { SignedIn, SignInMethods } from '@portcullis/contract';
import type { Statement } from '../backend/backend.ts';
import type { Credentials } from '../http/caller.ts';
import type { SessionAnswer, SessionCall } from '../http/session-route.ts';
import { withPrefix } from '../runtime/ids.ts';
import { ApiError } from '../validation/errors.ts';
import { actorsOf, type PersonDeps } from './person-deps.ts';
import { normalizeEmail, toMe } from './person-resource.ts';
import { makeTicket, personOfTicket, useCode } from './second-factor.ts';
import { type PersonRow, personByEmail, personById, updatePerson } from './store.ts';

export const METHODS: SignInMethods['methods'] = ['password'];

/** The same for an unknown e-mail address, a wrong password and a person without one. */
export const invalidSignIn = (message = 'The e-mail address or the password is wrong.'): ApiError =>
  new ApiError('invalid_sign_in', message);
/** A code that was used is refused by the store: a wrong one, not a failure of the service. */
const refused = (error: unknown): undefined => {
  if (error instanceof ApiError && error.code === 'invalid_sign_in') return undefined;
  throw error;
};

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

const changeOf = (person: PersonRow, session: string, { address }: Credentials) => ({
  action: 'session.created',
  target: withPrefix('session', session),
  before: null,
  after: { person_id: withPrefix('person', person.id), address: address() },
});

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

/** Opens a session in one unit with the statements. Refused if the person changed since it was read. */
const openSession = async (
  { audit, sessions, clock, tenantOf }: PersonDeps,
  before: PersonRow,
  password: string | null,
  credentials: Credentials,
  unit: readonly Statement[],
): Promise<SessionAnswer> => {
  const { session, statements, cookie } = sessions.open(before, credentials);
  const person = { ...before, password, signed_in_at: clock() };
  const change = changeOf(person, session, credentials);
  const { written } = await audit.writeAll(await actorsOf(tenantOf, before), change, [
    updatePerson(before, person),
    ...unit,
    ...statements,
  ]);
  if (!written) throw invalidSignIn();
  return { resource: signedIn(person, session), cookie };
};

/** Signs in with a password. Counted before the check, and as expensive for an e-mail address that nobody has. */
export const signIn = async (
  deps: PersonDeps,
  { body, credentials }: SessionCall<'signIn'>,
): Promise<SessionAnswer> => {
  const { backend, passwords } = deps;
  const email = normalizeEmail(body.email);
  const attempt = await deps.throttle.begin(email, credentials.address());
  const person = await personByEmail(backend, email);
  const { isRight, isOutdated } = await passwords.check(body.password, person?.password ?? null);
  if (person === undefined || !isRight) {
    if (person !== undefined) recordFailure(deps, person, credentials);
    throw invalidSignIn();
  }
  if (person.totp_confirmed_at !== null) {
    await backend.write(attempt.forgive());
    return askForCode(deps, person);
  }
  const password = isOutdated ? await passwords.hash(body.password) : person.password;
  return openSession(deps, person, password, credentials, attempt.succeed());
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
  const answer =
    used === undefined
      ? undefined
      : await openSession(deps, person, person.password, credentials, [used, ...attempt.succeed()]).catch(refused);
  if (answer !== undefined) return answer;
  recordFailure(deps, person, credentials);
  throw invalidSignIn('The code is wrong or was used.');
};
