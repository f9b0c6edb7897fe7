// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions, PostOptions } from './call.ts';

import type { Event, EventRequest, SubjectQuery } from './types.ts';

export const makeEvents = (call: Call) => ({
  /**
   * Screen an event.
   *
   * Scores a login, signup or other user action. A `review` opens a case.
   *
   * Requires the permission `screen`.
   */
  screen: (body: EventRequest, options?: PostOptions): Promise<Event> =>
    call<Event>('POST', '/v1/events', { body }, options),

  /**
   * Get a screened event.
   *
   * Results are kept for 90 days.
   *
   * Requires the permission `read`; with `include=subject` also `read_personal`. Specific errors: `not_found`.
   */
  get: (event_id: string, query?: SubjectQuery, options?: CallOptions): Promise<Event> =>
    call<Event>('GET', '/v1/events/{event_id}', { params: { event_id }, query }, options),
});
