import { WebhookVerificationError } from './webhook-error.ts';

/** Headers as the platforms hand them over: `Headers`, Node's object (any letter case), or a function that looks one up. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | ((name: string) => string | null | undefined);

/** One scheme's claim: the signatures, any of which may match, over what stands before the body. */
export interface Claim {
  readonly scheme: 'service' | 'standard';
  /** Signed in front of the body, exactly as it was sent. */
  readonly prefix: string;
  readonly seconds: number;
  readonly signatures: readonly string[];
}

// Ours are 150 characters in two parts, three while a secret is being rotated. The rest is room for schemes to come; the limit
// keeps a stranger from making us compare for long.
const MAX_HEADER_LENGTH = 1024;
const MAX_PARTS = 16;
const SECONDS = /^\d{1,12}$/;
// No dot: or the same bytes could be read as another id with another timestamp.
const MESSAGE_ID = /^[A-Za-z0-9_-]{1,128}$/;
const SERVICE_PART = /^[a-z0-9]+=[^\s,=]+$/;
const HEX_SIGNATURE = /^[0-9a-f]{64}$/;
const STANDARD_PART = /^[a-z0-9]+,[^\s,]+$/;
const BASE64_SIGNATURE = /^[A-Za-z0-9+/]{43}=$/;

const malformed = (name: string, what: string): WebhookVerificationError =>
  new WebhookVerificationError('malformed_signature', `The header ${name} ${what}. Nothing Portcullis sends looks so.`);

const valuesOf = (headers: WebhookHeaders, name: string): unknown[] => {
  if (typeof headers === 'function') return [headers(name)];
  if (typeof headers.get === 'function') return [headers.get(name)];
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value);
};

const readHeader = (headers: WebhookHeaders, name: string): string | undefined => {
  const values = valuesOf(headers, name).filter((value) => value !== undefined && value !== null);
  // Which of two would be meant is a guess, and another part of the receiver may guess otherwise.
  if (values.length > 1) throw malformed(name, 'came more than once');
  const [value] = values;
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw malformed(name, 'is no text');
  if (value.length > MAX_HEADER_LENGTH) throw malformed(name, `is longer than ${MAX_HEADER_LENGTH} characters`);
  return value;
};

const split = (name: string, text: string, separator: string, shape: RegExp): string[] => {
  const parts = text.split(separator);
  if (parts.length > MAX_PARTS) throw malformed(name, `has more than ${MAX_PARTS} parts`);
  // Two headers that a proxy made one would pass for parts of a version to come.
  if (!parts.every((part) => shape.test(part))) throw malformed(name, 'has a broken part');
  return parts;
};

/** The signatures among the parts. Those of versions that we do not know are passed over, but one must be there that we do. */
const signaturesAmong = (name: string, parts: readonly string[], version: string, shape: RegExp): string[] => {
  const signatures = parts.filter((part) => part.startsWith(version)).map((part) => part.slice(version.length));
  if (signatures.length === 0) throw malformed(name, 'has no v1 signature');
  if (!signatures.every((signature) => shape.test(signature))) throw malformed(name, 'has a broken v1 signature');
  return signatures;
};

const SERVICE = 'x-service-signature';

const readServiceClaim = (headers: WebhookHeaders): Claim | undefined => {
  const text = readHeader(headers, SERVICE);
  if (text === undefined) return undefined;
  const parts = split(SERVICE, text, ',', SERVICE_PART);
  const times = parts.filter((part) => part.startsWith('t=')).map((part) => part.slice(2));
  const [time = ''] = times;
  if (times.length !== 1 || !SECONDS.test(time)) throw malformed(SERVICE, 'has not one timestamp t=');
  const signatures = signaturesAmong(SERVICE, parts, 'v1=', HEX_SIGNATURE);
  return { scheme: 'service', prefix: `${time}.`, seconds: Number(time), signatures };
};

const ID = 'webhook-id';
const TIMESTAMP = 'webhook-timestamp';
const SIGNATURE = 'webhook-signature';

const readStandardClaim = (headers: WebhookHeaders): Claim | undefined => {
  const id = readHeader(headers, ID);
  const time = readHeader(headers, TIMESTAMP);
  const text = readHeader(headers, SIGNATURE);
  if (id === undefined && time === undefined && text === undefined) return undefined;
  // Some without the others: or taking the signature away would leave an id that looks signed and is not.
  if (id === undefined) throw malformed(ID, 'is missing beside the other two of its scheme');
  if (time === undefined) throw malformed(TIMESTAMP, 'is missing beside the other two of its scheme');
  if (text === undefined) throw malformed(SIGNATURE, 'is missing beside the other two of its scheme');
  if (!MESSAGE_ID.test(id)) throw malformed(ID, 'is no id');
  if (!SECONDS.test(time)) throw malformed(TIMESTAMP, 'is no whole number of seconds');
  const parts = split(SIGNATURE, text, ' ', STANDARD_PART);
  const signatures = signaturesAmong(SIGNATURE, parts, 'v1,', BASE64_SIGNATURE);
  return { scheme: 'standard', prefix: `${id}.${time}.`, seconds: Number(time), signatures };
};

/** What the headers claim, by each scheme that is there. */
export const readClaims = (headers: WebhookHeaders): Claim[] => {
  const claims = [readServiceClaim(headers), readStandardClaim(headers)].filter((claim) => claim !== undefined);
  if (claims.length === 0) {
    throw new WebhookVerificationError(
      'missing_signature',
      'There is neither an X-Service-Signature nor a webhook-signature header. Pass on all headers as they came; if a proxy stands before you, let it keep them.',
    );
  }
  return claims;
};
