// Generated from the contract by `npm run client`. Do not edit.

/** The new key belongs to the calling key's account and environment. */
export interface ApiKeyRequest {
  /** `admin`: all operations. `manager`: read with personal data, resolve cases, review decisions, change rules, lists, the policy and models. `service`: screen and read. `analyst`: read with personal data, resolve cases, review decisions. `reader`: read only, without personal data. Required unless `permissions` is sent. */
  role?: 'admin' | 'manager' | 'service' | 'analyst' | 'reader' | undefined;
  /** For a restricted key: the only permissions it has. Send either this or `role`. */
  permissions?: ('screen' | 'read' | 'read_personal' | 'review' | 'tune' | 'administer')[] | undefined;
  /** A name for people to recognise the key by. */
  label?: string | undefined;
  /** Requests per minute. */
  rate_limit_per_minute?: number | undefined;
  /** When the key stops working. It gets 401 `expired_api_key` from then on. Default: never. */
  expires_at?: string | undefined;
  /** Addresses and networks from which the key works. From others it gets 403 `address_not_allowed`. Default: all. */
  allowed_networks?: string[] | undefined;
}

/** The new key has the role or permissions of the old key, and its settings unless others are sent. A key with an expiry gets the same lifetime again. */
export interface RollApiKeyRequest {
  /** How long the old key still works: up to 30 days. Default: 86400, one day. */
  overlap_seconds?: number | undefined;
  /** A name for people to recognise the key by. */
  label?: string | undefined;
  /** Requests per minute. */
  rate_limit_per_minute?: number | undefined;
  /** When the key stops working. It gets 401 `expired_api_key` from then on. Default: never. */
  expires_at?: string | undefined;
  /** Addresses and networks from which the key works. From others it gets 403 `address_not_allowed`. Default: all. */
  allowed_networks?: string[] | undefined;
}
