// Made from the contract by `npm run client`; not to be edited.

import type { Call, CallOptions, PostOptions } from './call.ts';
import { byCursor } from './pages.ts';
import type { Label, LabelList, LabelQuery, LabelRequest } from './types.ts';

export const makeLabels = (call: Call) => ({
  /**
   * Label a transaction or event.
   *
   * For chargebacks and reports from elsewhere; resolving a case and overriding a decision label by themselves. The newest label of an item is in force. It is counted at once: screenings from now on know of it.
   *
   * Needs the permission `review`. Errors of its own: `not_found`.
   */
  add: (body: LabelRequest, options?: PostOptions): Promise<Label> =>
    call<Label>('POST', '/v1/labels', { body }, options),

  /**
   * List labels.
   *
   * Newest first. They outlive the 90 days of what they are about.
   *
   * Needs the permission `read`.
   */
  list: (query?: LabelQuery, options?: CallOptions): Promise<LabelList> =>
    call<LabelList>('GET', '/v1/labels', { query }, options),
  /**
   * List labels, all of them: a page is asked for when you come to it.
   *
   * Newest first. They outlive the 90 days of what they are about.
   *
   * Needs the permission `read`.
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
   * Needs the permission `read`. Errors of its own: `not_found`.
   */
  get: (label_id: string, options?: CallOptions): Promise<Label> =>
    call<Label>('GET', '/v1/labels/{label_id}', { params: { label_id } }, options),
});
