// Generated from the contract by `npm run client`. Do not edit.

export interface ErrorDetail {
  /** A JSON path. */
  field: string;
  message: string;
}

/** The HTTP status of each error code. */
export interface ErrorStatuses {
  invalid_request: 400;
  invalid_json: 400;
  unsupported_api_version: 400;
  missing_api_key: 401;
  invalid_api_key: 401;
  expired_api_key: 401;
  invalid_session: 401;
  invalid_sign_in: 401;
  insufficient_scope: 403;
  wrong_environment: 403;
  address_not_allowed: 403;
  cross_site_request: 403;
  not_found: 404;
  none_waiting: 404;
  invalid_link: 404;
  method_not_allowed: 405;
  case_not_open: 409;
  case_expired: 409;
  case_taken: 409;
  case_not_resolved: 409;
  webhook_disabled: 409;
  training_in_progress: 409;
  model_rejected: 409;
  no_earlier_model: 409;
  list_exists: 409;
  list_built_in: 409;
  list_in_use: 409;
  key_from_settings: 409;
  person_exists: 409;
  totp_exists: 409;
  last_admin: 409;
  limit_reached: 409;
  rule_exists: 409;
  rule_state: 409;
  backtest_in_progress: 409;
  not_replayable: 409;
  idempotency_in_progress: 409;
  payload_too_large: 413;
  unsupported_media_type: 415;
  idempotency_key_reused: 422;
  provider_unavailable: 424;
  rate_limited: 429;
  internal_error: 500;
  unavailable: 503;
}
