// Generated from the contract by `npm run client`. Do not edit.

import type { Call, CallOptions, PostOptions } from './call.ts';

import { byCursor } from './pages.ts';
import type {
  DeliveriesRetried,
  Delivery,
  DeliveryDetail,
  DeliveryList,
  DeliveryQuery,
  DeliveryRetry,
  NewWebhook,
  Webhook,
  WebhookChange,
  WebhookList,
  WebhookRequest,
} from './types.ts';

export const makeWebhooks = (call: Call) => ({
  /**
   * Register a webhook endpoint.
   *
   * The signing secret is returned only in this response.
   *
   * Requires the permission `administer`. Specific errors: `limit_reached`.
   */
  create: (body: WebhookRequest, options?: PostOptions): Promise<NewWebhook> =>
    call<NewWebhook>('POST', '/v1/webhooks', { body }, options),

  /**
   * List webhook endpoints.
   *
   * Requires the permission `read`.
   */
  list: (options?: CallOptions): Promise<WebhookList> => call<WebhookList>('GET', '/v1/webhooks', {}, options),

  /**
   * Get a webhook endpoint.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  get: (webhook_id: string, options?: CallOptions): Promise<Webhook> =>
    call<Webhook>('GET', '/v1/webhooks/{webhook_id}', { params: { webhook_id } }, options),

  /**
   * Change a webhook endpoint.
   *
   * Omitted fields keep their value. Pending deliveries go to the new URL. Enabling the endpoint resumes its pending deliveries and resets the count of failing days.
   *
   * Requires the permission `administer`. Specific errors: `not_found`.
   */
  change: (webhook_id: string, body: WebhookChange, options?: CallOptions): Promise<Webhook> =>
    call<Webhook>('PUT', '/v1/webhooks/{webhook_id}', { params: { webhook_id }, body }, options),

  /**
   * Rotate the signing secret.
   *
   * The new secret is returned only in this response. For 24 hours deliveries are signed with both secrets.
   *
   * Requires the permission `administer`. Specific errors: `not_found`.
   */
  rotateSecret: (webhook_id: string, options?: PostOptions): Promise<NewWebhook> =>
    call<NewWebhook>('POST', '/v1/webhooks/{webhook_id}/rotate-secret', { params: { webhook_id } }, options),

  /**
   * Send a test message.
   *
   * Sends `webhook.test` with the endpoint as its data, regardless of its subscriptions.
   *
   * Requires the permission `administer`. Specific errors: `not_found`, `webhook_disabled`.
   */
  test: (webhook_id: string, options?: PostOptions): Promise<Delivery> =>
    call<Delivery>('POST', '/v1/webhooks/{webhook_id}/test', { params: { webhook_id } }, options),

  /**
   * List deliveries.
   *
   * Past and pending deliveries of the endpoint, newest first. Kept for 30 days.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  listDeliveries: (webhook_id: string, query?: DeliveryQuery, options?: CallOptions): Promise<DeliveryList> =>
    call<DeliveryList>('GET', '/v1/webhooks/{webhook_id}/deliveries', { params: { webhook_id }, query }, options),
  /**
   * List deliveries: iterates over all of them, and requests each page when it is needed.
   *
   * Past and pending deliveries of the endpoint, newest first. Kept for 30 days.
   *
   * Requires the permission `read`. Specific errors: `not_found`.
   */
  iterateDeliveries: (
    webhook_id: string,
    query: DeliveryQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<Delivery, void, undefined> =>
    byCursor(
      (query: DeliveryQuery) =>
        call<DeliveryList>('GET', '/v1/webhooks/{webhook_id}/deliveries', { params: { webhook_id }, query }, options),
      query,
      (page) => page.deliveries,
      (item) => item.message_id,
    ),
  /**
   * Get a delivery with its message.
   *
   * Requires the permission `administer`. Specific errors: `not_found`.
   */
  getDelivery: (webhook_id: string, message_id: string, options?: CallOptions): Promise<DeliveryDetail> =>
    call<DeliveryDetail>(
      'GET',
      '/v1/webhooks/{webhook_id}/deliveries/{message_id}',
      { params: { webhook_id, message_id } },
      options,
    ),

  /**
   * Retry failed deliveries.
   *
   * Sends the oldest 1,000 failed messages again, one extra attempt each.
   *
   * Requires the permission `administer`. Specific errors: `not_found`, `webhook_disabled`.
   */
  retryDeliveries: (webhook_id: string, body: DeliveryRetry, options?: PostOptions): Promise<DeliveriesRetried> =>
    call<DeliveriesRetried>(
      'POST',
      '/v1/webhooks/{webhook_id}/deliveries/retry',
      { params: { webhook_id }, body },
      options,
    ),

  /**
   * Retry a delivery.
   *
   * Sends the message again at once, whatever its status. A failed delivery gets this one extra attempt.
   *
   * Requires the permission `administer`. Specific errors: `not_found`, `webhook_disabled`.
   */
  retryDelivery: (webhook_id: string, message_id: string, options?: PostOptions): Promise<Delivery> =>
    call<Delivery>(
      'POST',
      '/v1/webhooks/{webhook_id}/deliveries/{message_id}/retry',
      { params: { webhook_id, message_id } },
      options,
    ),

  /**
   * Delete a webhook endpoint.
   *
   * No further deliveries are sent to it. A delivery in progress may still arrive.
   *
   * Requires the permission `administer`. Specific errors: `not_found`.
   */
  delete: (webhook_id: string, options?: CallOptions): Promise<void> =>
    call<void>('DELETE', '/v1/webhooks/{webhook_id}', { params: { webhook_id } }, options),
});
