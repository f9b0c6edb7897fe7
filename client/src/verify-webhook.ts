import { WebhookVerificationError } from './webhook-error.ts';
import { type Claim, readClaims, type WebhookHeaders } from './webhook-headers.ts';
import type { WebhookMessage } from './webhook-message.ts';

export interface VerifyWebhookOptions {
  /** Maximum difference between the time of the signature and the clock. Default 300. */
  readonly toleranceSeconds?: number;
  /** The clock, in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
// The key sizes of Standard Webhooks. With an empty key, anyone could sign.
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;

type Bytes = Uint8Array<ArrayBuffer>;

/** The key of each scheme: `service` uses the secret as text, `standard` the decoded bytes. */
const keysOf = (secret: string): Record<Claim['scheme'], Bytes> => {
  const encoded = typeof secret === 'string' ? SECRET.exec(secret)?.[1] : undefined;
  const standard = Uint8Array.from(atob(encoded ?? ''), (character) => character.charCodeAt(0));
  if (standard.length < MIN_KEY_BYTES || standard.length > MAX_KEY_BYTES) {
    throw new WebhookVerificationError(
      'malformed_secret',
      'The secret is not a Portcullis signing secret. Pass the signing_secret of the endpoint unchanged, with whsec_ and without spaces or line breaks.',
    );
  }
  return { service: new TextEncoder().encode(secret), standard };
};

const readSecrets = (secret: string | readonly string[]): Record<Claim['scheme'], Bytes>[] => {
  const secrets = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0) {
    throw new WebhookVerificationError(
      'malformed_secret',
      'No secret was given. Pass the signing_secret of the endpoint.',
    );
  }
  return secrets.map(keysOf);
};

const readBody = (body: string | Uint8Array): Bytes => {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return new Uint8Array(body);
  throw new WebhookVerificationError(
    'malformed_body',
    'The body is neither text nor bytes. Pass the raw body, before it is parsed as JSON.',
  );
};

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** Compares in constant time, so that the duration does not reveal how much of a guess is right. */
const isEqual = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
};

const sign = async (keyBytes: Bytes, scheme: Claim['scheme'], signed: Bytes): Promise<string> => {
  const key = await crypto.subtle.importKey('raw', keyBytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  // Signatures are compared as text: several base64 texts decode to the same bytes, but only one of them is valid.
  return scheme === 'service' ? hex(signature) : base64(signature);
};

const matches = async (claim: Claim, body: Bytes, secrets: ReturnType<typeof readSecrets>): Promise<boolean> => {
  const prefix = new TextEncoder().encode(claim.prefix);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  const expected = await Promise.all(secrets.map((keys) => sign(keys[claim.scheme], claim.scheme, signed)));
  return expected.filter((one) => claim.signatures.filter((given) => isEqual(one, given)).length > 0).length > 0;
};

const checkTime = (claim: Claim, options: VerifyWebhookOptions): void => {
  const tolerance = options.toleranceSeconds ?? DEFAULT_TOLERANCE_SECONDS;
  const age = Math.floor((options.now ?? Date.now)() / 1000) - claim.seconds;
  // Written as a negation, so that a tolerance or clock of NaN refuses every delivery instead of none.
  if (!(age <= tolerance)) {
    throw new WebhookVerificationError(
      'too_old',
      'The delivery was signed too long ago: it is a replay, or a clock is wrong. Check your clock. Portcullis signs every attempt with the current time.',
    );
  }
  if (!(age >= -tolerance)) {
    throw new WebhookVerificationError('too_new', 'The delivery was signed in the future. Set your clock.');
  }
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const parse = (body: Bytes): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return undefined;
  }
};

const readMessage = (body: Bytes): WebhookMessage => {
  const message = parse(body);
  const texts = ['id', 'type', 'timestamp', 'environment', 'api_version'];
  if (!isObject(message) || !isObject(message.data) || !texts.every((name) => typeof message[name] === 'string')) {
    throw new WebhookVerificationError('malformed_body', 'The body is signed, but is not a Portcullis message.');
  }
  return message as WebhookMessage;
};

/**
 * Verifies that a delivery comes from Portcullis, is complete and was sent recently. Rejects with a `WebhookVerificationError` otherwise.
 *
 * `body` is the raw body, byte for byte. Several secrets may be passed during a rotation. Every scheme present in the headers is checked,
 * and all must be valid.
 */
export const verifyWebhook = async (
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyWebhookOptions = {},
): Promise<WebhookMessage> => {
  const secrets = readSecrets(secret);
  const bytes = readBody(body);
  const claims = readClaims(headers);
  const outcomes = await Promise.all(claims.map((claim) => matches(claim, bytes, secrets)));
  if (!outcomes.every(Boolean)) {
    throw new WebhookVerificationError(
      'no_match',
      'A signature does not match. Check that the secret is that of this endpoint and that the body is raw, not parsed and serialised. Otherwise the delivery is forged.',
    );
  }
  // Checked after the signatures, so that `too_old` means that Portcullis did send the delivery.
  for (const claim of claims) checkTime(claim, options);
  return readMessage(bytes);
};
