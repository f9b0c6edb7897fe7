import type { SsoSignedIn, SsoStart } from '@portcullis/contract';
import type { Statement } from '../backend/backend.ts';
import type { Credentials } from '../http/caller.ts';
import { ssoCookie, ssoTicketIn } from '../http/session-cookie.ts';
import type { SessionAnswer, SessionCall } from '../http/session-route.ts';
import { notFound } from '../validation/errors.ts';
import { linkIdentity, personByIdentity } from './identity-store.ts';
import type { PersonDeps } from './person-deps.ts';
import { normalizeEmail, toMe } from './person-resource.ts';
import type { ProvidedPerson, Provider } from './provider.ts';
import { beginAgain } from './provider-errors.ts';
import { invalidSignIn, openSession, recordFailure } from './sign-in.ts';
import { newSsoTicket, openSsoTicket, SSO_MS, sealSsoTicket } from './sso-ticket.ts';
import { type PersonRow, personByEmail } from './store.ts';

const requireProvider = ({ provider }: PersonDeps): Provider => {
  if (provider === undefined) throw notFound('way to sign in: this service has no identity provider');
  return provider;
};

export const startSso = async (
  deps: PersonDeps,
  { body, credentials: { host } }: SessionCall<'startSso'>,
): Promise<SessionAnswer> => {
  const provider = requireProvider(deps);
  const ticket = newSsoTicket(provider.redirectUriAt(host), body.return_to ?? '/console', deps.clock());
  const resource: SsoStart = { url: await provider.urlOf(ticket) };
  return { resource, cookie: ssoCookie(sealSsoTicket(deps.seal, ticket), host, SSO_MS / 1000) };
};

/**
 * The person of an identity. At the first time the person is found by the verified e-mail address, and linked to the
 * identity. After that the address does not count: a provider can give it to somebody else.
 */
const findPerson = async (
  deps: PersonDeps,
  { identity, readEmail }: ProvidedPerson,
  credentials: Credentials,
): Promise<{ readonly person: PersonRow; readonly unit: readonly Statement[] }> => {
  const { backend } = deps;
  const { label } = requireProvider(deps);
  const known = await personByIdentity(backend, identity);
  if (known !== undefined) return { person: known, unit: [] };
  const email = await readEmail();
  if (email === undefined)
    throw invalidSignIn(
      `The provider of ${label} does not confirm your e-mail address. Verify it there, or sign in with a password.`,
    );
  const person = await personByEmail(backend, normalizeEmail(email));
  if (person === undefined)
    throw invalidSignIn(
      `Nobody here has the e-mail address that the provider of ${label} gave. Ask an administrator to add you.`,
    );
  if (person.sso_issuer === identity.issuer) {
    recordFailure(deps, person, credentials);
    throw invalidSignIn(
      `You signed in with another account of ${label} before. Use that one, or ask an administrator for a link and use it first.`,
    );
  }
  return { person, unit: [linkIdentity(person.id, identity)] };
};

/** Signs in by the answer of the provider, whose second factor counts. Counted before the code is exchanged. */
export const finishSso = async (
  deps: PersonDeps,
  { body, credentials }: SessionCall<'finishSso'>,
): Promise<SessionAnswer> => {
  const provider = requireProvider(deps);
  const { headers, host } = credentials;
  const sealed = ssoTicketIn(headers.cookie ?? '', host);
  const ticket = sealed === undefined ? undefined : openSsoTicket(deps.seal, sealed, deps.clock());
  if (ticket === undefined) throw beginAgain();
  const attempt = await deps.throttle.begin(undefined, credentials.address());
  const provided = await provider.finish(body.query, ticket);
  const { person, unit } = await findPerson(deps, provided, credentials);
  const opened = await openSession(deps, person, {
    password: person.password,
    credentials,
    unit: [...unit, ...attempt.succeed()],
    audited: { sso: provided.identity },
  });
  if (opened === undefined) throw beginAgain();
  const resource: SsoSignedIn = { me: toMe(opened.person, opened.session), return_to: ticket.returnTo };
  return { resource, cookie: [opened.cookie, ssoCookie('', host, 0)] };
};
