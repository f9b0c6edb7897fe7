// Made from the contract by `npm run client`; not to be edited.

import type { Call, CallOptions } from './call.ts';
import { byCursor } from './pages.ts';
import type { Policy, PolicyChange, PolicyQuery, PolicyVersions } from './types.ts';

export const makePolicy = (call: Call) => ({
  /**
   * Get the policy in force.
   *
   * Needs the permission `read`.
   */
  get: (options?: CallOptions): Promise<Policy> => call<Policy>('GET', '/v1/policy', {}, options),

  /**
   * Change the policy.
   *
   * In force for every screening that begins after the answer. Earlier decisions stay as they are.
   *
   * Needs the permission `administer`.
   */
  change: (body: PolicyChange, options?: CallOptions): Promise<Policy> =>
    call<Policy>('PUT', '/v1/policy', { body }, options),

  /**
   * List versions of the policy.
   *
   * Needs the permission `read`.
   */
  listVersions: (query?: PolicyQuery, options?: CallOptions): Promise<PolicyVersions> =>
    call<PolicyVersions>('GET', '/v1/policy/versions', { query }, options),
  /**
   * List versions of the policy, all of them: a page is asked for when you come to it.
   *
   * Needs the permission `read`.
   */
  iterateVersions: (query: PolicyQuery = {}, options?: CallOptions): AsyncGenerator<Policy, void, undefined> =>
    byCursor(
      (query: PolicyQuery) => call<PolicyVersions>('GET', '/v1/policy/versions', { query }, options),
      query,
      (page) => page.versions,
      (item) => item.version,
    ),
});
