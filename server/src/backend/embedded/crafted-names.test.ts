import { randomBytes } from 'node:crypto';
import { type HashIndex, hash53, makeHashIndex, makeIdentities } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { randomSpread } from '../../runtime/random-spread.ts';
import { makeBloomFilter } from './bloom-filter.ts';

const COUNT = 100_000;
/** Inserting many that crowd one place takes minutes. */
const FEW = 3000;
const GOLDEN = 0x9e3779b1;
/** Whether a key stands in one sixteenth of a table with the public spread. */
const isCrafted = (key: number): boolean => Math.imul(key, GOLDEN) >>> 28 === 7;

const craft = (keyOf: (i: number) => number): number[] => {
  const found: number[] = [];
  for (let i = 1; found.length < COUNT; i++) if (isCrafted(keyOf(i))) found.push(i);
  return found;
};

const indexOf = (keys: Iterable<number>, spread?: number): HashIndex => {
  const index = makeHashIndex(spread);
  for (const key of keys) index.add(key, 1);
  return index;
};

/** The places that a search for an absent key visits, on average over all places it may start from. */
const probesOf = (index: HashIndex): number => {
  let [visited, run] = [0, 0];
  for (let place = 0; place <= index.places(); place++) {
    if (place < index.places() && index.valueAt(place) !== 0) run++;
    else {
      visited += (run * (run + 1)) / 2;
      run = 0;
    }
  }
  return 1 + visited / index.places();
};

const identify = makeIdentities(randomBytes(16))(1);
const keyOf = (name: string): number => {
  const [keys, checks]: [number[], number[]] = [[], []];
  identify(0, name, keys, checks);
  return keys[0] as number;
};

describe('100,000 crafted names', () => {
  const crafted = craft((i) => hash53(`n${i}`)).map((i) => `n${i}`);
  const ordinary = Array.from({ length: COUNT }, (_, i) => `user_${i}`);
  const expected = probesOf(indexOf(ordinary.map(keyOf)));

  test('made every search slow when names were found by an unkeyed hash', () => {
    expect(probesOf(indexOf(crafted.slice(0, FEW).map(hash53)))).toBeGreaterThan(50 * expected);
  });

  test('take at most 1.2 times the work of ordinary ones to find', () => {
    expect(probesOf(indexOf(crafted.map(keyOf)))).toBeLessThan(1.2 * expected);
  });

  test('are no more often taken for known ones than ordinary ones', () => {
    const filter = makeBloomFilter();
    for (const name of ordinary) filter.add(keyOf(name));
    filter.complete();
    const known = (names: readonly string[]) => names.filter((name) => !filter.isNew(keyOf(name))).length;
    expect(known(ordinary)).toBe(COUNT);
    expect(known(crafted)).toBeLessThan(20);
  });
});

describe('100,000 crafted numbers, such as networks on lists', () => {
  test('take at most 1.2 times the work of ordinary ones to find in a table with a random spread', () => {
    const crafted = craft((i) => i);
    expect(probesOf(indexOf(crafted.slice(0, FEW)))).toBeGreaterThan(50);
    // A few of all spreads suit such numbers badly: the median of fifteen.
    const work = Array.from({ length: 15 }, () => probesOf(indexOf(crafted, randomSpread()))).sort((a, b) => a - b)[7];
    const random = Float64Array.from({ length: COUNT }, () => randomBytes(4).readUInt32LE() + 1);
    expect(work).toBeLessThan(1.2 * probesOf(indexOf(random)));
  });
});
