// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions, PostOptions } from './call.ts';

import type { View, ViewChange, ViewList, ViewQuery, ViewRequest } from './types.ts';

export const makeViews = (call: Call) => ({
  /**
   * List saved views.
   *
   * Your own views and those that others share.
   *
   * Requires the permission `read`.
   */
  list: (query?: ViewQuery, options?: CallOptions): Promise<ViewList> =>
    call<ViewList>('GET', '/v1/views', { query }, options),

  /**
   * Save a view.
   *
   * The view belongs to the person of the session, or to the API key. Each has at most 50 views, of which an account shares at most 100 in an environment. A shared view also needs the permission `review`.
   *
   * Requires the permission `read`. Specific errors: `limit_reached`.
   */
  create: (body: ViewRequest, options?: PostOptions): Promise<View> =>
    call<View>('POST', '/v1/views', { body }, options),

  /**
   * Change a saved view.
   *
   * Omitted fields keep their value. Views of others can be changed with the permission `administer`, if they are shared.
   *
   * Requires the permission `read`. Specific errors: `not_found`, `limit_reached`.
   */
  change: (view_id: string, body: ViewChange, options?: CallOptions): Promise<View> =>
    call<View>('PUT', '/v1/views/{view_id}', { params: { view_id }, body }, options),

  /**
   * Delete a saved view.
   *
   * Views of others can be deleted with the permission `administer`, if they are shared.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  delete: (view_id: string, options?: CallOptions): Promise<void> =>
    call<void>('DELETE', '/v1/views/{view_id}', { params: { view_id } }, options),
});
