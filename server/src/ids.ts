import { randomFillSync } from 'node:crypto';
import { ID_PREFIXES, ID_SUFFIX_PATTERN, type IdKind } from '@portcullis/contract';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CHARS = [...ALPHABET];
const PAIRS = CHARS.flatMap((high) => CHARS.map((low) => high + low));

/** The first ten characters are the 48 bits of the time, so text order is time order. */
const timePart = (time: number): string => {
  let text = '';
  for (let rest = time, i = 0; i < 5; i++) {
    text = PAIRS[rest % 1024] + text;
    rest = Math.floor(rest / 1024);
  }
  return text;
};

const pool = new Uint32Array(1024);
let used = pool.length;
const random32 = (): number => {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++] as number;
};

/**
 * Makes UUIDv7 values, 26 characters each, that grow from call to call: behind the time stands a 12-bit counter (which starts at
 * random below half its range in each millisecond), and behind that 62 random bits, so none can be guessed from another.
 */
export const makeIds = (clock: () => number) => {
  let time = 0;
  let prefix = '';
  let counter = 0;
  return (): string => {
    const now = clock();
    if (now > time) {
      time = now;
      counter = random32() & 0x7ff;
      prefix = timePart(time);
    } else if (++counter > 0xfff) {
      // More than the counter holds in one millisecond, or a clock set back: borrow from the next.
      time++;
      counter = 0;
      prefix = timePart(time);
    }
    // 80 bits behind the time: version 7, counter, variant 10, 62 random bits.
    const high = (0x7000 | counter) * 16 + 0b1000 + (random32() & 0b11); // 20 bits
    const middle = random32() & 0x3fffffff; // 30 bits
    const low = random32() & 0x3fffffff; // 30 bits
    return (
      prefix +
      PAIRS[high >>> 10] +
      PAIRS[high & 1023] +
      PAIRS[middle >>> 20] +
      PAIRS[(middle >>> 10) & 1023] +
      PAIRS[middle & 1023] +
      PAIRS[low >>> 20] +
      PAIRS[(low >>> 10) & 1023] +
      PAIRS[low & 1023]
    );
  };
};
export type NewId = ReturnType<typeof makeIds>;

/** The smallest id a moment could have: what is below it is older. */
export const firstIdAt = (time: number): string => timePart(Math.max(0, time)).padEnd(26, '0');

export const withPrefix = (kind: IdKind, id: string): string => `${ID_PREFIXES[kind]}_${id}`;

const SUFFIX = new RegExp(`^${ID_SUFFIX_PATTERN}$`);

/** The 26 characters behind the prefix; undefined when the text is no id of this kind. */
export const idOf = (kind: IdKind, text: string): string | undefined => {
  const prefix = `${ID_PREFIXES[kind]}_`;
  if (!text.startsWith(prefix)) return undefined;
  const id = text.slice(prefix.length);
  return SUFFIX.test(id) ? id : undefined;
};
