import type {
  Environment,
  Me,
  MeChange,
  Session,
  SessionList,
  SignedIn,
  SignInMethods,
  SsoSignedIn,
  SsoStart,
  TotpSecret,
} from '@portcullis/contract';
import { noteResponse } from './connection.ts';
import { makeStore } from './store.ts';

export type { Environment, Me, Session, SignedIn, SignInMethods, TotpSecret };

/** The person of this browser: undefined until it is known, null without a session. */
export const me = makeStore<Me | null | undefined>(undefined);
/** Whether the session ended while a page was open. The page stays as it is behind the sign-in. */
export const hasEnded = makeStore(false);

/** A failed sign-in operation. */
export class SessionError extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: readonly { field: string; message: string }[];
  readonly requestId: string | undefined;
  /** When another attempt is allowed, after too many. */
  readonly until: number | undefined;
  constructor(
    status: number,
    code: string,
    message: string,
    fields: SessionError['fields'],
    more: { readonly requestId?: string | undefined; readonly until?: number | undefined } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.requestId = more.requestId;
    this.until = more.until;
  }
}

interface ErrorBody {
  readonly error?: { code: string; message: string; details?: { field: string; message: string }[] };
}

/** Operations of the person need an environment that this host serves and where the person has a role. */
let environment: Environment = location.pathname.startsWith('/console/sandbox') ? 'sandbox' : 'production';

const callOnce = async <Result>(method: string, path: string, body?: object): Promise<Result> => {
  const headers: Record<string, string> = { 'X-Portcullis-Environment': environment };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(`/v1${path}`, sent).catch(() => undefined);
  if (response === undefined || response.status >= 502) noteResponse(response);
  if (response === undefined)
    throw new SessionError(0, 'network_error', 'The service cannot be reached. Check your connection.', []);
  const json = (response.status === 204 ? {} : await response.json().catch(() => ({}))) as Result & ErrorBody;
  if (response.ok) return json;
  const {
    code = 'invalid_response',
    message = 'The service sent an invalid response.',
    details = [],
  } = json.error ?? {};
  const wait = response.status === 429 ? response.headers.get('retry-after') : null;
  throw new SessionError(response.status, code, message, details, {
    requestId: response.headers.get('x-request-id') ?? undefined,
    until: wait === null ? undefined : Date.now() + Number(wait) * 1000,
  });
};

const call = async <Result>(method: string, path: string, body?: object): Promise<Result> => {
  try {
    return await callOnce<Result>(method, path, body);
  } catch (error) {
    if (!(error instanceof SessionError) || error.code !== 'wrong_environment') throw error;
    environment = environment === 'sandbox' ? 'production' : 'sandbox';
    return callOnce<Result>(method, path, body);
  }
};

/** Goes on if the person has signed in again in another tab. */
export const resume = async (): Promise<boolean> => {
  const found = await call<Me>('GET', '/me').catch(() => undefined);
  if (found !== undefined) begin(found);
  return found !== undefined;
};

let renewals: (() => void)[] = [];
/** Resolves once the person has signed in again: here, or in another tab before. A new password also replaces the session. */
export const signedInAgain = async (): Promise<void> => {
  if (await resume()) return;
  return new Promise((resolve) => {
    renewals.push(resolve);
    hasEnded.set(true);
  });
};

const begin = (next: Me): void => {
  const before = me.get();
  // Another person must not act on a page of the one before.
  if (before && before.person_id !== next.person_id) {
    location.reload();
    return;
  }
  me.set(next);
  hasEnded.set(false);
  const waiting = renewals;
  renewals = [];
  for (const resolve of waiting) resolve();
};

const beginWith = (signedIn: SignedIn): SignedIn => {
  if (signedIn.me !== null) begin(signedIn.me);
  return signedIn;
};

export const loadMe = async (): Promise<void> => {
  try {
    me.set(await call<Me>('GET', '/me'));
  } catch (error) {
    if (!(error instanceof SessionError) || error.status === 0 || error.status >= 500) throw error;
    me.set(null);
  }
};
export const signIn = async (email: string, password: string): Promise<SignedIn> =>
  beginWith(await call<SignedIn>('POST', '/sign-in', { email, password }));
export const sendCode = async (ticket: string, code: string): Promise<SignedIn> =>
  beginWith(await call<SignedIn>('POST', '/sign-in/totp', { ticket, code }));
/** The address of the identity provider, for a sign-in that ends on a page of the console. */
export const startSso = (return_to: string): Promise<SsoStart> => call<SsoStart>('POST', '/sign-in/sso', { return_to });
/** Why the last single sign-on failed, for the sign-in page. */
export const ssoFailure = makeStore<SessionError | undefined>(undefined);
/** Does not begin the session here: the page to open loads the console again. */
export const finishSso = (query: string): Promise<SsoSignedIn> =>
  call<SsoSignedIn>('POST', '/sign-in/sso/callback', { query });
/** How and where people can sign in. */
export const getSignIn = (): Promise<SignInMethods> => call<SignInMethods>('GET', '/sign-in');
/** Does not begin the session yet: the page of the link has one more step. */
export const acceptLink = (body: object): Promise<SignedIn> => call<SignedIn>('POST', '/sign-in/link', body);
export const enter = begin;

/** Waits for the sign-in if the session has ended, and sends the request again. */
const callAgain = async <Result>(method: string, path: string, body?: object): Promise<Result> => {
  for (;;) {
    try {
      return await call<Result>(method, path, body);
    } catch (error) {
      if (!(error instanceof SessionError) || error.code !== 'invalid_session') throw error;
      await signedInAgain();
    }
  }
};
export const makeTotp = (current_password: string): Promise<TotpSecret> =>
  callAgain<TotpSecret>('POST', '/me/totp', { current_password });
export const confirmTotp = (code: string): Promise<Me> => callAgain<Me>('PUT', '/me/totp', { code });
export const removeTotp = (code: string): Promise<void> => callAgain('DELETE', '/me/totp', { code });
/** Changes the name or the password, which ends the other sessions. */
export const changeMe = async (change: MeChange): Promise<void> => me.set(await callAgain<Me>('PUT', '/me', change));
export const listSessions = async (): Promise<readonly Session[]> =>
  (await callAgain<SessionList>('GET', '/me/sessions')).sessions;
export const endSession = (id: string): Promise<void> => callAgain('DELETE', `/me/sessions/${id}`);
export const signOut = async (): Promise<void> => {
  await call('DELETE', '/me/session').catch((error: unknown) => {
    // A session that has ended already is what was asked for.
    if (!(error instanceof SessionError) || error.status !== 401) throw error;
  });
  location.assign('/console/sign-in');
};
