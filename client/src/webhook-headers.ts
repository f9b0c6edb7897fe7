import { WebhookVerificationError } from './webhook-error.ts';

/** Headers in the form of the platform: `Headers`, an object as in Node (any letter case), or a lookup function. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | ((name: string) => string | null | undefined);

/** The signatures of one scheme. One of them must match. */
export interface Claim {
  readonly scheme: 'service' | 'standard';
  /** Text that is signed in front of the body. */
  readonly prefix: string;
  readonly seconds: number;
  readonly signatures: readonly string[];
}

// Today's headers have 150 characters in two parts, three during a rotation. The rest is room for future schemes. The limits bound the
// work that an attacker's header can cause.
const MAX_HEADER_LENGTH = 1024;
const MAX_PARTS = 16;
const SECONDS = /^\d{1,12}$/;
// Without a dot: otherwise the same signed bytes could be split into another id and timestamp.
const MESSAGE_ID = /^[A-Za-z0-9_-]{1,128}$/;
const SERVICE_PART = /^[a-z0-9]+=[^\s,=]+$/;
const HEX_SIGNATURE = /^[0-9a-f]{64}$/;
const STANDARD_PART = /^[a-z0-9]+,[^\s,]+$/;
const BASE64_SIGNATURE = /^[A-Za-z0-9+/]{43}=$/;

const malformed = (name: string, problem: string): WebhookVerificationError =>
  new WebhookVerificationError(
    'malformed_signature',
    `The header ${name} ${problem}. Portcullis never sends such a header.`,
  );

const valuesOf = (headers: WebhookHeaders, name: string): unknown[] => {
  if (typeof headers === 'function') return [headers(name)];
  if (typeof headers.get === 'function') return [headers.get(name)];
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value);
};

const readHeader = (headers: WebhookHeaders, name: string): string | undefined => {
  const values = valuesOf(headers, name).filter((value) => value !== undefined && value !== null);
  // Choosing one of two values is a guess, and another part of the receiver may choose the other.
  if (values.length > 1) throw malformed(name, 'is present more than once');
  const [value] = values;
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw malformed(name, 'is not a string');
  if (value.length > MAX_HEADER_LENGTH) throw malformed(name, `is longer than ${MAX_HEADER_LENGTH} characters`);
  return value;
};

const split = (name: string, text: string, separator: string, shape: RegExp): string[] => {
  const parts = text.split(separator);
  if (parts.length > MAX_PARTS) throw malformed(name, `has more than ${MAX_PARTS} parts`);
  // Two headers that a proxy joined into one would otherwise pass for parts of a future version.
  if (!parts.every((part) => shape.test(part))) throw malformed(name, 'has a malformed part');
  return parts;
};

/** The signatures of a version. Parts of unknown versions are ignored, but at least one part of this version is required. */
const signaturesAmong = (name: string, parts: readonly string[], version: string, shape: RegExp): string[] => {
  const signatures = parts.filter((part) => part.startsWith(version)).map((part) => part.slice(version.length));
  if (signatures.length === 0) throw malformed(name, 'has no v1 signature');
  if (!signatures.every((signature) => shape.test(signature))) throw malformed(name, 'has a malformed v1 signature');
  return signatures;
};

const SERVICE = 'x-service-signature';

const readServiceClaim = (headers: WebhookHeaders): Claim | undefined => {
  const text = readHeader(headers, SERVICE);
  if (text === undefined) return undefined;
  const parts = split(SERVICE, text, ',', SERVICE_PART);
  const times = parts.filter((part) => part.startsWith('t=')).map((part) => part.slice(2));
  const [time = ''] = times;
  if (times.length !== 1 || !SECONDS.test(time)) throw malformed(SERVICE, 'does not have exactly one timestamp t=');
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
  // All three are required: otherwise an id without its signature would look signed.
  if (id === undefined) throw malformed(ID, 'is missing, though other headers of its scheme are present');
  if (time === undefined) throw malformed(TIMESTAMP, 'is missing, though other headers of its scheme are present');
  if (text === undefined) throw malformed(SIGNATURE, 'is missing, though other headers of its scheme are present');
  if (!MESSAGE_ID.test(id)) throw malformed(ID, 'is not an id');
  if (!SECONDS.test(time)) throw malformed(TIMESTAMP, 'is not a whole number of seconds');
  const parts = split(SIGNATURE, text, ' ', STANDARD_PART);
  const signatures = signaturesAmong(SIGNATURE, parts, 'v1,', BASE64_SIGNATURE);
  return { scheme: 'standard', prefix: `${id}.${time}.`, seconds: Number(time), signatures };
};

/** The signatures of every scheme present in the headers. */
export const readClaims = (headers: WebhookHeaders): Claim[] => {
  const claims = [readServiceClaim(headers), readStandardClaim(headers)].filter((claim) => claim !== undefined);
  if (claims.length === 0) {
    throw new WebhookVerificationError(
      'missing_signature',
      'There is neither an X-Service-Signature nor a webhook-signature header. Pass all original headers, and let proxies keep them.',
    );
  }
  return claims;
};
