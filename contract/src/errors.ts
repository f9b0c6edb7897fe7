import Type from 'typebox';

/** Every code an error may carry, with its HTTP status. */
export const ERROR_STATUSES = {
  invalid_request: 400,
  invalid_json: 400,
  unsupported_api_version: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  insufficient_scope: 403,
  wrong_environment: 403,
  not_found: 404,
  method_not_allowed: 405,
  case_not_open: 409,
  case_expired: 409,
  webhook_disabled: 409,
  training_in_progress: 409,
  model_rejected: 409,
  no_earlier_model: 409,
  list_exists: 409,
  list_built_in: 409,
  list_in_use: 409,
  limit_reached: 409,
  rule_exists: 409,
  rule_state: 409,
  backtest_in_progress: 409,
  idempotency_in_progress: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limited: 429,
  internal_error: 500,
  unavailable: 503,
} as const;
export type ErrorCode = keyof typeof ERROR_STATUSES;

export const ErrorDetail = Type.Object({
  field: Type.String({ description: 'A JSON path.', examples: ['billing_address.country'] }),
  message: Type.String({ examples: ['must be an ISO 3166-1 alpha-2 country code such as DE'] }),
});
export type ErrorDetail = Type.Static<typeof ErrorDetail>;

export const ErrorBody = Type.Object(
  {
    error: Type.Object({
      code: Type.Enum(Object.keys(ERROR_STATUSES) as ErrorCode[], { examples: ['invalid_request'] }),
      message: Type.String({ examples: ['The request has 1 fault: amount must be greater than 0.'] }),
      request_id: Type.String({ examples: ['req_01kcy5v3n7f2q8r4t6w9x0y1z2'] }),
      details: Type.Optional(Type.Array(ErrorDetail)),
    }),
  },
  { $id: 'Error' },
);
export type ErrorBody = Type.Static<typeof ErrorBody>;
