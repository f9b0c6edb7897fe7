/** Every error code, with its HTTP status. */
export const ERROR_STATUSES = {
  invalid_request: 400,
  invalid_json: 400,
  unsupported_api_version: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  expired_api_key: 401,
  invalid_session: 401,
  invalid_sign_in: 401,
  insufficient_scope: 403,
  wrong_environment: 403,
  address_not_allowed: 403,
  cross_site_request: 403,
  not_found: 404,
  none_waiting: 404,
  invalid_link: 404,
  method_not_allowed: 405,
  case_not_open: 409,
  case_expired: 409,
  case_taken: 409,
  case_not_resolved: 409,
  webhook_disabled: 409,
  training_in_progress: 409,
  model_rejected: 409,
  no_earlier_model: 409,
  list_exists: 409,
  list_built_in: 409,
  list_in_use: 409,
  key_from_settings: 409,
  person_exists: 409,
  totp_exists: 409,
  last_admin: 409,
  limit_reached: 409,
  rule_exists: 409,
  rule_state: 409,
  backtest_in_progress: 409,
  not_replayable: 409,
  idempotency_in_progress: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  provider_unavailable: 424,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const;
export type ErrorCode = keyof typeof ERROR_STATUSES;

/** When an error occurs and what the caller can do about it. */
export interface ErrorMeaning {
  readonly when: string;
  readonly remedy: string;
}

/** The documentation of every error code. The tables in `/docs` and in the API guide are generated from it. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, ErrorMeaning>> = {
  invalid_request: {
    when: 'The body, the query or a header is not valid, or a header is sent twice.',
    remedy: 'Correct the fields listed in `details`.',
  },
  invalid_json: {
    when: 'The body is empty, not JSON or not UTF-8.',
    remedy: 'Correct the body. The message gives the line and column.',
  },
  unsupported_api_version: {
    when: '`X-Api-Version` is not a known release.',
    remedy: 'Send a release that the message lists, or leave the header out.',
  },
  missing_api_key: {
    when: 'The `Authorization` header is missing or malformed.',
    remedy: 'Send `Authorization: Bearer <API key>`.',
  },
  invalid_api_key: {
    when: 'The key is unknown or was revoked.',
    remedy: 'Check that the key is complete and belongs to this service, or use another key.',
  },
  expired_api_key: { when: 'The key has expired.', remedy: 'Use its replacement, or create another key.' },
  invalid_session: {
    when: 'The request has no session, or its session has ended.',
    remedy: 'Sign in again.',
  },
  invalid_sign_in: {
    when: 'The e-mail address, the password or the code is wrong, or the code was used. The answer is the same for an unknown address. In a single sign-on, the message says why.',
    remedy: 'Check them, or ask an administrator for a link.',
  },
  insufficient_scope: {
    when: 'The key or person does not have the permission of the operation, or would give one that it does not have.',
    remedy: 'Use a key that has the permission, or ask an administrator for a role.',
  },
  wrong_environment: {
    when: "The key's environment is served under another host name, or the operation needs a production key.",
    remedy: 'Call the host that the message names, or use a production key.',
  },
  address_not_allowed: {
    when: 'The key does not work from the address of the caller.',
    remedy: 'Call from one of the allowed networks of the key, or use another key.',
  },
  cross_site_request: {
    when: 'A request with a session does not prove that it comes from a page of this service.',
    remedy:
      'Send `X-Portcullis-Environment` and, unless the method is GET, `Sec-Fetch-Site: same-origin` or the `Origin` of this service.',
  },
  not_found: {
    when: 'The path or id is unknown, the id belongs to another account or environment, or the result is older than 90 days.',
    remedy: 'Check the path, the id and the environment of the key.',
  },
  none_waiting: {
    when: 'No open case without an assignee matches the filter.',
    remedy: 'Ask again later, or with another filter.',
  },
  invalid_link: {
    when: 'The link is unknown, was used, or is older than 24 hours.',
    remedy: 'Ask an administrator for another link, or run `portcullis people link`.',
  },
  method_not_allowed: {
    when: 'The path exists but does not take this method.',
    remedy: 'Use a method listed in the `Allow` header.',
  },
  case_not_open: {
    when: 'The case is already resolved. The message names its status.',
    remedy: 'To change the outcome, override the decision while it is stored.',
  },
  case_expired: {
    when: 'The case was not resolved within seven days.',
    remedy: 'Override the decision instead, while it is stored.',
  },
  case_taken: {
    when: 'The case is assigned to another person. The message names them.',
    remedy: 'Take another case, or send `force`.',
  },
  case_not_resolved: {
    when: 'The case to reopen is open, or was not resolved within the last day.',
    remedy: 'Work on the open case. To change an older outcome, override the decision.',
  },
  webhook_disabled: { when: 'The webhook endpoint is disabled.', remedy: 'Enable the endpoint first.' },
  training_in_progress: { when: 'A training of the account is running.', remedy: 'Retry when it has ended.' },
  model_rejected: {
    when: 'The model failed a promotion gate when it was trained.',
    remedy: 'Send `force` to promote it anyway.',
  },
  no_earlier_model: {
    when: 'The account uses the model that ships with the service.',
    remedy: 'There is no earlier model to roll back to.',
  },
  list_exists: { when: 'A list with this name exists.', remedy: 'Use that list or choose another name.' },
  list_built_in: {
    when: 'The list is built in. It cannot be changed or deleted.',
    remedy: 'Create a list of your own.',
  },
  list_in_use: { when: 'A live or shadow rule uses the list.', remedy: 'Change the rule first.' },
  key_from_settings: {
    when: 'The key comes from the setting `API_KEYS`.',
    remedy: 'Change the setting instead.',
  },
  last_admin: {
    when: 'The person is the last administrator of the environment who has signed in.',
    remedy: 'Give another person the role `admin`, and let them sign in first.',
  },
  totp_exists: {
    when: 'The person has a second factor already.',
    remedy: 'Remove it first, with one of its codes.',
  },
  person_exists: {
    when: 'A person with this e-mail address exists.',
    remedy: 'Use another address, or change the role of the person.',
  },
  limit_reached: {
    when: 'The account has as many of these resources as it may have in this environment.',
    remedy: 'Delete some. The message names the limit.',
  },
  rule_exists: { when: 'Another rule with this name is not retired.', remedy: 'Choose another name.' },
  rule_state: {
    when: "The rule's state does not allow this change.",
    remedy: 'Choose a state that the message lists.',
  },
  backtest_in_progress: {
    when: 'A backtest of this account and environment is running.',
    remedy: 'Retry when it has ended.',
  },
  not_replayable: {
    when: 'The facts, the policy or the model of the decision cannot be read any more. The message names which.',
    remedy: 'Replay with `now` for the policy or model that is missing.',
  },
  idempotency_in_progress: {
    when: 'The first request with this `Idempotency-Key` is still being processed.',
    remedy: 'Retry after `Retry-After` seconds.',
  },
  payload_too_large: {
    when: 'The body is larger than 64 KiB, or 512 KiB for entries of a list.',
    remedy: 'Send a smaller body.',
  },
  unsupported_media_type: {
    when: 'The body of a POST or PUT is not uncompressed `application/json` in UTF-8.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  idempotency_key_reused: {
    when: 'The `Idempotency-Key` was used with another body in the last 24 hours.',
    remedy: 'Use a new key for a new request.',
  },
  provider_unavailable: {
    when: 'The identity provider of the single sign-on does not answer, or refuses this service.',
    remedy: 'Sign in with a password, or try again later. The log of the service has the reason.',
  },
  rate_limited: {
    when: 'The key made more requests than its limit allows, its account and environment have too many in progress, too many unknown keys were sent from the address, or too many sign-ins failed.',
    remedy: 'Retry after `Retry-After` seconds.',
  },
  internal_error: { when: 'The service failed.', remedy: 'Report the `request_id` to the operator of the service.' },
  unavailable: {
    when: 'The store is unreachable, or the service is overloaded, starting or stopping.',
    remedy: 'Retry after `Retry-After` seconds.',
  },
};

/**
 * Where `/docs` explains the code. The URL has no host: it resolves against the address the caller used, and a forged
 * `Host` header is never reflected.
 */
export const errorDocUrl = (code: ErrorCode): string => `/docs#error-${code}`;
