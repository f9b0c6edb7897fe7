// Made from the contract by `npm run client`; not to be edited.

import type { Call, CallOptions } from './call.ts';

import type { RiskProfile } from './types.ts';

export const makeUsers = (call: Call) => ({
  /**
   * Get a user's risk profile.
   *
   * Needs the permission `read`. Errors of its own: `not_found`.
   */
  getRiskProfile: (user_id: string, options?: CallOptions): Promise<RiskProfile> =>
    call<RiskProfile>('GET', '/v1/users/{user_id}/risk-profile', { params: { user_id } }, options),
});
