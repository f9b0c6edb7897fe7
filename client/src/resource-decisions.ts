// Made from the contract by `npm run client`; not to be edited.

import type { Call, CallOptions, PostOptions } from './call.ts';

import type { Decision, DecisionQuery, ReviewRequest } from './types.ts';

export const makeDecisions = (call: Call) => ({
  /**
   * Get a decision.
   *
   * With the factors that make up its score and the reviews it got. Kept for 90 days.
   *
   * Needs the permission `read`. Errors of its own: `not_found`.
   */
  get: (decision_id: string, query?: DecisionQuery, options?: CallOptions): Promise<Decision> =>
    call<Decision>('GET', '/v1/decisions/{decision_id}', { params: { decision_id }, query }, options),

  /**
   * Override a decision.
   *
   * May be said again: the last one is in force. An open case of the decision is resolved by the same act.
   *
   * Needs the permission `review`. Errors of its own: `not_found`.
   */
  review: (decision_id: string, body: ReviewRequest, options?: PostOptions): Promise<Decision> =>
    call<Decision>('POST', '/v1/decisions/{decision_id}/review', { params: { decision_id }, body }, options),
});
