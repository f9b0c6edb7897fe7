// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions } from './call.ts';
import { byCreation } from './pages.ts';
import type { Case, CaseList, CaseQuery, CaseResolution, SubjectQuery } from './types.ts';

export const makeCases = (call: Call) => ({
  /**
   * List cases.
   *
   * Newest first.
   *
   * Requires the permission `read`.
   */
  list: (query?: CaseQuery, options?: CallOptions): Promise<CaseList> =>
    call<CaseList>('GET', '/v1/cases', { query }, options),
  /**
   * List cases: iterates over all of them, and requests each page when it is needed.
   *
   * Newest first.
   *
   * Requires the permission `read`.
   */
  iterate: (
    query: Omit<CaseQuery, 'offset' | 'sort'> = {},
    options?: CallOptions,
  ): AsyncGenerator<Case, void, undefined> =>
    byCreation((query: CaseQuery) => call<CaseList>('GET', '/v1/cases', { query }, options), query),
  /**
   * Get a case.
   *
   * Requires the permission `read`; with `include=subject` also `read_personal`. Specific errors: `not_found`.
   */
  get: (case_id: string, query?: SubjectQuery, options?: CallOptions): Promise<Case> =>
    call<Case>('GET', '/v1/cases/{case_id}', { params: { case_id }, query }, options),

  /**
   * Resolve a case.
   *
   * A case can be resolved once, while it is open. It expires after 7 days.
   *
   * Requires the permission `review`. Specific errors: `not_found`, `case_not_open`, `case_expired`.
   */
  resolve: (case_id: string, body: CaseResolution, options?: CallOptions): Promise<Case> =>
    call<Case>('PUT', '/v1/cases/{case_id}', { params: { case_id }, body }, options),
});
