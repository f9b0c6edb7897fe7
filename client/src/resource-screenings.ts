// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions } from './call.ts';

import { byNext } from './pages.ts';
import type {
  Screening,
  ScreeningExportQuery,
  ScreeningGroupList,
  ScreeningGroupQuery,
  ScreeningList,
  ScreeningQuery,
  SearchQuery,
  SearchResult,
} from './types.ts';

export const makeScreenings = (call: Call) => ({
  /**
   * Search screened transactions and events.
   *
   * Newest first. All filters must match. Values are compared as screening compares them: an `email` also finds other spellings of the same mailbox. Filters by address, network, device, e-mail, payment fingerprint and text need the permission `read_personal` as well.
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
   * Newest first. All filters must match. Values are compared as screening compares them: an `email` also finds other spellings of the same mailbox. Filters by address, network, device, e-mail, payment fingerprint and text need the permission `read_personal` as well.
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
  /**
   * Group screened transactions and events.
   *
   * Counts the items that match, by one of their values. The newest 50,000 items are counted at most; `looked_back_to` says if there were more. Filters by address, network, device, e-mail, payment fingerprint and text need the permission `read_personal` as well. So do groups by them.
   *
   * Requires the permission `read`.
   */
  group: (query: ScreeningGroupQuery, options?: CallOptions): Promise<ScreeningGroupList> =>
    call<ScreeningGroupList>('GET', '/v1/screenings/groups', { query }, options),

  /**
   * Export screened transactions and events.
   *
   * The items that match, newest first, as a file: CSV with a header, or one JSON object per line. At most 100,000 rows: continue with `before`. A text in CSV that a spreadsheet would run as a formula begins with an apostrophe. If the export fails on its way, the connection is closed before the end of the response.
   *
   * Requires the permission `read_personal`.
   */
  export: (query: ScreeningExportQuery, options?: CallOptions): Promise<string> =>
    call<string>('GET', '/v1/screenings/export', { query, isText: true }, options),

  /**
   * Find anything by its id or value.
   *
   * Answers everything that the text may be: an id of the service, an address, an e-mail address, or your id of a user, device, payment instrument or payee. Addresses, networks, devices, e-mail addresses and payment instruments are found only with the permission `read_personal`.
   *
   * Requires the permission `read`.
   */
  search: (query: SearchQuery, options?: CallOptions): Promise<SearchResult> =>
    call<SearchResult>('GET', '/v1/search', { query }, options),
});
