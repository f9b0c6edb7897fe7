import { hash } from 'node:crypto';
import { DEVICE_ID_PREFIX, DEVICE_TOKEN_PREFIX, DeviceTokenPayload, MAX_DEVICE_LENGTH } from '@portcullis/contract';
import { hash53 } from '@portcullis/engine';
import { Compile } from 'typebox/schema';

/** Parses tokens of the device SDK. Pure, and never throws, whatever is sent. */

/** A parsed token. Its signature is not checked yet. */
export interface ParsedToken {
  readonly payload: DeviceTokenPayload;
  /** Undefined if the browser could not sign. */
  readonly signed: SignedPart | undefined;
}
export interface SignedPart {
  readonly text: string;
  /** An uncompressed point, 65 bytes. */
  readonly key: Buffer;
  /** 64 bytes. */
  readonly signature: Buffer;
}

const DEVICE_ID = new RegExp(`^${DEVICE_ID_PREFIX}[A-Za-z0-9_-]{22}$`);

/** Whether the text can be stored and compared; text from a browser may be too long or malformed. */
export const isStorable = (text: string): boolean =>
  text.length <= MAX_DEVICE_LENGTH && text.isWellFormed() && !text.includes('\0');

export const isDeviceId = (text: string): boolean => DEVICE_ID.test(text);

const POINT_BYTES = 65;
const UNCOMPRESSED = 4;
const SIGNATURE_BYTES = 64;
const PARTS = 3;

const isPayload = Compile(DeviceTokenPayload);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Undefined unless the text is canonical base64url. Node skips invalid characters, so several texts give the same
 * bytes.
 */
const bytesOf = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
};

const payloadIn = (part: string): DeviceTokenPayload | undefined => {
  const bytes = bytesOf(part);
  if (bytes === undefined) return undefined;
  try {
    const payload: unknown = JSON.parse(utf8.decode(bytes));
    return isPayload.Check(payload) ? payload : undefined;
  } catch {
    return undefined;
  }
};

/** Undefined if the SDK cannot have made the token. */
export const parseToken = (token: string): ParsedToken | undefined => {
  const parts = token.split('.', PARTS + 1);
  if (parts.length !== PARTS || !token.startsWith(DEVICE_TOKEN_PREFIX)) return undefined;
  const [prefix, middle, last] = parts as [string, string, string];
  const payload = payloadIn(middle);
  if (payload === undefined) return undefined;
  if (payload.key === undefined) return last === '' ? { payload, signed: undefined } : undefined;
  const [key, signature] = [bytesOf(payload.key), bytesOf(last)];
  if (key?.length !== POINT_BYTES || key[0] !== UNCOMPRESSED || signature?.length !== SIGNATURE_BYTES) return undefined;
  return { payload, signed: { text: `${prefix}.${middle}`, key, signature } };
};

const ID_LENGTH = 22;
/** The id of the device that holds a key. */
export const deviceIdOf = (key: Buffer): string =>
  DEVICE_ID_PREFIX + hash('sha256', key, 'base64url').slice(0, ID_LENGTH);

type Tier = DeviceTokenPayload['hard'];
const sorted = (tier: Tier): unknown => Object.entries(tier).sort(([a], [b]) => (a < b ? -1 : 1));
/** With fewer components there is no profile: all browsers that hide their properties would look alike. */
const MIN_COMPONENTS = 8;

/** The device profile: a hash of the machine's components; NaN if too few are known. */
export const deviceProfileOf = ({ hard, soft, missing = [] }: DeviceTokenPayload): number => {
  const count = Object.keys(hard).length + Object.keys(soft).length;
  if (missing.length > 0 || count < MIN_COMPONENTS) return Number.NaN;
  return hash53(JSON.stringify([sorted(hard), sorted(soft)]));
};
