import type { Address } from '@portcullis/contract';

/** Letters and digits of any script. Accents are separate characters in NFKD, and are left out. */
const NEITHER_LETTER_NOR_DIGIT = /[^\p{L}\p{N}]+/gu;
const PLAIN = /^[0-9a-z]*$/;

/** A text without case, spaces, punctuation and accents. */
const fold = (text: string | undefined): string => {
  if (text === undefined) return '';
  const lower = text.toLowerCase();
  return PLAIN.test(lower) ? lower : lower.normalize('NFKD').replace(NEITHER_LETTER_NOR_DIGIT, '');
};

/**
 * The name of a shipping address: country, postal code and first line. Undefined without a first line, or without both
 * postal code and city: such an address is that of many people.
 */
export const shippingName = ({ country, postal_code, city, line1 }: Address): string | undefined => {
  const line = fold(line1);
  // Some countries have no postal codes.
  const place = fold(postal_code) || fold(city);
  return line === '' || place === '' ? undefined : `${fold(country)} ${place} ${line}`;
};
