/** The part that a character can have in a card number. */
export const LETTER = 0;
/** Joins groups of any length: spaces, dashes, dots, slashes and invisible characters. */
export const JOINER = 1;
/** Joins groups only if they have the lengths that are printed on cards. Any other character that is not a letter. */
export const DIVIDER = 2;
/** DIGIT + n is the digit n. */
export const DIGIT = 16;

const JOINERS =
  /[\p{Zs}\p{Pd}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\t._/\\\u00b7\u2022\u2043\u2044\u2212\u2215\uff0e\uff0f\uff3f]/u;
const LETTERS = /[\p{L}\p{N}]/u;
const NUMERAL = /\p{N}/u;
const DECIMAL = /\p{Nd}/u;
const ONE_DIGIT = /^\D*(\d)\D*$/;

/** The first of nine characters that Unicode calls the digits 1 to 9 without treating them as another spelling of them. */
const ONES = [0x1369, 0x24f5, 0x2776, 0x2780, 0x278a, 0x10a40, 0x10e60, 0x11052];
/** The same for the digit 0. */
const ZEROS = [0x24ff, 0x1f10b, 0x1f10c];

const listedDigit = (code: number): number => {
  if (ZEROS.includes(code)) return 0;
  const one = ONES.find((first) => code >= first && code < first + 9);
  return one === undefined ? -1 : code - one + 1;
};

/**
 * The digit that a character outside ASCII stands for; -1 if none. Digits of every script count (Unicode: Nd), and
 * those that Unicode treats as another spelling of a digit, such as ④ and ⁴.
 */
const digitOf = (code: number): number => {
  const character = String.fromCodePoint(code);
  if (!NUMERAL.test(character)) return -1;
  const plain = ONE_DIGIT.exec(character.normalize('NFKC'))?.[1];
  if (plain !== undefined) return Number(plain);
  if (!DECIMAL.test(character)) return listedDigit(code);
  // Unicode lists the digits of a script one after the other, from 0 to 9.
  let zero = code;
  while (DECIMAL.test(String.fromCodePoint(zero - 1))) zero--;
  return (code - zero) % 10;
};

const classify = (code: number): number => {
  const digit = digitOf(code);
  if (digit >= 0) return DIGIT + digit;
  const character = String.fromCodePoint(code);
  if (JOINERS.test(character)) return JOINER;
  return LETTERS.test(character) ? LETTER : DIVIDER;
};

/**
 * The class of every code point plus one; 0 if it is not known yet. Filled when a character occurs: most texts use few, and
 * memory that is never written takes no room.
 */
const known = new Uint8Array(0x110000);

/** The class of a code point: LETTER, JOINER, DIVIDER or DIGIT + n. */
export const classOf = (code: number): number => {
  const found = known[code] as number;
  if (found !== 0) return found - 1;
  const computed = classify(code);
  known[code] = computed + 1;
  return computed;
};
