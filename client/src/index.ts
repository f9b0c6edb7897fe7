export type {
  CallOptions,
  PostOptions,
  RetryOptions,
  /** @deprecated The former name of `RetryOptions`. */
  RetryOptions as Patience,
} from './call.ts';
export { type ClientOptions, createClient, type PortcullisClient } from './client.ts';
export { type ClientErrorCode, PortcullisError, type PortcullisErrorCode } from './error.ts';
export type { Fetch } from './exchange.ts';
export type { ListenOptions } from './listen.ts';
export { API_VERSION } from './resources.ts';
export type * from './types.ts';
export { type VerifyWebhookOptions, verifyWebhook } from './verify-webhook.ts';
export { WebhookVerificationError, type WebhookVerificationReason } from './webhook-error.ts';
export type { WebhookHeaders } from './webhook-headers.ts';
export type { WebhookData, WebhookMessage } from './webhook-message.ts';
