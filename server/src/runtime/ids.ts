import { randomFillSync } from 'node:crypto';
import { ID_PREFIXES, ID_SUFFIX_PATTERN, type IdKind } from '@portcullis/contract/values';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const CHARS = [...ALPHABET];
const PAIRS = CHARS.flatMap((high) => CHARS.map((low) => high + low));

/** The first ten characters of an id: 48 bits of time, so that text order is time order. */
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

/** The earliest time of an id. Counted from it, time and counter fit in a safe integer until the year 2089. */
const EPOCH = Date.UTC(2020, 0, 1);
const COUNTER_RANGE = 4096;
const VALUES = new Uint8Array(128);
CHARS.forEach((char, value) => {
  VALUES[char.charCodeAt(0)] = value;
});
const decode = (id: string, from: number, to: number): number => {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 32 + (VALUES[id.charCodeAt(i)] as number);
  return value;
};

/** Time and counter of an id as one number. Ids of one process have distinct numbers, in the order they were made. */
export const seqOf = (id: string): number =>
  (decode(id, 0, 10) - EPOCH) * COUNTER_RANGE + ((decode(id, 10, 14) >>> 4) % COUNTER_RANGE);

/** Creation time of an id, in epoch milliseconds. */
export const timeOf = (id: string): number => decode(id, 0, 10);

/** A lower bound, in text order, of all ids made at the time or later. */
export const firstIdAt = (time: number): string => timePart(time);

/** The smallest number of an id made at the time. Smaller numbers are older. */
export const firstSeqAt = (time: number): number => (time - EPOCH) * COUNTER_RANGE;

/** The time of a number, in epoch milliseconds. */
export const timeOfSeq = (seq: number): number => EPOCH + Math.floor(seq / COUNTER_RANGE);

/** The position of an id generator. Its ids come after `after`. On a shared store each process has its own `number`. */
export interface Place {
  readonly after: number;
  readonly number?: number;
}
export const MAX_PROCESSES = 128;
const PER_PROCESS = COUNTER_RANGE / MAX_PROCESSES;
const FIRST_PLACE: Place = { after: 0 };

/**
 * Makes UUIDv7 values of 26 characters that grow from call to call. The time is followed by a 12-bit counter, which
 * starts at random in the lower half of its range in each millisecond. 62 random bits follow, so no id can be guessed
 * from another. Where the place has a number, the first 7 bits of the counter are that number, so two processes never
 * make the same id. A new place takes effect with the next millisecond.
 */
export const makeIds = (clock: () => number, placeNow: () => Place | undefined = () => FIRST_PLACE) => {
  let place: Place | undefined;
  let time = EPOCH - 1;
  let prefix = '';
  let first = 0;
  let counter = 0;
  let last = 0;
  const begin = (at: number): void => {
    time = at;
    prefix = timePart(time);
  };
  const move = (to: Place): void => {
    place = to;
    first = (to.number ?? 0) * PER_PROCESS;
    last = to.number === undefined ? COUNTER_RANGE - 1 : first + PER_PROCESS - 1;
    begin(Math.max(time + 1, EPOCH + Math.ceil(to.after / COUNTER_RANGE)));
    counter = first;
  };
  return (): string => {
    const now = clock();
    const here = placeNow() ?? place ?? FIRST_PLACE;
    if (here !== place) move(here);
    if (now > time) {
      begin(now);
      counter = here.number === undefined ? random32() & 0x7ff : first;
    } else if (++counter > last) {
      // The counter overflowed, or the clock was set back: use the next millisecond.
      begin(time + 1);
      counter = first;
    }
    // 80 bits after the time: version 7, counter, variant 10, 62 random bits.
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

export const withPrefix = (kind: IdKind, id: string): string => `${ID_PREFIXES[kind]}_${id}`;

const SUFFIX = new RegExp(`^${ID_SUFFIX_PATTERN}$`);

/** The 26 characters after the prefix; undefined when the text is not an id of this kind. */
export const idOf = (kind: IdKind, text: string): string | undefined => {
  const prefix = `${ID_PREFIXES[kind]}_`;
  if (!text.startsWith(prefix)) return undefined;
  const id = text.slice(prefix.length);
  return SUFFIX.test(id) ? id : undefined;
};
