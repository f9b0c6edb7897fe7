import { hash53, historyAt, LAST_AT, makeRandom } from '@portcullis/engine';
import { describe, expect, test } from 'vitest';
import { indexOf, makeShelves, SHELF_MAX_ENTITIES, shelfOf } from './shelves.ts';

const COUNT = 40_000;
/** Waiting to be saved for as long as it takes so many others to come. */
const WAIT = 1000;

describe('the shelves in memory', () => {
  test('are found by tenant and key, with what is theirs, however many came, went and were moved together', () => {
    const memory = makeShelves(6_000_000);
    const { columns, slab } = memory;
    const random = makeRandom(1);
    // They grow with time, so blocks of the sizes of before are of no use to those that come later.
    const sizeAt = (i: number): number =>
      Math.min(SHELF_MAX_ENTITIES, 1 + Math.floor((4 * i) / COUNT) * 2 + Math.floor(random() * 2));
    const keyOf = (i: number, k: number): number => hash53(`${i}-${k}`);
    const sizes = Array.from({ length: COUNT }, (_, i) => sizeAt(i));
    let moved = 0;
    for (const [i, size] of sizes.entries()) {
      const shelf = memory.addEmpty(i, i % 3);
      for (let k = 0; k < size; k++) memory.addEntity(shelf, keyOf(i, k), i);
      if (i % 10 === 0) columns.dirtySince[shelf] = 1;
      const saved = i < WAIT ? 0 : memory.find((i - WAIT) % 3, keyOf(i - WAIT, 0));
      if (saved !== 0) columns.dirtySince[shelfOf(saved)] = 0;
      const extent = slab.extent();
      memory.evict();
      if (slab.extent() < extent) moved++;
    }
    expect(moved).toBeGreaterThan(0);
    expect(memory.stats().bytes).toBeLessThan(6_500_000);
    const wrong: string[] = [];
    let found = 0;
    for (const [i, size] of sizes.entries()) {
      for (let k = 0; k < size; k++) {
        const entity = memory.find(i % 3, keyOf(i, k));
        if (memory.find((i + 1) % 3, keyOf(i, k)) !== 0) wrong.push(`${i} is found by another tenant`);
        if (entity === 0 && i % 10 === 0 && i >= COUNT - WAIT) wrong.push(`${i} left before it was saved`);
        if (entity === 0) continue;
        found++;
        const block = columns.block[shelfOf(entity)] as number;
        const own = slab.f64[historyAt(slab, block, indexOf(entity)) + LAST_AT];
        if (columns.id[shelfOf(entity)] !== i || own !== i) wrong.push(`${i} is not itself`);
      }
    }
    expect(wrong).toEqual([]);
    expect(found).toBe(memory.stats().entities);
    expect(found).toBeGreaterThan(0);
  });
});
