import type { TotpSecret } from '@portcullis/contract';
import type { SessionAnswer, SessionCall } from '../http/session-route.ts';
import { withPrefix } from '../runtime/ids.ts';
import { ApiError, notFound } from '../validation/errors.ts';
import { checkPresent, readPerson } from './me.ts';
import { actorsOf, noteOf, type PersonDeps } from './person-deps.ts';
import { toMe } from './person-resource.ts';
import { hashRecoveryCode, totpContext, useAppCode, useCode } from './second-factor.ts';
import { deleteSessionsOf } from './session-store.ts';
import { invalidSignIn } from './sign-in.ts';
import type { PersonRow } from './store.ts';
import { newRecoveryCodes, newTotpSecret, totpUri } from './totp.ts';
import { clearTotp, confirmTotp, deleteRecoveryCodes, insertRecoveryCode, putTotp, readTotp } from './totp-store.ts';

const changeOf = (action: string, { id }: PersonRow) => ({
  action,
  target: withPrefix('person', id),
  before: { has_totp: action === 'person.totp_removed' },
  after: { has_totp: action === 'person.totp_confirmed' },
});

/** Makes a secret for an app. It is asked for at sign-in once a code has confirmed it. */
export const createTotp = async (
  deps: PersonDeps,
  { body, credentials, caller }: SessionCall<'createTotp'>,
): Promise<SessionAnswer> => {
  const person = await readPerson(deps, caller());
  const succeeded = await checkPresent(deps, person, body, credentials.address());
  const secret = newTotpSecret();
  const codes = newRecoveryCodes();
  const { written } = await deps.audit.writeAll(
    await actorsOf(deps.tenantOf, person),
    changeOf('person.totp_created', person),
    [
      putTotp(person.id, deps.seal.seal(secret, totpContext(person.id))),
      deleteRecoveryCodes(person.id),
      ...codes.map((code) => insertRecoveryCode(person.id, hashRecoveryCode(person.id, code))),
      ...succeeded,
    ],
  );
  if (!written) throw new ApiError('totp_exists', 'You have a second factor already. Remove it first.');
  const resource: TotpSecret = { secret, uri: totpUri(secret, person.email), recovery_codes: codes };
  return { resource };
};

/** Turns the second factor on. Every session ends, and the page gets another: it has now proved both factors. */
export const confirmMyTotp = async (
  deps: PersonDeps,
  { body, credentials, caller }: SessionCall<'confirmTotp'>,
): Promise<SessionAnswer> => {
  const { backend, audit, note, sessions, throttle, clock, tenantOf } = deps;
  const person = await readPerson(deps, caller());
  const row = await readTotp(backend, person.id);
  if (row === undefined || row.totp === null || row.totp_confirmed_at !== null) throw notFound('unconfirmed secret');
  const attempt = await throttle.begin(person.email, credentials.address());
  // Not a recovery code: the app must be able to make the codes.
  const used = await useAppCode(deps, person, body.code);
  if (used === undefined) throw invalidSignIn();
  const { session, statements, cookie } = sessions.open(person, credentials);
  const actors = await actorsOf(tenantOf, person);
  const { written } = await audit.writeAll(actors, changeOf('person.totp_confirmed', person), [
    used,
    confirmTotp(person.id, clock()),
    deleteSessionsOf(person.id),
    ...attempt.succeed(),
    ...statements,
    ...noteOf(note, actors),
  ]);
  sessions.forget();
  if (!written) throw invalidSignIn();
  return { resource: toMe({ ...person, totp_confirmed_at: clock() }, session), cookie };
};

/** Turns the second factor off. It takes a code: a stolen session is not enough. */
export const removeTotp = async (
  deps: PersonDeps,
  { body, credentials, caller }: SessionCall<'removeTotp'>,
): Promise<SessionAnswer> => {
  const person = await readPerson(deps, caller());
  if (person.totp_confirmed_at === null) throw notFound('second factor');
  const attempt = await deps.throttle.begin(person.email, credentials.address());
  const used = await useCode(deps, person, body.code);
  if (used === undefined) throw invalidSignIn();
  const change = changeOf('person.totp_removed', person);
  const { written } = await deps.audit.writeAll(await actorsOf(deps.tenantOf, person), change, [
    used,
    clearTotp(person.id),
    deleteRecoveryCodes(person.id),
    ...attempt.succeed(),
  ]);
  if (!written) throw invalidSignIn();
  return { resource: {} };
};
