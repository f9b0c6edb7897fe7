// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions } from './call.ts';
import { byNext } from './pages.ts';
import type { Screening, ScreeningList, ScreeningQuery } from './types.ts';

export const makeScreenings = (call: Call) => ({
  /**
   * Search screened transactions and events.
   *
   * Newest first. All filters must match. Values are compared as screening compares them: an `email` also finds other spellings of the same mailbox. Filters by address, network, device, e-mail and payment fingerprint need the permission `read_personal` as well.
   *
   * Search is written shortly after each screening: `as_of` says up to when it is complete. Items are kept for 90 days.
   *
   * Requires the permission `read`.
   */
  list: (query?: ScreeningQuery, options?: CallOptions): Promise<ScreeningList> =>
    call<ScreeningList>('GET', '/v1/screenings', { query }, options),
  /**
   * Search screened transactions and events: iterates over all of them, and requests each page when it is needed.
   *
   * Newest first. All filters must match. Values are compared as screening compares them: an `email` also finds other spellings of the same mailbox. Filters by address, network, device, e-mail and payment fingerprint need the permission `read_personal` as well.
   *
   * Search is written shortly after each screening: `as_of` says up to when it is complete. Items are kept for 90 days.
   *
   * Requires the permission `read`.
   */
  iterate: (query: ScreeningQuery = {}, options?: CallOptions): AsyncGenerator<Screening, void, undefined> =>
    byNext(
      (query: ScreeningQuery) => call<ScreeningList>('GET', '/v1/screenings', { query }, options),
      query,
      (page) => page.screenings,
      (page) => page.next_before,
    ),
});
