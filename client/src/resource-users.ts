// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions } from './call.ts';

import type { RiskProfile } from './types.ts';

export const makeUsers = (call: Call) => ({
  /**
   * Get a user's risk profile.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  getRiskProfile: (user_id: string, options?: CallOptions): Promise<RiskProfile> =>
    call<RiskProfile>('GET', '/v1/users/{user_id}/risk-profile', { params: { user_id } }, options),
});
