// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions, PostOptions } from './call.ts';

import { byCursor } from './pages.ts';
import type {
  List,
  ListChange,
  ListCheck,
  ListCheckRequest,
  ListEntriesAdded,
  ListEntriesRequest,
  ListEntry,
  ListEntryList,
  ListEntryQuery,
  ListEntryRemoval,
  ListRequest,
  Lists,
} from './types.ts';

export const makeLists = (call: Call) => ({
  /**
   * List the lists.
   *
   * Every account has the lists `block`, `review` and `trusted`, and `test_addresses` for integration tests.
   *
   * Requires the permission `read`.
   */
  list: (options?: CallOptions): Promise<Lists> => call<Lists>('GET', '/v1/lists', {}, options),

  /**
   * Create a list.
   *
   * An account can have up to 100 lists.
   *
   * Requires the permission `tune`. Specific errors: `list_exists`, `limit_reached`.
   */
  create: (body: ListRequest, options?: PostOptions): Promise<List> =>
    call<List>('POST', '/v1/lists', { body }, options),

  /**
   * Check values against the lists.
   *
   * Returns the entries that match a user, an address or other values, with the reason of each entry.
   *
   * Requires the permission `read`.
   */
  check: (body: ListCheckRequest, options?: PostOptions): Promise<ListCheck> =>
    call<ListCheck>('POST', '/v1/lists/check', { body }, options),

  /**
   * Get a list.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  get: (list_id: string, options?: CallOptions): Promise<List> =>
    call<List>('GET', '/v1/lists/{list_id}', { params: { list_id } }, options),

  /**
   * Change a list.
   *
   * Omitted fields keep their value. Applies to every screening that starts after the response.
   *
   * Requires the permission `tune`. Specific errors: `not_found`, `list_built_in`.
   */
  change: (list_id: string, body: ListChange, options?: CallOptions): Promise<List> =>
    call<List>('PUT', '/v1/lists/{list_id}', { params: { list_id }, body }, options),

  /**
   * Delete a list.
   *
   * Deletes the list with all its entries. Refused while a live or shadow rule uses it.
   *
   * Requires the permission `tune`. Specific errors: `not_found`, `list_built_in`, `list_in_use`.
   */
  delete: (list_id: string, options?: CallOptions): Promise<void> =>
    call<void>('DELETE', '/v1/lists/{list_id}', { params: { list_id } }, options),

  /**
   * List the entries of a list.
   *
   * Newest first.
   *
   * Requires the permission `read`. Specific errors: `not_found`, `list_built_in`.
   */
  listEntries: (list_id: string, query?: ListEntryQuery, options?: CallOptions): Promise<ListEntryList> =>
    call<ListEntryList>('GET', '/v1/lists/{list_id}/entries', { params: { list_id }, query }, options),
  /**
   * List the entries of a list: iterates over all of them, and requests each page when it is needed.
   *
   * Newest first.
   *
   * Requires the permission `read`. Specific errors: `not_found`, `list_built_in`.
   */
  iterateEntries: (
    list_id: string,
    query: ListEntryQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<ListEntry, void, undefined> =>
    byCursor(
      (query: ListEntryQuery) =>
        call<ListEntryList>('GET', '/v1/lists/{list_id}/entries', { params: { list_id }, query }, options),
      query,
      (page) => page.entries,
      (item) => item.entry_id,
    ),
  /**
   * Export the entries of a list.
   *
   * All entries that are not expired, newest first, as CSV with a header. A text that a spreadsheet would run as a formula begins with an apostrophe.
   *
   * Requires the permission `read_personal`. Specific errors: `not_found`, `list_built_in`.
   */
  export: (list_id: string, options?: CallOptions): Promise<string> =>
    call<string>('GET', '/v1/lists/{list_id}/export', { params: { list_id }, isText: true }, options),

  /**
   * Add entries to a list.
   *
   * Up to 1,000 entries per request and 1,000,000 on all lists together. Either all entries are added or none. An existing entry is replaced. Applies to every screening that starts after the response. Without the permission `tune` the list must be open to analysts, and the entries must end within 90 days.
   *
   * Requires the permission `review`. Specific errors: `not_found`, `list_built_in`, `limit_reached`.
   */
  addEntries: (list_id: string, body: ListEntriesRequest, options?: PostOptions): Promise<ListEntriesAdded> =>
    call<ListEntriesAdded>('POST', '/v1/lists/{list_id}/entries', { params: { list_id }, body }, options),

  /**
   * Remove an entry from a list.
   *
   * Requires the permission `tune`. Specific errors: `not_found`, `list_built_in`.
   */
  removeEntry: (list_id: string, query: ListEntryRemoval, options?: CallOptions): Promise<void> =>
    call<void>('DELETE', '/v1/lists/{list_id}/entries', { params: { list_id }, query }, options),
});
