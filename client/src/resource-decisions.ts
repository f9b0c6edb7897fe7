// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions, PostOptions } from './call.ts';

import type { Decision, DecisionQuery, Replay, ReplayRequest, ReviewRequest } from './types.ts';

export const makeDecisions = (call: Call) => ({
  /**
   * Get a decision.
   *
   * Returns the decision with the factors that make up its score and its reviews. Kept for 90 days.
   *
   * Requires the permission `read`; with `include=subject` also `read_personal`. Specific errors: `not_found`.
   */
  get: (decision_id: string, query?: DecisionQuery, options?: CallOptions): Promise<Decision> =>
    call<Decision>('GET', '/v1/decisions/{decision_id}', { params: { decision_id }, query }, options),

  /**
   * Override a decision.
   *
   * A decision can be overridden several times: the latest override applies. It also resolves the open case of the decision.
   *
   * Requires the permission `review`. Specific errors: `not_found`, `limit_reached`.
   */
  review: (decision_id: string, body: ReviewRequest, options?: PostOptions): Promise<Decision> =>
    call<Decision>('POST', '/v1/decisions/{decision_id}/review', { params: { decision_id }, body }, options),

  /**
   * Replay a decision.
   *
   * Decides a stored screening again, by the policy and the model of that time or of now, or by a changed policy. It uses the facts and list matches that were stored with the screening: nothing newer is known. Nothing is stored.
   *
   * Requires the permission `read`. Specific errors: `not_found`, `not_replayable`.
   */
  replay: (decision_id: string, body: ReplayRequest, options?: PostOptions): Promise<Replay> =>
    call<Replay>('POST', '/v1/decisions/{decision_id}/replay', { params: { decision_id }, body }, options),
});
