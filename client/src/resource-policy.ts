// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions } from './call.ts';

import { byCursor } from './pages.ts';
import type { Policy, PolicyChange, PolicyProposal, PolicyQuery, PolicyVersions, ProposalQuery } from './types.ts';

export const makePolicy = (call: Call) => ({
  /**
   * Get the current policy.
   *
   * Requires the permission `read`.
   */
  get: (options?: CallOptions): Promise<Policy> => call<Policy>('GET', '/v1/policy', {}, options),

  /**
   * Change the policy.
   *
   * Applies to every screening that starts after the response. Earlier decisions do not change.
   *
   * Requires the permission `tune`.
   */
  change: (body: PolicyChange, options?: CallOptions): Promise<Policy> =>
    call<Policy>('PUT', '/v1/policy', { body }, options),

  /**
   * List versions of the policy.
   *
   * Requires the permission `read`.
   */
  listVersions: (query?: PolicyQuery, options?: CallOptions): Promise<PolicyVersions> =>
    call<PolicyVersions>('GET', '/v1/policy/versions', { query }, options),
  /**
   * List versions of the policy: iterates over all of them, and requests each page when it is needed.
   *
   * Requires the permission `read`.
   */
  iterateVersions: (query: PolicyQuery = {}, options?: CallOptions): AsyncGenerator<Policy, void, undefined> =>
    byCursor(
      (query: PolicyQuery) => call<PolicyVersions>('GET', '/v1/policy/versions', { query }, options),
      query,
      (page) => page.versions,
      (item) => item.version,
    ),
  /**
   * Propose thresholds within the budget.
   *
   * Counts the scores of stored decisions: the newest 200,000 of this account, within the newest 1,000,000 of the installation. Items without a label count as legitimate. Changes nothing.
   *
   * Requires the permission `read`.
   */
  getProposal: (query?: ProposalQuery, options?: CallOptions): Promise<PolicyProposal> =>
    call<PolicyProposal>('GET', '/v1/policy/proposal', { query }, options),
});
