import { WebhookVerificationError } from './webhook-error.ts';
import { type Claim, readClaims, type WebhookHeaders } from './webhook-headers.ts';
import type { WebhookMessage } from './webhook-message.ts';

export interface VerifyWebhookOptions {
  /** How far the clocks may be apart, and how long a delivery may be under way. 300 unless told. */
  readonly toleranceSeconds?: number;
  /** Milliseconds since 1970. `Date.now` unless told. */
  readonly now?: () => number;
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const SECRET = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
// What Standard Webhooks asks for. An empty key would let anybody sign.
const MIN_KEY_BYTES = 24;
const MAX_KEY_BYTES = 64;

type Bytes = Uint8Array<ArrayBuffer>;

/** The key of each scheme: one takes the secret as text, the other the bytes it stands for. */
const keysOf = (secret: string): Record<Claim['scheme'], Bytes> => {
  const encoded = typeof secret === 'string' ? SECRET.exec(secret)?.[1] : undefined;
  const standard = Uint8Array.from(atob(encoded ?? ''), (character) => character.charCodeAt(0));
  if (standard.length < MIN_KEY_BYTES || standard.length > MAX_KEY_BYTES) {
    throw new WebhookVerificationError(
      'malformed_secret',
      'The secret is not one of Portcullis. Pass the signing_secret of the endpoint as it was shown, with whsec_ and without spaces or line breaks.',
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
    'The body is neither text nor bytes. Pass it as it was received, before anything parses it as JSON.',
  );
};

const hex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** Takes as long for a near miss as for a wide one, or the time would tell how much of a guess was right. */
const isEqual = (a: string, b: string): boolean => {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
};

const sign = async (keyBytes: Bytes, scheme: Claim['scheme'], signed: Bytes): Promise<string> => {
  const key = await crypto.subtle.importKey('raw', keyBytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  // Compared as text: several base64 texts stand for the same bytes, and only one of them was sent.
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
  // Asked this way round, a tolerance or a clock that is no number refuses everything instead of nothing.
  if (!(age <= tolerance)) {
    throw new WebhookVerificationError(
      'too_old',
      'The delivery was signed too long ago: it is a repetition by somebody else, or a clock is wrong. Compare your clock; each attempt of Portcullis is signed anew.',
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
    throw new WebhookVerificationError('malformed_body', 'The body is signed, but is no message of Portcullis.');
  }
  return message as WebhookMessage;
};

/**
 * Tells that a delivery comes from Portcullis, is complete and was sent just now; rejects with a `WebhookVerificationError` otherwise.
 *
 * `body` is what was received, byte for byte. Several secrets may be given while one takes the place of another. Every scheme that the
 * headers hold is checked, and one that fails is enough to refuse.
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
      'A signature does not match. Use the secret of this endpoint and the body as it was received, not parsed and written again; else somebody else sent this.',
    );
  }
  // Only behind the signatures: "too old" then means that Portcullis did send it.
  for (const claim of claims) checkTime(claim, options);
  return readMessage(bytes);
};
