// Generated from the contract by `npm run client`. Do not edit.

/** A key, without its secret. */
export interface ApiKey {
  /** The key. */
  key_id: string;
  /** `admin`: all operations. `manager`: read with personal data, resolve cases, review decisions, change rules, lists, the policy and models. `service`: screen and read. `analyst`: read with personal data, resolve cases, review decisions. `reader`: read only, without personal data. `restricted`: the operations of its `permissions`. */
  role: 'admin' | 'manager' | 'service' | 'analyst' | 'reader' | 'restricted';
  /** What the key may do. */
  permissions: ('screen' | 'read' | 'read_personal' | 'review' | 'tune' | 'administer')[];
  label: string | null;
  environment: 'sandbox' | 'production';
  /** The last characters of the key, to recognise it by. */
  hint: string;
  rate_limit_per_minute: number | null;
  expires_at: string | null;
  allowed_networks: string[] | null;
  /** When the key was created. */
  created_at: string;
  /** Who made it: the e-mail address of a person, an API key, or a part of the service such as `key_command_line`. `null` in keys of earlier versions. */
  made_by: string | null;
  /** When the key was used last. Other processes report it within an hour. `null` if it is not known. */
  last_used_at: string | null;
}

export interface ApiKeyList {
  api_keys: ApiKey[];
}

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

/** The key with its secret. */
export interface NewApiKey {
  /** The key. */
  key_id: string;
  /** `admin`: all operations. `manager`: read with personal data, resolve cases, review decisions, change rules, lists, the policy and models. `service`: screen and read. `analyst`: read with personal data, resolve cases, review decisions. `reader`: read only, without personal data. `restricted`: the operations of its `permissions`. */
  role: 'admin' | 'manager' | 'service' | 'analyst' | 'reader' | 'restricted';
  /** What the key may do. */
  permissions: ('screen' | 'read' | 'read_personal' | 'review' | 'tune' | 'administer')[];
  label: string | null;
  environment: 'sandbox' | 'production';
  /** The last characters of the key, to recognise it by. */
  hint: string;
  rate_limit_per_minute: number | null;
  expires_at: string | null;
  allowed_networks: string[] | null;
  /** When the key was created. */
  created_at: string;
  /** Who made it: the e-mail address of a person, an API key, or a part of the service such as `key_command_line`. `null` in keys of earlier versions. */
  made_by: string | null;
  /** When the key was used last. Other processes report it within an hour. `null` if it is not known. */
  last_used_at: string | null;
  /** The value for `Authorization: Bearer`. Shown only once. */
  secret: string;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
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

/** The new key with its secret. */
export interface RolledApiKey {
  /** The key. */
  key_id: string;
  /** `admin`: all operations. `manager`: read with personal data, resolve cases, review decisions, change rules, lists, the policy and models. `service`: screen and read. `analyst`: read with personal data, resolve cases, review decisions. `reader`: read only, without personal data. `restricted`: the operations of its `permissions`. */
  role: 'admin' | 'manager' | 'service' | 'analyst' | 'reader' | 'restricted';
  /** What the key may do. */
  permissions: ('screen' | 'read' | 'read_personal' | 'review' | 'tune' | 'administer')[];
  label: string | null;
  environment: 'sandbox' | 'production';
  /** The last characters of the key, to recognise it by. */
  hint: string;
  rate_limit_per_minute: number | null;
  expires_at: string | null;
  allowed_networks: string[] | null;
  /** When the key was created. */
  created_at: string;
  /** Who made it: the e-mail address of a person, an API key, or a part of the service such as `key_command_line`. `null` in keys of earlier versions. */
  made_by: string | null;
  /** When the key was used last. Other processes report it within an hour. `null` if it is not known. */
  last_used_at: string | null;
  /** The old key. */
  replaced: {
    /** The old key. */
    key_id: string;
    /** When the old key stops working. */
    expires_at: string;
  };
  /** The value for `Authorization: Bearer`. Shown only once. */
  secret: string;
  /** Problems of a request that was accepted nevertheless. Absent if there are none. */
  warnings?: string[] | undefined;
}
