import { hash } from 'node:crypto';
import { DEVICE_ID_PREFIX, DEVICE_TOKEN_PREFIX, DeviceTokenPayload } from '@portcullis/contract';
import { hash53 } from '@portcullis/engine';
import { Compile } from 'typebox/compile';

/** Taking a token of the device SDK apart: pure, and it never throws, whatever somebody sends. */

/** What a token says, before anybody has looked whether its signature fits. */
export interface Opened {
  readonly payload: DeviceTokenPayload;
  /** What was signed, by whom, and the signature; undefined where the browser could not sign. */
  readonly signed: Signed | undefined;
}
export interface Signed {
  readonly text: string;
  /** An uncompressed point, 65 bytes. */
  readonly key: Buffer;
  /** 64 bytes. */
  readonly signature: Buffer;
}

/** Of any version: one that is not known here is a broken token, not a name that somebody gave a device. */
const SDK_TOKEN = /^pcd\d{1,3}\./;
const DEVICE_ID = new RegExp(`^${DEVICE_ID_PREFIX}[A-Za-z0-9_-]{22}$`);

const LONGEST = 4096;
/** Whether it can be stored and compared: what a browser sends need not be. */
export const isName = (text: string): boolean => text.length <= LONGEST && text.isWellFormed() && !text.includes('\0');

/** Whether the SDK made it, or somebody pretends so. Everything else names a device. */
export const isToken = (text: string): boolean => SDK_TOKEN.test(text);
export const isDeviceId = (text: string): boolean => DEVICE_ID.test(text);

const POINT_BYTES = 65;
const UNCOMPRESSED = 4;
const SIGNATURE_BYTES = 64;
const PARTS = 3;

const isPayload = Compile(DeviceTokenPayload);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined where it is not base64url as we write it: Node would read what it can, and several texts would mean the same. */
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

/** Undefined where the SDK cannot have made it. */
export const openToken = (token: string): Opened | undefined => {
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
/** The name of the device that holds a key. */
export const deviceIdOf = (key: Buffer): string =>
  DEVICE_ID_PREFIX + hash('sha256', key, 'base64url').slice(0, ID_LENGTH);

type Tier = DeviceTokenPayload['hard'];
const sorted = (tier: Tier): unknown => Object.entries(tier).sort(([a], [b]) => (a < b ? -1 : 1));
/** Fewer say nothing: all browsers that hide what they are would look like one. */
const FEWEST_COMPONENTS = 8;

/** What the machine looks like, as a number; NaN where too little of it is known to tell. */
export const likenessOf = ({ hard, soft, missing = [] }: DeviceTokenPayload): number => {
  const count = Object.keys(hard).length + Object.keys(soft).length;
  if (missing.length > 0 || count < FEWEST_COMPONENTS) return Number.NaN;
  return hash53(JSON.stringify([sorted(hard), sorted(soft)]));
};
