// Made from the contract by `npm run client`; not to be edited.

/** A key, without its secret. */
export interface ApiKey {
  /** The key. */
  key_id: string;
  /** `admin`: everything. `service`: screen and read. `analyst`: read, resolve, review. `reader`: read. */
  role: 'admin' | 'service' | 'analyst' | 'reader';
  label: string | null;
  environment: 'sandbox' | 'production';
  /** The end of the key, to tell it from others. */
  hint: string;
  rate_limit_per_minute: number | null;
  /** When it was made. */
  created_at: string;
}

export interface ApiKeyList {
  api_keys: ApiKey[];
}

/** The new key belongs to the calling key's account and environment. */
export interface ApiKeyRequest {
  /** `admin`: everything. `service`: screen and read. `analyst`: read, resolve, review. `reader`: read. */
  role: 'admin' | 'service' | 'analyst' | 'reader';
  /** For people. */
  label?: string | undefined;
  /** Requests a minute. */
  rate_limit_per_minute?: number | undefined;
}

/** The key with its secret. */
export interface NewApiKey {
  /** The key. */
  key_id: string;
  /** `admin`: everything. `service`: screen and read. `analyst`: read, resolve, review. `reader`: read. */
  role: 'admin' | 'service' | 'analyst' | 'reader';
  label: string | null;
  environment: 'sandbox' | 'production';
  /** The end of the key, to tell it from others. */
  hint: string;
  rate_limit_per_minute: number | null;
  /** When it was made. */
  created_at: string;
  /** What goes into `Authorization: Bearer`. Shown only now. */
  secret: string;
  /** What was odd about the request although it was accepted. Absent when nothing was. */
  warnings?: string[] | undefined;
}
