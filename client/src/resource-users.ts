// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions } from './call.ts';

import { byNext } from './pages.ts';
import type {
  RiskProfile,
  Series,
  SeriesQuery,
  Timeline,
  TimelineEntry,
  TimelineQuery,
  UserList,
  UserQuery,
  UserSummary,
  Usual,
  UsualQuery,
} from './types.ts';

export const makeUsers = (call: Call) => ({
  /**
   * Get a user's risk profile.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  getRiskProfile: (user_id: string, options?: CallOptions): Promise<RiskProfile> =>
    call<RiskProfile>('GET', '/v1/users/{user_id}/risk-profile', { params: { user_id } }, options),

  /**
   * List users by their newest activity.
   *
   * Users with an item of the last 90 days that matches all filters, or whose id begins with `q`.
   *
   * Requires the permission `read`.
   */
  list: (query?: UserQuery, options?: CallOptions): Promise<UserList> =>
    call<UserList>('GET', '/v1/users', { query }, options),
  /**
   * List users by their newest activity: iterates over all of them, and requests each page when it is needed.
   *
   * Users with an item of the last 90 days that matches all filters, or whose id begins with `q`.
   *
   * Requires the permission `read`.
   */
  iterate: (query: UserQuery = {}, options?: CallOptions): AsyncGenerator<UserSummary, void, undefined> =>
    byNext(
      (query: UserQuery) => call<UserList>('GET', '/v1/users', { query }, options),
      query,
      (page) => page.users,
      (page) => page.next_before,
    ),
  /**
   * List what a user did and what was decided about it.
   *
   * Transactions, events, labels and reviews of the last 90 days. `from` and `until` are times of the items.
   *
   * Requires the permission `read_personal`. Specific errors: `not_found`.
   */
  listTimeline: (user_id: string, query?: TimelineQuery, options?: CallOptions): Promise<Timeline> =>
    call<Timeline>('GET', '/v1/users/{user_id}/timeline', { params: { user_id }, query }, options),
  /**
   * List what a user did and what was decided about it: iterates over all of them, and requests each page when it is needed.
   *
   * Transactions, events, labels and reviews of the last 90 days. `from` and `until` are times of the items.
   *
   * Requires the permission `read_personal`. Specific errors: `not_found`.
   */
  iterateTimeline: (
    user_id: string,
    query: TimelineQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<TimelineEntry, void, undefined> =>
    byNext(
      (query: TimelineQuery) =>
        call<Timeline>('GET', '/v1/users/{user_id}/timeline', { params: { user_id }, query }, options),
      query,
      (page) => page.entries,
      (page) => page.next_before,
    ),
  /**
   * Get what is usual for a user.
   *
   * Amounts, hours, countries, devices, networks and payees of the newest 500 items, to compare a suspicious item with: set `until` to its time.
   *
   * Requires the permission `read_personal`. Specific errors: `not_found`.
   */
  getUsual: (user_id: string, query?: UsualQuery, options?: CallOptions): Promise<Usual> =>
    call<Usual>('GET', '/v1/users/{user_id}/usual', { params: { user_id }, query }, options),

  /**
   * Get the activity of a user over time.
   *
   * Items, amounts and scores of each hour or day, of the last 30 days unless `from` says otherwise.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  getSeries: (user_id: string, query?: SeriesQuery, options?: CallOptions): Promise<Series> =>
    call<Series>('GET', '/v1/users/{user_id}/series', { params: { user_id }, query }, options),
});
