import type { MeChange, SessionList } from '@portcullis/contract';
import { writeTimestamp } from '@portcullis/contract/values';
import type { Statement } from '../backend/backend.ts';
import type { SessionAnswer, SessionCall, SignedInCaller } from '../http/session-route.ts';
import { idOf, withPrefix } from '../runtime/ids.ts';
import { ApiError, invalidRequest, notFound } from '../validation/errors.ts';
import { passwordErrors } from './passwords.ts';
import { actorsOf, noteOf, type PersonDeps } from './person-deps.ts';
import { toMe } from './person-resource.ts';
import { deleteSession, deleteSessionsOf, type SessionRow, sessionsOf } from './session-store.ts';
import { IDLE_MS, invalidSession, LIFETIME_MS } from './sessions.ts';
import { invalidSignIn } from './sign-in.ts';
import { type PersonRow, personById, updatePerson } from './store.ts';

export const readPerson = async ({ backend }: PersonDeps, { account, person }: SignedInCaller): Promise<PersonRow> => {
  const row = await personById(backend, account, person.personId);
  if (row === undefined) throw invalidSession();
  return row;
};

export const getMe = async (deps: PersonDeps, { caller }: SessionCall<'getMe'>): Promise<SessionAnswer> => ({
  resource: toMe(await readPerson(deps, caller()), caller().person.sessionId),
});

/** The statements of a sign-in that succeeds, once the present password was right. A stolen session cannot guess it. */
export const checkPresent = async (
  { passwords, throttle }: PersonDeps,
  person: PersonRow,
  { current_password: present }: Pick<MeChange, 'current_password'>,
  address: string,
): Promise<Statement[]> => {
  if (present === undefined) throw invalidRequest([{ field: 'current_password', message: 'is required' }]);
  const attempt = await throttle.begin(person.email, address);
  if (!(await passwords.check(present, person.password)).isCorrect) throw invalidSignIn();
  return attempt.succeed();
};

const writeChange = async (deps: PersonDeps, before: PersonRow, after: PersonRow, unit: Statement[]): Promise<void> => {
  const { audit, note, sessions, tenantOf } = deps;
  const actors = await actorsOf(tenantOf, before);
  const isNew = before.password !== after.password;
  const change = {
    action: isNew ? 'person.password_changed' : 'person.changed',
    target: withPrefix('person', before.id),
    before: { name: before.name },
    after: { name: after.name },
  };
  const { written } = await audit.writeAll(actors, change, [
    updatePerson(before, after),
    ...unit,
    ...noteOf(note, actors),
  ]);
  sessions.forget();
  if (!written) throw new ApiError('invalid_session', 'Your role or password was changed. Sign in again.');
};

export const changeMe = async (
  deps: PersonDeps,
  { body, credentials, caller }: SessionCall<'changeMe'>,
): Promise<SessionAnswer> => {
  const before = await readPerson(deps, caller());
  const named = { ...before, name: body.name ?? before.name };
  const { password } = body;
  if (password === undefined) {
    if (named.name !== before.name) await writeChange(deps, before, named, []);
    return { resource: toMe(named, caller().person.sessionId) };
  }
  const errors = passwordErrors(password, before.email);
  if (errors.length > 0) throw invalidRequest(errors);
  const succeeded = await checkPresent(deps, before, body, credentials.address());
  const after = { ...named, password: await deps.passwords.hash(password) };
  const { session, statements, cookie } = deps.sessions.open(before, credentials);
  await writeChange(deps, before, after, [deleteSessionsOf(before.id), ...succeeded, ...statements]);
  return { resource: toMe(after, session), cookie };
};

/** Ends a session of the caller. Returns false for one that is not theirs. */
const end = async (deps: PersonDeps, { person, tenant, keyId, role }: SignedInCaller, id: string): Promise<boolean> => {
  const change = {
    action: 'session.ended',
    target: withPrefix('session', id),
    before: { person_id: keyId },
    after: null,
  };
  const unit = [deleteSession(person.personId, id), ...deps.note(tenant, 'people')];
  const { written } = await deps.audit.write({ keyId, tenant, role }, change, unit);
  deps.sessions.forget();
  return written;
};

export const signOut = async (
  deps: PersonDeps,
  { credentials, caller }: SessionCall<'signOut'>,
): Promise<SessionAnswer> => {
  // A session that another request ended first is over, too.
  await end(deps, caller(), caller().person.sessionId);
  return { resource: {}, cookie: deps.sessions.noCookie(credentials) };
};

export const endSession = async (
  deps: PersonDeps,
  { params, caller }: SessionCall<'endSession'>,
): Promise<SessionAnswer> => {
  const id = idOf('session', params.session_id as string) as string;
  if (!(await end(deps, caller(), id))) throw notFound('session');
  return { resource: {} };
};

export const listSessions = async (
  { backend, clock }: PersonDeps,
  { caller }: SessionCall<'listSessions'>,
): Promise<SessionAnswer> => {
  const { tenant, person } = caller();
  const now = clock();
  const isOpen = ({ used_at, created_at }: SessionRow): boolean =>
    now - used_at < IDLE_MS && now - created_at < LIFETIME_MS;
  const rows = (await sessionsOf(backend, tenant, person.personId)).filter(isOpen);
  const list: SessionList = {
    sessions: rows.map((row) => ({
      session_id: withPrefix('session', row.id),
      is_current: row.id === person.sessionId,
      address: row.address,
      user_agent: row.user_agent,
      created_at: writeTimestamp(row.created_at),
      used_at: writeTimestamp(row.used_at),
      expires_at: writeTimestamp(Math.min(row.used_at + IDLE_MS, row.created_at + LIFETIME_MS)),
    })),
  };
  return { resource: list };
};
