import { hash53, historyAt, LAST_AT, makeRandom } from '@portcullis/engine';
import { expect, test } from 'vitest';
import {
  addEmptyGroup,
  addNewEntity,
  cacheStats,
  evict,
  findCached,
  indexOf,
  MAX_GROUP_ENTITIES,
  makeHistoryCache,
  slotOf,
} from './history-cache.ts';

const COUNT = 40_000;
/** A dirty group is saved after this many further groups. */
const UNSAVED_FOR = 1000;

test('finds each group by tenant and key, with its own histories, after many additions, evictions and compactions', () => {
  const cache = makeHistoryCache(6_000_000);
  const { columns, arena } = cache;
  const random = makeRandom(1);
  // Groups grow with time, so later groups cannot reuse the freed blocks of earlier ones.
  const sizeAt = (i: number): number =>
    Math.min(MAX_GROUP_ENTITIES, 1 + Math.floor((4 * i) / COUNT) * 2 + Math.floor(random() * 2));
  const keyOf = (i: number, k: number): number => hash53(`${i}-${k}`);
  const sizes = Array.from({ length: COUNT }, (_, i) => sizeAt(i));
  let compactions = 0;
  for (const [i, size] of sizes.entries()) {
    const slot = addEmptyGroup(cache, i, i % 3);
    for (let k = 0; k < size; k++) addNewEntity(cache, slot, 0, keyOf(i, k), i, i);
    if (i % 10 === 0) columns.dirtySince[slot] = 1;
    const saved =
      i < UNSAVED_FOR ? 0 : findCached(cache, (i - UNSAVED_FOR) % 3, keyOf(i - UNSAVED_FOR, 0), i - UNSAVED_FOR);
    if (saved !== 0) columns.dirtySince[slotOf(saved)] = 0;
    const extent = arena.extent();
    evict(cache);
    if (arena.extent() < extent) compactions++;
  }
  expect(compactions).toBeGreaterThan(0);
  expect(cacheStats(cache).bytes).toBeLessThan(6_500_000);
  const wrong: string[] = [];
  let found = 0;
  for (const [i, size] of sizes.entries()) {
    for (let k = 0; k < size; k++) {
      const entity = findCached(cache, i % 3, keyOf(i, k), i);
      if (findCached(cache, (i + 1) % 3, keyOf(i, k), i) !== 0) wrong.push(`${i} is found for another tenant`);
      if (findCached(cache, i % 3, keyOf(i, k), i + 1) !== 0) wrong.push(`${i} is found with another check`);
      if (entity === 0 && i % 10 === 0 && i >= COUNT - UNSAVED_FOR) wrong.push(`${i} was evicted before it was saved`);
      if (entity === 0) continue;
      found++;
      const block = columns.block[slotOf(entity)] as number;
      const lastAt = arena.f64[historyAt(arena, block, indexOf(entity)) + LAST_AT];
      if (columns.id[slotOf(entity)] !== i || lastAt !== i) wrong.push(`${i} has another group's history`);
    }
  }
  expect(wrong).toEqual([]);
  expect(found).toBe(cacheStats(cache).entities);
  expect(found).toBeGreaterThan(0);
});
