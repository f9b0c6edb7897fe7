import type { Environment, Me, SignedIn, TotpSecret } from '@portcullis/contract';
import { noteResponse } from './connection.ts';
import { makeStore } from './store.ts';

export type { Environment, Me, SignedIn, TotpSecret };

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
  constructor(status: number, code: string, message: string, fields: SessionError['fields'], requestId?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.requestId = requestId;
  }
}

interface ErrorBody {
  readonly error?: { code: string; message: string; details?: { field: string; message: string }[] };
}

const call = async <Result>(method: string, path: string, body?: object): Promise<Result> => {
  const headers: Record<string, string> = { 'X-Portcullis-Environment': 'production' };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(`/v1${path}`, sent).catch(() => undefined);
  if (response === undefined || response.status >= 502) noteResponse(response);
  if (response === undefined)
    throw new SessionError(0, 'network_error', 'The service cannot be reached. Check your connection.', []);
  const json = (response.status === 204 ? {} : await response.json().catch(() => ({}))) as Result & ErrorBody;
  if (response.ok) return json;
  const { code = 'invalid_response', message = 'The service gave no valid answer.', details = [] } = json.error ?? {};
  const wait = response.status === 429 ? response.headers.get('retry-after') : null;
  const text = wait === null ? message : `Too many attempts. Try again in ${wait} seconds.`;
  throw new SessionError(response.status, code, text, details, response.headers.get('x-request-id') ?? undefined);
};

let renewals: (() => void)[] = [];
/** Resolves once the person has signed in again. */
export const signedInAgain = (): Promise<void> =>
  new Promise((resolve) => {
    renewals.push(resolve);
    hasEnded.set(true);
  });

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
/** Does not begin the session yet: the page of the link has one more step. */
export const acceptLink = (body: object): Promise<SignedIn> => call<SignedIn>('POST', '/sign-in/link', body);
export const enter = begin;
export const makeTotp = (current_password: string): Promise<TotpSecret> =>
  call<TotpSecret>('POST', '/me/totp', { current_password });
export const confirmTotp = (code: string): Promise<Me> => call<Me>('PUT', '/me/totp', { code });
export const signOut = async (): Promise<void> => {
  await call('DELETE', '/me/session').catch((error: unknown) => {
    // A session that has ended already is what was asked for.
    if (!(error instanceof SessionError) || error.status !== 401) throw error;
  });
  location.assign('/console/sign-in');
};
