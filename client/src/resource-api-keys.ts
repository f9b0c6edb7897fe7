// Made from the contract by `npm run client`; not to be edited.

import type { Call, CallOptions, PostOptions } from './call.ts';

import type { ApiKeyList, ApiKeyRequest, NewApiKey } from './types.ts';

export const makeApiKeys = (call: Call) => ({
  /**
   * Create an API key.
   *
   * The secret is in this answer and in no other.
   *
   * Needs the permission `administer`.
   */
  create: (body: ApiKeyRequest, options?: PostOptions): Promise<NewApiKey> =>
    call<NewApiKey>('POST', '/v1/api-keys', { body }, options),

  /**
   * List API keys.
   *
   * Those of the calling key's account and environment that are not revoked.
   *
   * Needs the permission `administer`.
   */
  list: (options?: CallOptions): Promise<ApiKeyList> => call<ApiKeyList>('GET', '/v1/api-keys', {}, options),

  /**
   * Revoke an API key.
   *
   * At once and for good.
   *
   * Needs the permission `administer`. Errors of its own: `not_found`.
   */
  delete: (key_id: string, options?: CallOptions): Promise<void> =>
    call<void>('DELETE', '/v1/api-keys/{key_id}', { params: { key_id } }, options),
});
