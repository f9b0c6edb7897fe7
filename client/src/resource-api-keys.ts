// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions, PostOptions } from './call.ts';

import type { ApiKeyList, ApiKeyRequest, NewApiKey, RollApiKeyRequest, RolledApiKey } from './types.ts';

export const makeApiKeys = (call: Call) => ({
  /**
   * Create an API key.
   *
   * The secret is returned only in this response. A key cannot give permissions that it does not have. An account may have 200 active keys in an environment.
   *
   * Requires the permission `administer`. Specific errors: `limit_reached`.
   */
  create: (body: ApiKeyRequest, options?: PostOptions): Promise<NewApiKey> =>
    call<NewApiKey>('POST', '/v1/api-keys', { body }, options),

  /**
   * List API keys.
   *
   * Lists the keys of the calling key's account and environment that are neither revoked nor expired.
   *
   * Requires the permission `administer`.
   */
  list: (options?: CallOptions): Promise<ApiKeyList> => call<ApiKeyList>('GET', '/v1/api-keys', {}, options),

  /**
   * Replace an API key.
   *
   * Creates a key with the same permissions and settings. The old key works for a while longer, so that its callers can change to the new one. The secret is returned only in this response.
   *
   * Requires the permission `administer`. Specific errors: `not_found`, `key_from_settings`, `limit_reached`.
   */
  roll: (key_id: string, body: RollApiKeyRequest, options?: PostOptions): Promise<RolledApiKey> =>
    call<RolledApiKey>('POST', '/v1/api-keys/{key_id}/roll', { params: { key_id }, body }, options),

  /**
   * Revoke an API key.
   *
   * The key stops working at once. This cannot be undone.
   *
   * Requires the permission `administer`. Specific errors: `not_found`.
   */
  delete: (key_id: string, options?: CallOptions): Promise<void> =>
    call<void>('DELETE', '/v1/api-keys/{key_id}', { params: { key_id } }, options),
});
