import { ApiError } from '../validation/errors.ts';

export type Oidc = typeof import('openid-client');

/** Answers that belong to another sign-in, or came too late. */
const NOT_OF_THIS_SIGN_IN: readonly unknown[] = [
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
];
/** The provider itself has a problem. */
const OVERLOADED: readonly string[] = ['server_error', 'temporarily_unavailable'];

export const beginAgain = (): ApiError =>
  new ApiError(
    'invalid_sign_in',
    'This sign-in took too long, was used, or began in another browser or tab. Begin again.',
  );

/** The query of a browser brings the error code of the provider: any other text in its place stays out of the log. */
const ERROR_CODE = /^[a-z_]{1,64}$/;

/** For the log: names and codes, without tokens, claims or the secret, which deeper causes have. */
export const reasonOf = (error: unknown): Readonly<Record<string, unknown>> => {
  if (!(error instanceof Error)) return { reason: 'unknown' };
  const { code, error: oauthError } = error as { code?: unknown; error?: unknown };
  // A message about bad JSON quotes the response, which may hold a token.
  const isQuoting = error.cause instanceof SyntaxError;
  const cause = isQuoting ? 'no valid JSON' : error.cause instanceof Error ? error.cause.message : undefined;
  const isClient = code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE' || oauthError === 'invalid_client';
  const hint = isClient ? 'check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET' : undefined;
  const known = typeof oauthError === 'string' && ERROR_CODE.test(oauthError) ? oauthError : undefined;
  return { reason: error.message, code, cause, error: known, hint };
};

/** The answer to a sign-in that the provider refused, or could not serve. */
export const refusalOf = (oidc: Oidc, error: unknown, label: string): ApiError => {
  if (error instanceof ApiError) return error;
  const { code } = error as { code?: unknown };
  const isSpent = error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant';
  if (isSpent || NOT_OF_THIS_SIGN_IN.includes(code)) return beginAgain();
  if (error instanceof oidc.AuthorizationResponseError && !OVERLOADED.includes(error.error))
    return new ApiError(
      'invalid_sign_in',
      `The provider of ${label} did not sign you in. Try again, or ask its administrator for access.`,
    );
  return new ApiError(
    'provider_unavailable',
    `The provider of ${label} cannot be reached, or refuses this service. Sign in with your password, or try again later.`,
    { cause: error },
  );
};
