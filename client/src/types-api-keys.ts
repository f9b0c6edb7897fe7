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
