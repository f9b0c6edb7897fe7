// Generated from the contract by `npm run client`. Do not edit.

import type { Call, PostOptions } from './call.ts';

import type { ImportRequest, ImportResult } from './types.ts';

export const makeImports = (call: Call) => ({
  /**
   * Import past transactions, events and labels.
   *
   * Counts up to 200 items in the histories at the time they happened, and stores them as imported. They open no case and send no webhook. Send items in the order of time, one request after the other. A request can be repeated at any time: an `id` is imported once. After an error, send the same request again.
   *
   * Requires the permission `tune`. Specific errors: `limit_reached`.
   */
  create: (body: ImportRequest, options?: PostOptions): Promise<ImportResult> =>
    call<ImportResult>('POST', '/v1/imports', { body }, options),
});
