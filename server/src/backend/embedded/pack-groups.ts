import { checkOf, entityCount, entityGroupWords, keyOf } from '@portcullis/engine';
import type { HistoryCache } from './history-cache.ts';
import { ENTITY_WORDS, GROUP_HEAD } from './history-rows.ts';

/** Writes groups into one buffer, as `unpackGroups` reads them. Uses `spare` if it is large enough. */
export const packGroups = (
  { columns, arena }: HistoryCache,
  slots: readonly number[],
  damaged: ReadonlySet<number>,
  spare: Float64Array<ArrayBuffer>,
): Float64Array<ArrayBuffer> => {
  let size = 0;
  for (const slot of slots) {
    const block = columns.block[slot] as number;
    const unindexed = entityCount(arena, block) - (columns.indexed[slot] as number);
    size += GROUP_HEAD + entityGroupWords(arena, block) + ENTITY_WORDS * unindexed;
  }
  const words = size <= spare.length ? spare : new Float64Array(2 ** Math.ceil(Math.log2(size)));
  let at = 0;
  for (const slot of slots) {
    const block = columns.block[slot] as number;
    const length = entityGroupWords(arena, block);
    const count = entityCount(arena, block);
    const id = columns.id[slot] as number;
    words[at++] = id;
    words[at++] = columns.tenant[slot] as number;
    words[at++] = checkOf(arena, block, 0);
    words[at++] = damaged.has(id) ? 1 : 0;
    words[at++] = length;
    words[at++] = count - (columns.indexed[slot] as number);
    for (let i = columns.indexed[slot] as number; i < count; i++) {
      words[at++] = keyOf(arena, block, i);
      words[at++] = checkOf(arena, block, i);
    }
    words.set(arena.f64.subarray(block, block + length), at);
    at += length;
  }
  return words;
};
