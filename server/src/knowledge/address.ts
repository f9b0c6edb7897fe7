/**
 * An address as 32-bit words: one for IPv4, four for IPv6. Parsed by hand, because every screening does it and the
 * objects of a library would cost more than all the lookups.
 */
export type Words = Uint32Array;
/** 0 means that the text is not an address. */
export type Family = 0 | 4 | 6;
export const makeWords = (): Words => new Uint32Array(4);

const LONGEST = 45;
const ZERO = 48;
const COLON = 58;
const DOT = 46;
const groups = new Uint16Array(8);

/** Parses dotted decimal; -1 if invalid. Leading zeros are refused, because some parsers read them as octal. */
const parseDotted = (text: string, from: number): number => {
  let value = 0;
  let part = 0;
  let digits = 0;
  let parts = 0;
  for (let i = from; i <= text.length; i++) {
    const code = i === text.length ? DOT : text.charCodeAt(i);
    if (code === DOT) {
      if (digits === 0 || part > 255) return -1;
      value = value * 256 + part;
      parts++;
      part = 0;
      digits = 0;
    } else {
      const digit = code - ZERO;
      if (digit < 0 || digit > 9 || digits === 3 || (digits > 0 && part === 0)) return -1;
      part = part * 10 + digit;
      digits++;
    }
  }
  return parts === 4 ? value : -1;
};

const hexDigit = (code: number): number => {
  if (code >= ZERO && code <= 57) return code - ZERO;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
};

/** The number of groups read, or -1 if invalid. `gap` is the position of `::`. */
let gap = -1;
const readGroups = (text: string): number => {
  gap = -1;
  let count = 0;
  let i = 0;
  if (text.charCodeAt(0) === COLON) {
    if (text.charCodeAt(1) !== COLON) return -1;
    gap = 0;
    i = 2;
  }
  while (i < text.length) {
    if (count === 8) return -1;
    const start = i;
    let value = 0;
    for (let digit = hexDigit(text.charCodeAt(i)); digit >= 0 && i - start < 4; digit = hexDigit(text.charCodeAt(i))) {
      value = value * 16 + digit;
      i++;
    }
    if (i === start) return -1;
    if (i < text.length && text.charCodeAt(i) === DOT) {
      const ending = parseDotted(text, start);
      if (ending < 0 || count > 6) return -1;
      groups[count] = ending >>> 16;
      groups[count + 1] = ending & 0xffff;
      return count + 2;
    }
    groups[count++] = value;
    if (i === text.length) break;
    if (text.charCodeAt(i) !== COLON || ++i === text.length) return -1;
    if (text.charCodeAt(i) === COLON) {
      if (gap >= 0) return -1;
      gap = count;
      i++;
    }
  }
  return count;
};

/** Fills the words. IPv4-mapped IPv6 becomes the IPv4 address, so that both spellings count as one visitor. */
export const parseAddress = (text: string, words: Words): Family => {
  if (text.length > LONGEST) return 0;
  if (!text.includes(':')) {
    const value = parseDotted(text, 0);
    if (value < 0) return 0;
    words[0] = value;
    return 4;
  }
  const count = readGroups(text);
  if (count < 0 || (gap < 0 ? count !== 8 : count > 7)) return 0;
  if (gap >= 0) {
    const behind = count - gap;
    groups.copyWithin(8 - behind, gap, count);
    groups.fill(0, gap, 8 - behind);
  }
  for (let i = 0; i < 4; i++) words[i] = (groups[2 * i] as number) * 65_536 + (groups[2 * i + 1] as number);
  if (words[0] === 0 && words[1] === 0 && words[2] === 0xffff) {
    words[0] = words[3] as number;
    return 4;
  }
  return 6;
};

const dottedText = (value: number): string =>
  `${value >>> 24}.${(value >>> 16) & 255}.${(value >>> 8) & 255}.${value & 255}`;

/** A spelling that every MMDB reader understands. */
export const spell = (family: Family, words: Words, text: string): string =>
  family === 4 && text.includes(':') ? dottedText(words[0] as number) : text;

/** The first `prefix` bits of a 32-bit word. */
const masked = (word: number, prefix: number): number => (prefix === 0 ? 0 : (word & (-1 << (32 - prefix))) >>> 0);

/** IANA's special-purpose addresses: no visitor from the public internet can have one. */
const RESERVED_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
/** Within 2000::/3, by their first 32 bits: benchmarks, ORCHID (twice), and the two blocks for documentation. */
const RESERVED_V6: readonly (readonly [number, number])[] = [
  [0x20010002, 32],
  [0x20010010, 28],
  [0x20010020, 28],
  [0x20010db8, 32],
  [0x3fff0000, 20],
];
const reservedV4 = Uint32Array.from(RESERVED_V4.flatMap(([text, prefix]) => [parseDotted(text, 0), prefix]));
const reservedV6 = Uint32Array.from(RESERVED_V6.flat());

/** The ranges are flat, starts and prefixes in turns: pairs would be garbage for each address that is looked up. */
const isWithin = (word: number, ranges: Uint32Array): boolean => {
  for (let i = 0; i < ranges.length; i += 2)
    if (masked(word, ranges[i + 1] as number) === (ranges[i] as number)) return true;
  return false;
};

export const isReserved = (family: Family, words: Words): boolean => {
  const first = words[0] as number;
  if (family === 4) return isWithin(first, reservedV4);
  // 64:ff9b::/96 is NAT64, which carries public IPv4 addresses.
  if (first === 0x0064ff9b) return words[1] !== 0 || words[2] !== 0;
  // Only 2000::/3 is allocated.
  return first >>> 29 !== 1 || isWithin(first, reservedV6);
};
