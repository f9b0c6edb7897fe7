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

/** Hides all but the first six and last four digits, keeping spaces and dashes where they were. */
const hideMiddle = (number: string): string => {
  const digits = number.replace(/[ -]/g, '').length;
  let seen = 0;
  return number.replace(/\d/g, (digit) => {
    seen++;
    return seen > 6 && seen <= digits - 4 ? '*' : digit;
  });
};

const MAX_DIGITS = 19;

/** How many of the groups from `start` on make up a card number; 0 when none do. Longest first. */
const cardGroupsAt = (groups: readonly string[], start: number): number => {
  for (let count = Math.min(MAX_DIGITS, groups.length - start); count > 0; count--) {
    const digits = groups.slice(start, start + count).join('');
    if (digits.length <= MAX_DIGITS && isCardNumber(digits)) return count;
  }
  return 0;
};

/**
 * A run may hold more than the number ("4111 1111 1111 1111 12 27"), so every stretch of whole groups is tried.
 * A group is never cut: a 24-digit reference is not a card number for holding one by chance.
 */
const maskRun = (run: string): string => {
  const groups = run.match(/\d+/g) ?? [];
  const separators = run.match(/[ -]+/g) ?? [];
  let masked = '';
  for (let at = 0; at < groups.length; ) {
    const count = cardGroupsAt(groups, at);
    const taken = Math.max(count, 1);
    let stretch = groups[at] ?? '';
    for (let i = at + 1; i < at + taken; i++) stretch += `${separators[i - 1]}${groups[i]}`;
    masked += count > 0 ? hideMiddle(stretch) : stretch;
    at += taken;
    if (at < groups.length) masked += separators[at - 1];
  }
  return masked;
};

/** The text with everything that looks like a card number masked; the same string when nothing does. */
export const maskCardNumbers = (value: string): string =>
  value.length < 13 ? value : value.replace(DIGIT_GROUPS, maskRun);
