import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { upTo } from '../../test/subjects.ts';
import { makeArena, sizeOf } from './arena.ts';

describe('an arena', () => {
  test('never allocates a word twice, keeps content through growth, and reuses freed blocks', () => {
    const sizes = fc.array(fc.tuple(fc.integer({ min: 1, max: 600 }), fc.boolean()), upTo(200));
    fc.assert(
      fc.property(sizes, (steps) => {
        const arena = makeArena(8);
        const live = new Map<number, { size: number; mark: number }>();
        let mark = 0;
        for (const [words, alsoFree] of steps) {
          const at = arena.allocate(words);
          const size = sizeOf(arena, at);
          expect(size).toBeGreaterThanOrEqual(words);
          for (const [other, { size: theirs }] of live) expect(at + size <= other || other + theirs <= at).toBe(true);
          arena.f64.fill(++mark, at + 1, at + size);
          live.set(at, { size, mark });
          const [first] = live.keys();
          if (alsoFree && first !== undefined) {
            arena.free(first);
            live.delete(first);
          }
        }
        for (const [at, { size, mark: own }] of live) {
          expect(arena.f64.subarray(at + 1, at + size).every((value) => value === own)).toBe(true);
        }
        expect(arena.used()).toBe([...live.values()].reduce((sum, { size }) => sum + size, 0));
        const before = arena.f64.length;
        for (const at of live.keys()) arena.free(at);
        expect(arena.used()).toBe(0);
        for (const { size } of live.values()) arena.allocate(size);
        expect(arena.f64.length).toBe(before);
      }),
      { numRuns: 60 },
    );
  });

  test('compacts blocks without changing their content, and reuses the freed space', () => {
    const kept = fc.array(fc.tuple(fc.integer({ min: 1, max: 100 }), fc.boolean()), { ...upTo(60), minLength: 1 });
    fc.assert(
      fc.property(kept, (steps) => {
        const arena = makeArena(8);
        const blocks = steps.map(([words, keep], mark) => {
          const at = arena.allocate(words);
          arena.f64.fill(mark, at + 1, at + sizeOf(arena, at));
          return { at, keep, mark };
        });
        for (const { at, keep } of blocks) if (!keep) arena.free(at);
        const live = blocks.filter(({ keep }) => keep);
        const places = Float64Array.from(live, ({ at }) => at).sort();
        const before = new Map(live.map(({ at, mark }) => [at, mark]));
        const marks = [...places].map((at) => before.get(at));
        arena.compact(places);
        expect(arena.extent() - 1).toBe(arena.used());
        places.forEach((at, i) => {
          expect(arena.f64.subarray(at + 1, at + sizeOf(arena, at)).every((value) => value === marks[i])).toBe(true);
        });
        const after = arena.allocate(5);
        expect([...places].every((at) => at + sizeOf(arena, at) <= after)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('refuses a block larger than the largest size', () => {
    expect(() => makeArena(8).allocate(40_000)).toThrow(RangeError);
  });
});
