/** How full it may be: beyond this, runs of places to look at grow long. */
const FULLEST = 0.7;
const FIRST_BITS = 4;
const EMPTY = 0;
/** 2³² over the golden ratio: neighbours end up far apart. */
const SPREAD = 0x9e3779b1;
const LIST_NUMBERS = 256;

/** A place in bytes, and the same in doubles and in words: number and end, then the check, then list and group. */
const BYTES = 24;
const DOUBLES = 3;
const UNTIL = 1;
const WORDS = 6;
const CHECK = 4;
const LIST = 20;
const GROUP = 21;

/** Something that may be on lists: a number other than 0, the group it belongs to, and what tells it from others with the same number. */
export interface Key {
  readonly group: number;
  readonly number: number;
  readonly check: number;
}

/**
 * Which lists hold what, until when: one place for each in one piece of memory out of the garbage collector's sight, found by number and group and
 * then by going on until a place is empty. What is on several lists has several places. How many there are of each group is counted.
 */
export const makeTable = (groupCount: number) => {
  let bits = FIRST_BITS;
  let last = 2 ** bits - 1;
  let size = 0;
  let doubles = new Float64Array((last + 1) * DOUBLES);
  let words = new Int32Array(doubles.buffer);
  let bytes = new Uint8Array(doubles.buffer);
  const counts = new Uint32Array(groupCount);
  /** How many each list held at a moment, kept up with every change: right until the next of them ends. */
  const held = new Uint32Array(LIST_NUMBERS);
  let heldAt = Number.NEGATIVE_INFINITY;
  let nextEnd = Number.POSITIVE_INFINITY;

  const homeOf = (number: number, group: number): number =>
    Math.imul(((number >>> 0) ^ (group << 24)) | 0, SPREAD) >>> (32 - bits);
  const numberAt = (at: number): number => doubles[at * DOUBLES] as number;
  const untilAt = (at: number): number => doubles[at * DOUBLES + UNTIL] as number;
  const checkAt = (at: number): number => words[at * WORDS + CHECK] as number;
  const listAt = (at: number): number => bytes[at * BYTES + LIST] as number;
  const groupAt = (at: number): number => bytes[at * BYTES + GROUP] as number;

  /** Where it stands, or the empty place where it would. */
  const find = ({ number, group, check }: Key, list: number): number => {
    let at = homeOf(number, group);
    for (; numberAt(at) !== EMPTY; at = (at + 1) & last) {
      if (numberAt(at) === number && listAt(at) === list && checkAt(at) === check && groupAt(at) === group) break;
    }
    return at;
  };

  /** As words: a double may come out of a copy with other bits than it went in. */
  const copy = (from: Int32Array, i: number, to: number): void => {
    for (let word = 0; word < WORDS; word++) words[to * WORDS + word] = from[i * WORDS + word] as number;
  };
  const grow = (): void => {
    const old = { doubles, words, bytes };
    const oldLast = last;
    last = 2 ** ++bits - 1;
    doubles = new Float64Array((last + 1) * DOUBLES);
    words = new Int32Array(doubles.buffer);
    bytes = new Uint8Array(doubles.buffer);
    for (let i = 0; i <= oldLast; i++) {
      const number = old.doubles[i * DOUBLES] as number;
      if (number === EMPTY) continue;
      let at = homeOf(number, old.bytes[i * BYTES + GROUP] as number);
      while (numberAt(at) !== EMPTY) at = (at + 1) & last;
      copy(old.words, i, at);
    }
  };

  /** What stands behind the place may have had to go on past it: it moves up, so that no search ends too early. */
  const clear = (at: number): void => {
    size--;
    if (untilAt(at) > heldAt) (held[listAt(at)] as number)--;
    (counts[groupAt(at)] as number)--;
    let hole = at;
    for (let i = (at + 1) & last; numberAt(i) !== EMPTY; i = (i + 1) & last) {
      const home = homeOf(numberAt(i), groupAt(i));
      if (((i - home) & last) < ((i - hole) & last)) continue;
      copy(words, i, hole);
      hole = i;
    }
    doubles[hole * DOUBLES] = EMPTY;
  };

  const recount = (now: number): void => {
    held.fill(0);
    heldAt = now;
    nextEnd = Number.POSITIVE_INFINITY;
    for (let at = 0; at <= last; at++) {
      if (numberAt(at) === EMPTY || untilAt(at) <= now) continue;
      (held[listAt(at)] as number)++;
      nextEnd = Math.min(nextEnd, untilAt(at));
    }
  };

  return {
    size: (): number => size,
    bytes: (): number => bytes.length,
    count: (group: number): number => counts[group] as number,
    /** Puts it there or, if it is, changes its end. */
    add: (key: Key, list: number, until: number): void => {
      if (size + 1 > (last + 1) * FULLEST) grow();
      const at = find(key, list);
      const isNew = numberAt(at) === EMPTY;
      if (isNew) {
        size++;
        (counts[key.group] as number)++;
      }
      if (!isNew && untilAt(at) > heldAt) (held[list] as number)--;
      if (until > heldAt) (held[list] as number)++;
      nextEnd = Math.min(nextEnd, until);
      doubles[at * DOUBLES] = key.number;
      doubles[at * DOUBLES + UNTIL] = until;
      words[at * WORDS + CHECK] = key.check;
      bytes[at * BYTES + LIST] = list;
      bytes[at * BYTES + GROUP] = key.group;
    },
    /** Takes it away if it ends at `by` or before. */
    remove: (key: Key, list: number, by: number): void => {
      const at = find(key, list);
      if (numberAt(at) !== EMPTY && untilAt(at) <= by) clear(at);
    },
    has: (key: Key, list: number, now: number): boolean => {
      const at = find(key, list);
      return numberAt(at) !== EMPTY && untilAt(at) > now;
    },
    /** What moves up comes from behind, so it is looked at too, or from the beginning, where it was looked at before. */
    removeList: (list: number): void => {
      for (let at = 0; at <= last; at++) while (numberAt(at) !== EMPTY && listAt(at) === list) clear(at);
    },
    /** The first place with the number in the group, or -1. Mostly that: so it is asked before the check is worked out. */
    look: (group: number, number: number): number => {
      for (let at = homeOf(number, group); numberAt(at) !== EMPTY; at = (at + 1) & last)
        if (numberAt(at) === number && groupAt(at) === group) return at;
      return -1;
    },
    /** From the place that `look` told on, sets `marks` at the number of each list that holds it now. Answers with how many it found. */
    mark: (from: number, check: number, now: number, marks: Uint8Array): number => {
      const number = numberAt(from);
      const group = groupAt(from);
      let found = 0;
      for (let at = from; numberAt(at) !== EMPTY; at = (at + 1) & last) {
        if (numberAt(at) !== number || groupAt(at) !== group || checkAt(at) !== check || untilAt(at) <= now) continue;
        marks[listAt(at)] = 1;
        found++;
      }
      return found;
    },
    /** How many each list holds now, by its number. */
    countLists: (now: number): Uint32Array => {
      if (now >= nextEnd || now < heldAt) recount(now);
      return held;
    },
    /** Whether the list holds one that ends after `time`, or never. */
    endsAfter: (list: number, time: number): boolean => {
      for (let at = 0; at <= last; at++)
        if (numberAt(at) !== EMPTY && listAt(at) === list && untilAt(at) > time) return true;
      return false;
    },
  };
};
export type Table = ReturnType<typeof makeTable>;
