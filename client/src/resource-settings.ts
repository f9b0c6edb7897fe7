// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions } from './call.ts';

import type { AccountSettings, AccountSettingsChange } from './types.ts';

export const makeSettings = (call: Call) => ({
  /**
   * Get the settings of the account.
   *
   * Each environment has its own.
   *
   * Requires the permission `read`.
   */
  get: (options?: CallOptions): Promise<AccountSettings> => call<AccountSettings>('GET', '/v1/settings', {}, options),

  /**
   * Change the settings of the account.
   *
   * Omitted fields keep their value. Applies to every request that starts after the response.
   *
   * Requires the permission `administer`.
   */
  change: (body: AccountSettingsChange, options?: CallOptions): Promise<AccountSettings> =>
    call<AccountSettings>('PUT', '/v1/settings', { body }, options),
});
