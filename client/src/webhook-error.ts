export type WebhookVerificationReason =
  | 'missing_signature'
  | 'malformed_signature'
  | 'no_match'
  | 'too_old'
  | 'too_new'
  | 'malformed_body'
  | 'malformed_secret';

/** Why a delivery must not be believed. Messages quote neither secrets nor anything of the delivery, so they may be logged. */
export class WebhookVerificationError extends Error {
  readonly reason: WebhookVerificationReason;

  constructor(reason: WebhookVerificationReason, message: string) {
    super(message);
    this.name = 'WebhookVerificationError';
    this.reason = reason;
  }
}
