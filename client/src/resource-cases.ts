// Made from the contract by `npm run client`; not to be edited.

import type { Call, CallOptions } from './call.ts';
import { byCreation } from './pages.ts';
import type { Case, CaseList, CaseQuery, CaseResolution } from './types.ts';

export const makeCases = (call: Call) => ({
  /**
   * List cases.
   *
   * Newest first.
   *
   * Needs the permission `read`.
   */
  list: (query?: CaseQuery, options?: CallOptions): Promise<CaseList> =>
    call<CaseList>('GET', '/v1/cases', { query }, options),
  /**
   * List cases, all of them: a page is asked for when you come to it.
   *
   * Newest first.
   *
   * Needs the permission `read`.
   */
  iterate: (query: Omit<CaseQuery, 'offset'> = {}, options?: CallOptions): AsyncGenerator<Case, void, undefined> =>
    byCreation((query: CaseQuery) => call<CaseList>('GET', '/v1/cases', { query }, options), query),
  /**
   * Get a case.
   *
   * Needs the permission `read`. Errors of its own: `not_found`.
   */
  get: (case_id: string, options?: CallOptions): Promise<Case> =>
    call<Case>('GET', '/v1/cases/{case_id}', { params: { case_id } }, options),

  /**
   * Resolve a case.
   *
   * Only an open case can be resolved, once, within 7 days.
   *
   * Needs the permission `review`. Errors of its own: `not_found`, `case_not_open`, `case_expired`.
   */
  resolve: (case_id: string, body: CaseResolution, options?: CallOptions): Promise<Case> =>
    call<Case>('PUT', '/v1/cases/{case_id}', { params: { case_id }, body }, options),
});
