const ISSUER_RANGES: readonly (readonly [prefix: number, lastPrefix: number, minDigits: number, maxDigits: number])[] =
  [
    [4, 4, 13, 19], // Visa
    [51, 55, 16, 16], // Mastercard
    [2221, 2720, 16, 16], // Mastercard
    [34, 34, 15, 15], // American Express
    [37, 37, 15, 15], // American Express
    [300, 305, 14, 19], // Diners Club
    [3095, 3095, 14, 19], // Diners Club
    [36, 36, 14, 19], // Diners Club
    [38, 39, 14, 19], // Diners Club
    [3528, 3589, 16, 19], // JCB
    [6011, 6011, 16, 19], // Discover
    [644, 649, 16, 19], // Discover
    [65, 65, 16, 19], // Discover, RuPay
    [62, 62, 16, 19], // UnionPay
    [81, 82, 16, 19], // UnionPay, RuPay
    [60, 60, 16, 19], // RuPay
    [50, 50, 13, 19], // Maestro, RuPay, Verve
    [56, 59, 13, 19], // Maestro
    [61, 61, 13, 19], // Maestro
    [63, 63, 13, 19], // Maestro
    [66, 69, 13, 19], // Maestro
    [2200, 2204, 16, 19], // Mir
    [9792, 9792, 16, 16], // Troy
  ];

const passesLuhn = (digits: string): boolean => {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    let digit = digits.charCodeAt(digits.length - 1 - i) - 48;
    if (i % 2 === 1) digit = digit > 4 ? digit * 2 - 9 : digit * 2;
    sum += digit;
  }
  return sum % 10 === 0;
};

const isCardNumber = (digits: string): boolean =>
  ISSUER_RANGES.some(([from, to, min, max]) => {
    const prefix = Number(digits.slice(0, String(from).length));
    return digits.length >= min && digits.length <= max && prefix >= from && prefix <= to;
  }) && passesLuhn(digits);

const DIGIT_GROUPS = /\d(?:[ -]*\d){12,}/g;

const MAX_DIGITS = 19;
const SHOWN_FIRST = 6;
const SHOWN_LAST = 4;

/** How many digits the longest card number of whole groups from `start` on has; 0 when there is none. */
const cardDigitsAt = (groups: readonly string[], start: number): number => {
  let digits = '';
  let longest = 0;
  for (let i = start; i < groups.length && digits.length < MAX_DIGITS; i++) {
    digits += groups[i];
    if (isCardNumber(digits)) longest = digits.length;
  }
  return longest;
};

/**
 * A run may hold more than the number ("4111 1111 1111 1111 12 27"), so every stretch of whole groups is tried. A group is
 * never cut: a 24-digit reference is not a card number for holding one by chance. Where stretches overlap there is no
 * telling which one is the card, so the middle of each is hidden.
 */
const maskRun = (run: string): string => {
  const groups = run.match(/\d+/g) ?? [];
  const hidden = new Set<number>();
  let first = 0;
  groups.forEach((group, at) => {
    const end = first + cardDigitsAt(groups, at) - SHOWN_LAST;
    for (let digit = first + SHOWN_FIRST; digit < end; digit++) hidden.add(digit);
    first += group.length;
  });
  let seen = 0;
  return hidden.size === 0 ? run : run.replace(/\d/g, (digit) => (hidden.has(seen++) ? '*' : digit));
};

/** The text with everything that looks like a card number masked; the same string when nothing does. */
export const maskCardNumbers = (value: string): string =>
  value.length < 13 ? value : value.replace(DIGIT_GROUPS, maskRun);
