// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions, PostOptions } from './call.ts';

import { byCursor } from './pages.ts';
import type { Label, LabelList, LabelQuery, LabelRequest } from './types.ts';

export const makeLabels = (call: Call) => ({
  /**
   * Label a transaction or event.
   *
   * Reports a chargeback or another outcome learned elsewhere. Resolving a case and overriding a decision add a label automatically. The newest label of an item applies. It counts at once, from the next screening on.
   *
   * Requires the permission `review`. Specific errors: `not_found`, `limit_reached`.
   */
  add: (body: LabelRequest, options?: PostOptions): Promise<Label> =>
    call<Label>('POST', '/v1/labels', { body }, options),

  /**
   * List labels.
   *
   * Newest first. Labels are kept after the 90 days of the labelled item.
   *
   * Requires the permission `read`.
   */
  list: (query?: LabelQuery, options?: CallOptions): Promise<LabelList> =>
    call<LabelList>('GET', '/v1/labels', { query }, options),
  /**
   * List labels: iterates over all of them, and requests each page when it is needed.
   *
   * Newest first. Labels are kept after the 90 days of the labelled item.
   *
   * Requires the permission `read`.
   */
  iterate: (query: LabelQuery = {}, options?: CallOptions): AsyncGenerator<Label, void, undefined> =>
    byCursor(
      (query: LabelQuery) => call<LabelList>('GET', '/v1/labels', { query }, options),
      query,
      (page) => page.labels,
      (item) => item.label_id,
    ),
  /**
   * Get a label.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  get: (label_id: string, options?: CallOptions): Promise<Label> =>
    call<Label>('GET', '/v1/labels/{label_id}', { params: { label_id } }, options),
});
