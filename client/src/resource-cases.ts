// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions, PostOptions } from './call.ts';

import { byCreation, byCursor } from './pages.ts';
import type {
  Case,
  CaseActivity,
  CaseAssignment,
  CaseBulkResolution,
  CaseDetailQuery,
  CaseList,
  CaseNote,
  CaseNoteList,
  CaseNoteQuery,
  CaseNoteRequest,
  CasePresence,
  CasePresenceRequest,
  CasePriority,
  CaseQuery,
  CaseReopening,
  CaseResolution,
  CaseResults,
  CaseSnooze,
  CaseTags,
  NextCase,
} from './types.ts';

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
   * Requires the permission `read`; with `include=subject` also `read_personal`; with `include=usual` also `read_personal`. Specific errors: `not_found`.
   */
  get: (case_id: string, query?: CaseDetailQuery, options?: CallOptions): Promise<Case> =>
    call<Case>('GET', '/v1/cases/{case_id}', { params: { case_id }, query }, options),

  /**
   * Resolve a case.
   *
   * A case can be resolved while it is open. It expires after 7 days.
   *
   * Requires the permission `review`. Specific errors: `not_found`, `case_not_open`, `case_expired`.
   */
  resolve: (case_id: string, body: CaseResolution, options?: CallOptions): Promise<Case> =>
    call<Case>('PUT', '/v1/cases/{case_id}', { params: { case_id }, body }, options),

  /**
   * Resolve several cases.
   *
   * Resolves each case as the resolution of a single case does. Each has a result of its own: a case that cannot be resolved does not keep the others from being resolved.
   *
   * Requires the permission `review`.
   */
  resolveMany: (body: CaseBulkResolution, options?: PostOptions): Promise<CaseResults> =>
    call<CaseResults>('POST', '/v1/cases/resolve', { body }, options),

  /**
   * Reopen a resolved case.
   *
   * Within a day of its resolution, and before it would have expired, a case can be opened again for another look. The review and the label of the resolution stay in force until the case is resolved again; the new ones replace them.
   *
   * Requires the permission `review`. Specific errors: `not_found`, `case_not_resolved`, `case_expired`, `limit_reached`.
   */
  reopen: (case_id: string, body: CaseReopening, options?: PostOptions): Promise<Case> =>
    call<Case>('POST', '/v1/cases/{case_id}/reopen', { params: { case_id }, body }, options),

  /**
   * Assign a case, or release it.
   *
   * The assignee of an open case can hand it over or release it; anybody else needs `force`. Of two people who claim a case at once, one gets 200 and the other 409 `case_taken`.
   *
   * Requires the permission `review`. Specific errors: `not_found`, `case_taken`, `case_not_open`, `case_expired`.
   */
  assign: (case_id: string, body: CaseAssignment, options?: CallOptions): Promise<Case> =>
    call<Case>('PUT', '/v1/cases/{case_id}/assignment', { params: { case_id }, body }, options),

  /**
   * Take the next waiting case.
   *
   * Assigns the first open case without an assignee that matches the filter. Two people who ask at once get two cases.
   *
   * Requires the permission `review`. Specific errors: `none_waiting`.
   */
  takeNext: (body: NextCase, options?: PostOptions): Promise<Case> =>
    call<Case>('POST', '/v1/cases/next', { body }, options),

  /**
   * Set the priority of a case.
   *
   * A case is opened with the priority `normal`.
   *
   * Requires the permission `review`. Specific errors: `not_found`.
   */
  setPriority: (case_id: string, body: CasePriority, options?: CallOptions): Promise<Case> =>
    call<Case>('PUT', '/v1/cases/{case_id}/priority', { params: { case_id }, body }, options),

  /**
   * Set the tags of a case.
   *
   * Replaces all tags of the case.
   *
   * Requires the permission `review`. Specific errors: `not_found`.
   */
  setTags: (case_id: string, body: CaseTags, options?: CallOptions): Promise<Case> =>
    call<Case>('PUT', '/v1/cases/{case_id}/tags', { params: { case_id }, body }, options),

  /**
   * Set a case aside until a time.
   *
   * A snoozed case stays open and keeps its assignee and its expiry. `POST /v1/cases/next` gives it to nobody until then.
   *
   * Requires the permission `review`. Specific errors: `not_found`, `case_not_open`, `case_expired`.
   */
  snooze: (case_id: string, body: CaseSnooze, options?: CallOptions): Promise<Case> =>
    call<Case>('PUT', '/v1/cases/{case_id}/snooze', { params: { case_id }, body }, options),

  /**
   * Show that you have a case open.
   *
   * Send it every 20 seconds while the case is open. The response has all who do; 45 seconds after their last request they are gone. Presence is not stored, and not audited.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  setPresence: (case_id: string, body: CasePresenceRequest, options?: CallOptions): Promise<CasePresence> =>
    call<CasePresence>('PUT', '/v1/cases/{case_id}/presence', { params: { case_id }, body }, options),

  /**
   * Get the activity of a case.
   *
   * Who did what with the case, newest first.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  getActivity: (case_id: string, options?: CallOptions): Promise<CaseActivity> =>
    call<CaseActivity>('GET', '/v1/cases/{case_id}/activity', { params: { case_id } }, options),

  /**
   * Add a note to a case.
   *
   * A case of any status can have notes, up to 200. They cannot be changed or deleted.
   *
   * Requires the permission `review`. Specific errors: `not_found`, `limit_reached`.
   */
  addNote: (case_id: string, body: CaseNoteRequest, options?: PostOptions): Promise<CaseNote> =>
    call<CaseNote>('POST', '/v1/cases/{case_id}/notes', { params: { case_id }, body }, options),

  /**
   * List the notes of a case.
   *
   * Newest first.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  listNotes: (case_id: string, query?: CaseNoteQuery, options?: CallOptions): Promise<CaseNoteList> =>
    call<CaseNoteList>('GET', '/v1/cases/{case_id}/notes', { params: { case_id }, query }, options),
  /**
   * List the notes of a case: iterates over all of them, and requests each page when it is needed.
   *
   * Newest first.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  iterateNotes: (
    case_id: string,
    query: CaseNoteQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<CaseNote, void, undefined> =>
    byCursor(
      (query: CaseNoteQuery) =>
        call<CaseNoteList>('GET', '/v1/cases/{case_id}/notes', { params: { case_id }, query }, options),
      query,
      (page) => page.notes,
      (item) => item.note_id,
    ),
});
