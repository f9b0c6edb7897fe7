export type WebhookVerificationReason =
  | 'missing_signature'
  | 'malformed_signature'
  | 'no_match'
  | 'too_old'
  | 'too_new'
  | 'malformed_body'
  | 'malformed_secret';

/** Reason to reject a delivery. Messages contain neither secrets nor any part of the delivery, so they are safe to log. */
export class WebhookVerificationError extends Error {
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.reason = reason;
  }
}
