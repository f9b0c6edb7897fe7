// Made from the contract by `npm run client`; not to be edited.

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
   * Every account has `block`, `review`, `trusted` and, for trying it out, `test_addresses`.
   *
   * Needs the permission `read`.
   */
  list: (options?: CallOptions): Promise<Lists> => call<Lists>('GET', '/v1/lists', {}, options),

  /**
   * Create a list.
   *
   * Up to 100.
   *
   * Needs the permission `administer`. Errors of its own: `list_exists`, `limit_reached`.
   */
  create: (body: ListRequest, options?: PostOptions): Promise<List> =>
    call<List>('POST', '/v1/lists', { body }, options),

  /**
   * Check what is on lists.
   *
   * Tells which entries a user, an address and so on meet, and why these are there.
   *
   * Needs the permission `read`.
   */
  check: (body: ListCheckRequest, options?: PostOptions): Promise<ListCheck> =>
    call<ListCheck>('POST', '/v1/lists/check', { body }, options),

  /**
   * Get a list.
   *
   * Needs the permission `read`. Errors of its own: `not_found`.
   */
  get: (list_id: string, options?: CallOptions): Promise<List> =>
    call<List>('GET', '/v1/lists/{list_id}', { params: { list_id } }, options),

  /**
   * Change a list.
   *
   * Members left out stay as they are. In force for every screening that begins after the answer.
   *
   * Needs the permission `administer`. Errors of its own: `not_found`, `list_built_in`.
   */
  change: (list_id: string, body: ListChange, options?: CallOptions): Promise<List> =>
    call<List>('PUT', '/v1/lists/{list_id}', { params: { list_id }, body }, options),

  /**
   * Delete a list.
   *
   * With everything on it. Refused while a live or shadow rule names it.
   *
   * Needs the permission `administer`. Errors of its own: `not_found`, `list_built_in`, `list_in_use`.
   */
  delete: (list_id: string, options?: CallOptions): Promise<void> =>
    call<void>('DELETE', '/v1/lists/{list_id}', { params: { list_id } }, options),

  /**
   * List what is on a list.
   *
   * Newest first.
   *
   * Needs the permission `read`. Errors of its own: `not_found`, `list_built_in`.
   */
  listEntries: (list_id: string, query?: ListEntryQuery, options?: CallOptions): Promise<ListEntryList> =>
    call<ListEntryList>('GET', '/v1/lists/{list_id}/entries', { params: { list_id }, query }, options),
  /**
   * List what is on a list, all of them: a page is asked for when you come to it.
   *
   * Newest first.
   *
   * Needs the permission `read`. Errors of its own: `not_found`, `list_built_in`.
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
   * Add entries to a list.
   *
   * Up to 1,000 at once and 1,000,000 on all lists together. All are taken, or none. An entry that is there is replaced. In force for every screening that begins after the answer.
   *
   * Needs the permission `administer`. Errors of its own: `not_found`, `list_built_in`, `limit_reached`.
   */
  addEntries: (list_id: string, body: ListEntriesRequest, options?: PostOptions): Promise<ListEntriesAdded> =>
    call<ListEntriesAdded>('POST', '/v1/lists/{list_id}/entries', { params: { list_id }, body }, options),

  /**
   * Take an entry off a list.
   *
   * Needs the permission `administer`. Errors of its own: `not_found`, `list_built_in`.
   */
  removeEntry: (list_id: string, query: ListEntryRemoval, options?: CallOptions): Promise<void> =>
    call<void>('DELETE', '/v1/lists/{list_id}/entries', { params: { list_id }, query }, options),
});
