export { type VerifyWebhookOptions, verifyWebhook } from './verify-webhook.ts';
export { WebhookVerificationError, type WebhookVerificationReason } from './webhook-error.ts';
export type { WebhookHeaders } from './webhook-headers.ts';
export type { WebhookData, WebhookMessage } from './webhook-message.ts';
