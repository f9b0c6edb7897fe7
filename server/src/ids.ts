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

/** Time before which no id lies; behind it, time and counter of an id fit in a number until the year 2089. */
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

/** Time and counter of an id as one number: ids made by one process have different ones, in the order they were made. */
export const seqOf = (id: string): number =>
  (decode(id, 0, 10) - EPOCH) * COUNTER_RANGE + ((decode(id, 10, 14) >>> 4) % COUNTER_RANGE);

/** When an id was made, in epoch milliseconds. */
export const timeOf = (id: string): number => decode(id, 0, 10);

/** What no id made at the moment or later comes before. */
export const firstIdAt = (time: number): string => timePart(time);

/** The smallest number an id of a moment could have: what is below it is older. */
export const firstSeqAt = (time: number): number => (time - EPOCH) * COUNTER_RANGE;

/** Where ids are made: all come after those numbered up to `after`. Of several processes on one store, each has a number. */
export interface Place {
  readonly after: number;
  readonly number?: number;
}
export const MOST_PROCESSES = 128;
const PER_PROCESS = COUNTER_RANGE / MOST_PROCESSES;
const FIRST_PLACE: Place = { after: 0 };

/**
 * Makes UUIDv7 values, 26 characters each, that grow from call to call: behind the time stands a 12-bit counter (which starts at
 * random below half its range in each millisecond), and behind that 62 random bits, so none can be guessed from another. Where the place has a
 * number, the first 7 bits of the counter are it: two processes never give out the same. A place that changes is left for the next millisecond.
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
      // More than the counter holds in one millisecond, or a clock set back: borrow from the next.
      begin(time + 1);
      counter = first;
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

export const withPrefix = (kind: IdKind, id: string): string => `${ID_PREFIXES[kind]}_${id}`;

const SUFFIX = new RegExp(`^${ID_SUFFIX_PATTERN}$`);

/** The 26 characters behind the prefix; undefined when the text is no id of this kind. */
export const idOf = (kind: IdKind, text: string): string | undefined => {
  const prefix = `${ID_PREFIXES[kind]}_`;
  if (!text.startsWith(prefix)) return undefined;
  const id = text.slice(prefix.length);
  return SUFFIX.test(id) ? id : undefined;
};
