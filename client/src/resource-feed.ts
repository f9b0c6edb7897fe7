// Generated from the contract by `npm run client`. Do not edit.

import type { Call } from './call.ts';
import { type ListenOptions, listen } from './listen.ts';

import type { FeedEvent, FeedQuery } from './types.ts';

export const makeFeed = (call: Call) => ({
  /**
   * Listen to new cases, reviews and blocks.
   *
   * Server-sent events: the response does not end. To resume after an event, send its `id` as `Last-Event-ID`; events are kept for 24 hours. A comment is sent every 15 seconds. The stream ends when the service stops or the key is revoked. An event may come twice.
   *
   * Requires the permission `read`.
   */
  listen: (query?: FeedQuery, options?: ListenOptions): AsyncGenerator<FeedEvent, void, undefined> =>
    listen<FeedEvent>(call, '/v1/feed', query, options),
});
