/**
 * Identifiers that change for all customers at once: device tokens with a new version of the app, user identifiers with a
 * migration, card tokens with a new payment provider. The new identifier is computed from the old one, so that no map is
 * needed, and has the same format. Attackers' identifiers change like those of customers.
 */
export const RENEWED_FIELDS = ['user_id', 'device_token', 'payment_fingerprint'] as const;
export type RenewedField = (typeof RENEWED_FIELDS)[number];

export interface Renewal {
  readonly field: RenewedField;
  /** First day, and number of days until all identifiers have changed. */
  readonly from: number;
  readonly days: number;
  readonly salt: number;
}

export const hashOf = (text: string, salt: number): number => {
  let hash = salt | 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0;
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) >>> 8;
};

const RENEWED_LENGTH = 8;
/** Shifts the digits and hexadecimal letters at the end. Prefix, length and shape stay the same. */
const renewId = (id: string, salt: number): string => {
  const from = Math.max(0, id.length - RENEWED_LENGTH);
  let text = id.slice(0, from);
  let isBody = from > 0;
  for (let i = from; i < id.length; i++) {
    const code = id.charCodeAt(i);
    const shift = ((salt >>> (i % 13)) + i) & 7;
    if (code >= 48 && code < 58) {
      isBody = true;
      text += String.fromCharCode(48 + ((code - 48 + shift + 1) % 10));
    } else if (isBody && code >= 97 && code <= 102) text += String.fromCharCode(97 + ((code - 97 + shift + 1) % 6));
    else text += id.charAt(i);
  }
  return text;
};

/** Applies all renewals that have reached the identifiers of an item at that time. */
export const renew = (
  item: Partial<Record<RenewedField, string>>,
  renewals: readonly Renewal[],
  daysFromStart: number,
): void => {
  for (const { field, from, days, salt } of renewals) {
    const id = item[field];
    if (id === undefined) continue;
    const delay = days === 0 ? 0 : (hashOf(id, salt) % (days * 24)) / 24;
    if (daysFromStart >= from + delay) item[field] = renewId(id, salt);
  }
};
