import type { Static, TSchema } from 'typebox';
import type { Operation } from './operation.ts';
import {
  CodeRequest,
  LinkRequest,
  Me,
  MeChange,
  SessionList,
  SignedIn,
  SignInRequest,
  TotpCode,
  TotpRequest,
  TotpSecret,
} from './person.ts';
import { SignInMethods, SsoCallback, SsoRequest, SsoSignedIn, SsoStart } from './sso.ts';

/** An operation for browsers: it takes no API key. */
export interface SessionOperation extends Omit<Operation, 'permission' | 'includes' | 'streams' | 'pages' | 'query'> {
  /** Whether the caller must be signed in. */
  readonly isSignedIn: boolean;
}

export const SESSION_TAGS: Readonly<Record<string, string>> = {
  'Sign-in': 'How people sign in to the console. These operations take no API key, and set a cookie.',
  Me: 'The signed-in person. These operations take a session, not an API key.',
};

const operation = <const T extends SessionOperation>(of: T): T => of;

/** Operations that set or need a session. API keys cannot use them, so the client has no methods for them. */
export const sessionOperations = {
  getSignIn: operation({
    method: 'GET',
    path: '/v1/sign-in',
    tag: 'Sign-in',
    summary: 'Get the ways to sign in',
    isSignedIn: false,
    status: 200,
    response: SignInMethods,
  }),
  signIn: operation({
    method: 'POST',
    path: '/v1/sign-in',
    tag: 'Sign-in',
    summary: 'Sign in with a password',
    description:
      'Sets the cookie of a new session and ends the session of the request, if it has one. After several failures for an e-mail address or from an address, the next attempt must wait.',
    isSignedIn: false,
    body: SignInRequest,
    status: 200,
    response: SignedIn,
    errors: ['invalid_sign_in'],
  }),
  signInWithCode: operation({
    method: 'POST',
    path: '/v1/sign-in/totp',
    tag: 'Sign-in',
    summary: 'Send the code of an app',
    description: 'The second step of a sign-in with a second factor. Sets the cookie of a new session.',
    isSignedIn: false,
    body: CodeRequest,
    status: 200,
    response: SignedIn,
    errors: ['invalid_sign_in'],
  }),
  startSso: operation({
    method: 'POST',
    path: '/v1/sign-in/sso',
    tag: 'Sign-in',
    summary: 'Begin a single sign-on',
    description:
      'Returns the address of the identity provider for this sign-in, and sets a cookie that proves for ten minutes that this browser began it.',
    isSignedIn: false,
    body: SsoRequest,
    status: 200,
    response: SsoStart,
    errors: ['not_found', 'provider_unavailable'],
  }),
  finishSso: operation({
    method: 'POST',
    path: '/v1/sign-in/sso/callback',
    tag: 'Sign-in',
    summary: 'Finish a single sign-on',
    description:
      'Exchanges the code of the identity provider and sets the cookie of a new session. The person must exist: at the first sign-in they are found by the verified e-mail address of the provider, later by the issuer and subject. No code of an app is asked for: the provider checks the second factor.',
    isSignedIn: false,
    body: SsoCallback,
    status: 200,
    response: SsoSignedIn,
    errors: ['invalid_sign_in', 'not_found', 'provider_unavailable'],
  }),
  useLink: operation({
    method: 'POST',
    path: '/v1/sign-in/link',
    tag: 'Sign-in',
    summary: 'Use a link',
    description: 'Sets the password, ends every session of the person, and sets the cookie of a new one.',
    isSignedIn: false,
    body: LinkRequest,
    status: 200,
    response: SignedIn,
    errors: ['invalid_link', 'person_exists'],
  }),
  getMe: operation({
    method: 'GET',
    path: '/v1/me',
    tag: 'Me',
    summary: 'Get the signed-in person',
    isSignedIn: true,
    status: 200,
    response: Me,
  }),
  changeMe: operation({
    method: 'PUT',
    path: '/v1/me',
    tag: 'Me',
    summary: 'Change your name or password',
    description: 'A new password ends every session and sets the cookie of a new one.',
    isSignedIn: true,
    body: MeChange,
    status: 200,
    response: Me,
    errors: ['invalid_sign_in'],
  }),
  createTotp: operation({
    method: 'POST',
    path: '/v1/me/totp',
    tag: 'Me',
    summary: 'Create a second factor',
    description:
      'Returns a secret for an authenticator app and ten recovery codes. It is asked for at sign-in once a code has confirmed it.',
    isSignedIn: true,
    body: TotpRequest,
    status: 201,
    response: TotpSecret,
    errors: ['invalid_sign_in', 'totp_exists'],
  }),
  confirmTotp: operation({
    method: 'PUT',
    path: '/v1/me/totp',
    tag: 'Me',
    summary: 'Turn your second factor on',
    description: 'Ends every session and sets the cookie of a new one.',
    isSignedIn: true,
    body: TotpCode,
    status: 200,
    response: Me,
    errors: ['invalid_sign_in', 'not_found'],
  }),
  removeTotp: operation({
    method: 'DELETE',
    path: '/v1/me/totp',
    tag: 'Me',
    summary: 'Turn your second factor off',
    description: 'Takes a code, or a recovery code.',
    isSignedIn: true,
    body: TotpCode,
    status: 204,
    errors: ['invalid_sign_in', 'not_found'],
  }),
  signOut: operation({
    method: 'DELETE',
    path: '/v1/me/session',
    tag: 'Me',
    summary: 'Sign out',
    description: 'Ends the session and deletes its cookie.',
    isSignedIn: true,
    status: 204,
  }),
  listSessions: operation({
    method: 'GET',
    path: '/v1/me/sessions',
    tag: 'Me',
    summary: 'List your sessions',
    isSignedIn: true,
    status: 200,
    response: SessionList,
  }),
  endSession: operation({
    method: 'DELETE',
    path: '/v1/me/sessions/{session_id}',
    tag: 'Me',
    summary: 'End one of your sessions',
    isSignedIn: true,
    params: { session_id: 'Returned by the list of sessions.' },
    status: 204,
    errors: ['not_found'],
  }),
} satisfies Record<string, SessionOperation>;
export type SessionOperationId = keyof typeof sessionOperations;

/** Body of a valid request to the operation; undefined where it takes none. */
export type SessionBodyOf<Id extends SessionOperationId> = (typeof sessionOperations)[Id] extends {
  readonly body: infer T extends TSchema;
}
  ? Static<T>
  : undefined;
