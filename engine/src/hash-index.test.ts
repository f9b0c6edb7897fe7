import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeHashIndex } from './hash-index.ts';

/** Few keys, so that they repeat, with the same low 32 bits now and then, so that they share a place. */
const key = fc.oneof(
  fc.nat(20),
  fc.nat(20).map((low) => 2 ** 32 * (low + 1) + low),
  fc.maxSafeNat(),
);
const value = fc.integer({ min: 1, max: 2 ** 32 - 1 });

const valuesOf = (index: ReturnType<typeof makeHashIndex>, of: number): number[] => {
  const values: number[] = [];
  for (let place = index.find(of); place !== -1; place = index.next(place)) values.push(index.valueAt(place));
  return values.sort();
};

describe('a hash index', () => {
  test('holds one value per key as a Map does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ key, value, isRemoval: fc.boolean() }), { maxLength: 300 }),
        fc.array(key),
        (steps, others) => {
          const index = makeHashIndex();
          const map = new Map<number, number>();
          for (const { key: of, value: to, isRemoval } of steps) {
            if (!isRemoval) {
              index.set(of, to);
              map.set(of, to);
            } else if (map.delete(of)) index.removeAt(index.find(of));
            expect(index.size()).toBe(map.size);
          }
          for (const of of [...map.keys(), ...others]) {
            expect(index.get(of)).toBe(map.get(of) ?? 0);
            expect(index.find(of) === -1).toBe(!map.has(of));
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test('holds several values per key, and forgets only the removed one', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ key, value, isRemoval: fc.boolean() }), { maxLength: 300 }), (steps) => {
        const index = makeHashIndex();
        const map = new Map<number, number[]>();
        for (const { key: of, value: to, isRemoval } of steps) {
          const values = map.get(of) ?? [];
          if (!isRemoval) {
            index.add(of, to);
            map.set(of, [...values, to]);
          } else if (values.length > 0) {
            let place = index.find(of);
            while (index.valueAt(place) !== values[0]) place = index.next(place);
            index.removeAt(place);
            map.set(of, values.slice(1));
          }
        }
        for (const [of, values] of map) expect(valuesOf(index, of)).toEqual(values.sort());
        const places = Array.from({ length: index.places() }, (_, place) => index.valueAt(place));
        expect(places.filter((at) => at !== 0).sort()).toEqual([...map.values()].flat().sort());
      }),
      { numRuns: 500 },
    );
  });

  test('is empty after it was cleared', () => {
    const index = makeHashIndex();
    for (let i = 1; i <= 1000; i++) index.add(i, i);
    index.clear();
    expect(index.size()).toBe(0);
    for (let i = 1; i <= 1000; i++) expect(index.get(i)).toBe(0);
    index.add(5, 6);
    expect(index.get(5)).toBe(6);
  });

  test('stays at most half full and takes at most 48 bytes an entry', () => {
    const index = makeHashIndex();
    for (let i = 1; i <= 5000; i++) {
      index.add(i * 7919, i);
      expect(index.places()).toBeGreaterThanOrEqual(2 * i);
    }
    expect(index.bytes() / 5000).toBeLessThanOrEqual(48);
  });
});
