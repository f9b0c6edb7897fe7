import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Time-based one-time passwords (RFC 6238) as authenticator apps make them: SHA-1, six digits, 30 seconds. */
const STEP_MS = 30_000;
const DIGITS = 6;
const CODE = /^[0-9]{6}$/;
const SECRET_BYTES = 20;
const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** In base 32 without padding (RFC 4648), as apps read it. */
const toBase32 = (bytes: Uint8Array): string => {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE_32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
};
const fromBase32 = (text: string): Buffer => {
  let bits = '';
  for (const char of text) bits += BASE_32.indexOf(char).toString(2).padStart(5, '0');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
};

export const newTotpSecret = (): string => toBase32(randomBytes(SECRET_BYTES));

/** The code of a step (RFC 4226). */
export const codeAt = (secret: string, step: number): string => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (mac.at(-1) as number) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS).padStart(DIGITS, '0');
};

export const stepAt = (time: number): number => Math.floor(time / STEP_MS);

/**
 * The step of a code: the present one, or one before or after, for a clock that is late or early. Undefined for a wrong
 * code, and for one of a step that was used: a code works once.
 */
export const stepOfCode = (secret: string, code: string, time: number, lastStep: number | null): number | undefined => {
  if (!CODE.test(code)) return undefined;
  const now = stepAt(time);
  return [now - 1, now, now + 1]
    .filter((step) => lastStep === null || step > lastStep)
    .find((step) => timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code)));
};

/** The address that an app reads from a QR code. */
export const totpUri = (secret: string, email: string): string =>
  `otpauth://totp/Portcullis:${encodeURIComponent(email)}?secret=${secret}&issuer=Portcullis`;

const RECOVERY_CODES = 10;
/** 80 random bits: a plain hash of it cannot be reversed. */
const newRecoveryCode = (): string => (toBase32(randomBytes(10)).match(/.{4}/g) as string[]).join('-').toLowerCase();
export const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
/** As people type it: in any case, with or without hyphens. */
export const plainRecoveryCode = (typed: string): string => typed.toLowerCase().replaceAll(/[\s-]/g, '');
