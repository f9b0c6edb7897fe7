const FIRST_BITS = 4;
/**
 * 2³² divided by the golden ratio. Multiplying by it spreads keys that follow one another, such as numbers of
 * networks.
 */
const GOLDEN = 0x9e3779b1;

/**
 * A hash index from numbers to numbers, with several values per key. It uses open addressing and is at most half
 * full. A `Map` would allocate an object per key, which costs lookups and garbage collection when there are millions.
 *
 * A key is an integer below 2⁵³ whose low 32 bits decide its place. A value is an integer from 1 to 2³² − 1. Keys and
 * values stand in two arrays, so most lookups of an absent key read one value only. A place is valid until the next
 * `add`, `set` or `removeAt`.
 *
 * `spread` is an odd number below 2³². Where others choose keys, pass a random one: they cannot choose keys for one
 * place then, unless these have equal low bits.
 */
export const makeHashIndex = (spread = GOLDEN) => {
  let shift = 32 - FIRST_BITS;
  let mask = 2 ** FIRST_BITS - 1;
  let keys = new Float64Array(mask + 1);
  let values = new Uint32Array(mask + 1);
  let size = 0;

  const homeOf = (key: number): number => Math.imul(key, spread) >>> shift;
  const findFrom = (start: number, key: number): number => {
    for (let place = start; values[place] !== 0; place = (place + 1) & mask) if (keys[place] === key) return place;
    return -1;
  };
  const insert = (key: number, value: number): void => {
    let place = homeOf(key);
    while (values[place] !== 0) place = (place + 1) & mask;
    keys[place] = key;
    values[place] = value;
  };
  const grow = (): void => {
    const [oldKeys, oldValues] = [keys, values];
    shift--;
    mask = 2 * mask + 1;
    keys = new Float64Array(mask + 1);
    values = new Uint32Array(mask + 1);
    for (let i = 0; i < oldValues.length; i++)
      if (oldValues[i] !== 0) insert(oldKeys[i] as number, oldValues[i] as number);
  };

  const add = (key: number, value: number): void => {
    if (++size * 2 > mask + 1) grow();
    insert(key, value);
  };

  return {
    size: (): number => size,
    bytes: (): number => keys.byteLength + values.byteLength,
    /** The number of places, empty ones included: places are 0 to `places() - 1`. */
    places: (): number => mask + 1,
    /** The first value of the key; 0 when it has none. */
    get: (key: number): number => {
      for (let place = homeOf(key); ; place = (place + 1) & mask) {
        const value = values[place] as number;
        if (value === 0 || keys[place] === key) return value;
      }
    },
    /** The place of the key's first value; -1 when it has none. */
    find: (key: number): number => findFrom(homeOf(key), key),
    /** The place of the next value of the key at `place`; -1 after the last. */
    next: (place: number): number => findFrom((place + 1) & mask, keys[place] as number),
    /** The value at a place; 0 for an empty place. */
    valueAt: (place: number): number => values[place] as number,
    /** Adds a value, whether or not the key has others. */
    add,
    /** Replaces the first value of the key, or adds it when there is none. */
    set: (key: number, value: number): void => {
      const place = findFrom(homeOf(key), key);
      if (place === -1) add(key, value);
      else values[place] = value;
    },
    /**
     * Removes a value. Later entries of the same run move up, so that no lookup ends at the gap before it reaches
     * them.
     */
    removeAt: (place: number): void => {
      let gap = place;
      for (let at = (gap + 1) & mask; values[at] !== 0; at = (at + 1) & mask) {
        if (((at - homeOf(keys[at] as number)) & mask) < ((at - gap) & mask)) continue;
        keys[gap] = keys[at] as number;
        values[gap] = values[at] as number;
        gap = at;
      }
      values[gap] = 0;
      size--;
    },
    clear: (): void => {
      values.fill(0);
      size = 0;
    },
  };
};
export type HashIndex = ReturnType<typeof makeHashIndex>;
