import type { IncomingHttpHeaders } from 'node:http';
import { verifyWebhook, type WebhookMessage, WebhookVerificationError } from '@portcullis/client';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';

export interface Verified {
  /** Undefined unless all three accepted the delivery. */
  readonly message: WebhookMessage | undefined;
  /** The result of each library, as text. */
  readonly outcomes: string;
}

const accepts = (secrets: readonly string[], verify: (secret: string) => unknown): boolean =>
  secrets.some((secret) => {
    try {
      verify(secret);
      return true;
    } catch {
      return false;
    }
  });

/** Verifies a delivery with three libraries. One is enough; choose any. All need the raw body: serialised JSON has different bytes. */
export const verifyThrice = async (
  body: Buffer,
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
): Promise<Verified> => {
  let message: WebhookMessage | undefined;
  let client = 'ok';
  try {
    message = await verifyWebhook(body, headers, secrets);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    client = error.reason;
  }
  const signature = String(headers['x-service-signature']);
  const stripe = accepts(secrets, (secret) => Stripe.webhooks.constructEvent(body, signature, secret));
  const standard = accepts(secrets, (secret) => new Webhook(secret).verify(body, headers as Record<string, string>));
  const word = (accepted: boolean): string => (accepted ? 'ok' : 'refused');
  return {
    message: stripe && standard ? message : undefined,
    outcomes: `client ${client}, stripe ${word(stripe)}, standardwebhooks ${word(standard)}`,
  };
};
