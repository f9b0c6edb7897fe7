type Lengths = readonly number[];
const upTo19 = (first: number): Lengths => Array.from({ length: 20 - first }, (_, index) => first + index);

/** Lengths of card numbers by prefix: all that are allowed, and those in use today. */
const ISSUERS: readonly (readonly [prefix: number, lastPrefix: number, allowed: Lengths, usual: Lengths])[] = [
  [4, 4, upTo19(13), [16]], // Visa
  [51, 55, [16], [16]], // Mastercard
  [2221, 2720, [16], [16]], // Mastercard
  [34, 34, [15], [15]], // American Express
  [37, 37, [15], [15]], // American Express
  [300, 305, upTo19(14), [14, 16]], // Diners Club
  [3095, 3095, upTo19(14), [14, 16]], // Diners Club
  [36, 36, upTo19(14), [14, 16]], // Diners Club
  [38, 39, upTo19(14), [14, 16]], // Diners Club
  [3528, 3589, upTo19(16), [16]], // JCB
  [6011, 6011, upTo19(16), [16]], // Discover
  [644, 649, upTo19(16), [16]], // Discover
  [65, 65, upTo19(16), [16]], // Discover, RuPay
  [62, 62, upTo19(16), [16, 19]], // UnionPay
  [81, 82, upTo19(16), [16, 19]], // UnionPay, RuPay
  [60, 60, upTo19(16), [16]], // RuPay
  [50, 50, upTo19(13), [16, 19]], // Maestro, RuPay, Verve
  [56, 59, upTo19(13), [16, 19]], // Maestro
  [61, 61, upTo19(13), [16, 19]], // Maestro
  [63, 63, upTo19(13), [16, 19]], // Maestro
  [66, 69, upTo19(13), [16, 19]], // Maestro
  [2200, 2204, upTo19(16), [16, 19]], // Mir
  [9792, 9792, [16], [16]], // Troy
];
export const PREFIX_DIGITS = 4;

/** By the first four digits: a bit for each length that a card number with them can have. */
const lengthsByPrefix = (column: 2 | 3): Uint32Array => {
  const bits = new Uint32Array(10 ** PREFIX_DIGITS);
  for (const issuer of ISSUERS) {
    const scale = 10 ** (PREFIX_DIGITS - String(issuer[0]).length);
    const lengths = issuer[column].reduce((sum, length) => sum | (1 << length), 0);
    for (let prefix = issuer[0] * scale; prefix < (issuer[1] + 1) * scale; prefix++)
      bits[prefix] = (bits[prefix] as number) | lengths;
  }
  return bits;
};
/** Every length that an issuer may use. */
export const ALLOWED = lengthsByPrefix(2);
/** The lengths in use today. */
export const USUAL = lengthsByPrefix(3);

const DOUBLED = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9];
/**
 * Sums of the digits before each place: with every digit at an even place doubled, and with every digit at an odd place
 * doubled. With them, any sequence of the digits is checked in one step.
 */
export type LuhnSums = readonly [evenDoubled: Uint32Array, oddDoubled: Uint32Array];

export const luhnSums = (digits: readonly number[]): LuhnSums => {
  const sums: LuhnSums = [new Uint32Array(digits.length + 1), new Uint32Array(digits.length + 1)];
  for (const [parity, sum] of sums.entries())
    for (let at = 0; at < digits.length; at++) {
      const digit = digits[at] as number;
      sum[at + 1] = (sum[at] as number) + ((at & 1) === parity ? (DOUBLED[digit] as number) : digit);
    }
  return sums;
};

/** Whether the last of the digits is the check digit of the others. Every second one before it is doubled. */
export const passesLuhn = (sums: LuhnSums, from: number, to: number): boolean => {
  const sum = sums[to & 1] as Uint32Array;
  return ((sum[to] as number) - (sum[from] as number)) % 10 === 0;
};
