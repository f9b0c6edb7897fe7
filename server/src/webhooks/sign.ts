import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { NEWEST_API_VERSION } from '@portcullis/contract/values';

const SECRET_PREFIX = 'whsec_';

/** The keys of one secret: the older scheme signs with its text, Standard Webhooks with the bytes after its prefix. */
export interface SigningKey {
  readonly text: KeyObject;
  readonly bytes: KeyObject;
}
export const signingKey = (secret: string): SigningKey => ({
  text: createSecretKey(secret, 'utf8'),
  bytes: createSecretKey(secret.slice(SECRET_PREFIX.length), 'base64'),
});

/**
 * The headers of one attempt. Stripe's libraries verify `X-Service-Signature`; Standard Webhooks libraries verify the
 * other three. Every key adds a signature, and a receiver needs to know only one of the keys.
 */
export const signedHeaders = (
  messageId: string,
  body: string,
  at: number,
  keys: readonly SigningKey[],
): Record<string, string> => {
  const time = Math.floor(at / 1000);
  const hex = keys.map(({ text }) => `v1=${createHmac('sha256', text).update(`${time}.${body}`).digest('hex')}`);
  const standard = keys.map(
    ({ bytes }) => `v1,${createHmac('sha256', bytes).update(`${messageId}.${time}.${body}`).digest('base64')}`,
  );
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': `Portcullis/${NEWEST_API_VERSION}`,
    'x-service-signature': `t=${time},${hex.join(',')}`,
    'webhook-id': messageId,
    'webhook-timestamp': String(time),
    'webhook-signature': standard.join(' '),
  };
};
