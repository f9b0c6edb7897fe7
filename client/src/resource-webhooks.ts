// Made from the contract by `npm run client`; not to be edited.

import type { Call, CallOptions, PostOptions } from './call.ts';
import { byCursor } from './pages.ts';
import type {
  Delivery,
  DeliveryList,
  DeliveryQuery,
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
   * The signing secret is in this answer and in no other.
   *
   * Needs the permission `administer`.
   */
  create: (body: WebhookRequest, options?: PostOptions): Promise<NewWebhook> =>
    call<NewWebhook>('POST', '/v1/webhooks', { body }, options),

  /**
   * List webhook endpoints.
   *
   * Needs the permission `read`.
   */
  list: (options?: CallOptions): Promise<WebhookList> => call<WebhookList>('GET', '/v1/webhooks', {}, options),

  /**
   * Get a webhook endpoint.
   *
   * Needs the permission `read`. Errors of its own: `not_found`.
   */
  get: (webhook_id: string, options?: CallOptions): Promise<Webhook> =>
    call<Webhook>('GET', '/v1/webhooks/{webhook_id}', { params: { webhook_id } }, options),

  /**
   * Change a webhook endpoint.
   *
   * Members left out stay as they are. What is still owed goes to the new URL. Enabling it lets what is owed be sent, and begins the count of failing days anew.
   *
   * Needs the permission `administer`. Errors of its own: `not_found`.
   */
  change: (webhook_id: string, body: WebhookChange, options?: CallOptions): Promise<Webhook> =>
    call<Webhook>('PUT', '/v1/webhooks/{webhook_id}', { params: { webhook_id }, body }, options),

  /**
   * Make a new signing secret.
   *
   * The new secret is in this answer and in no other. For 24 hours deliveries are signed with both.
   *
   * Needs the permission `administer`. Errors of its own: `not_found`.
   */
  rotateSecret: (webhook_id: string, options?: PostOptions): Promise<NewWebhook> =>
    call<NewWebhook>('POST', '/v1/webhooks/{webhook_id}/rotate-secret', { params: { webhook_id } }, options),

  /**
   * Send a test message.
   *
   * Sends `webhook.test` with the endpoint as its data, whatever the endpoint is subscribed to.
   *
   * Needs the permission `administer`. Errors of its own: `not_found`, `webhook_disabled`.
   */
  test: (webhook_id: string, options?: PostOptions): Promise<Delivery> =>
    call<Delivery>('POST', '/v1/webhooks/{webhook_id}/test', { params: { webhook_id } }, options),

  /**
   * List deliveries.
   *
   * What was and is to be sent to the endpoint, newest first. Kept for 30 days.
   *
   * Needs the permission `read`. Errors of its own: `not_found`.
   */
  listDeliveries: (webhook_id: string, query?: DeliveryQuery, options?: CallOptions): Promise<DeliveryList> =>
    call<DeliveryList>('GET', '/v1/webhooks/{webhook_id}/deliveries', { params: { webhook_id }, query }, options),
  /**
   * List deliveries, all of them: a page is asked for when you come to it.
   *
   * What was and is to be sent to the endpoint, newest first. Kept for 30 days.
   *
   * Needs the permission `read`. Errors of its own: `not_found`.
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
   * Send a delivery again.
   *
   * Now, whatever became of it before. One that had failed for good gets this one attempt more.
   *
   * Needs the permission `administer`. Errors of its own: `not_found`, `webhook_disabled`.
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
   * Nothing further is sent to it. A delivery already under way may still arrive.
   *
   * Needs the permission `administer`. Errors of its own: `not_found`.
   */
  delete: (webhook_id: string, options?: CallOptions): Promise<void> =>
    call<void>('DELETE', '/v1/webhooks/{webhook_id}', { params: { webhook_id } }, options),
});
