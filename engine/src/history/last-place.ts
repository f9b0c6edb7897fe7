import type { Arena } from './arena.ts';
import { relatedCount, secondOf } from './history-layout.ts';
import { pairAge } from './pair.ts';
import { FIRST_HALF, HASH_BITS, HASH_MASK, RELATED_OF_USER, SECOND, STORED_KINDS } from './related.ts';

const PLACE_CODE = STORED_KINDS.indexOf('place');
/** A place is where the user really is once they have been there for this long. No journey on earth takes longer. */
const SETTLED_MS = 24 * 3600 * SECOND;
/**
 * Fills in the last place of the user, and when they were there, to the second; both 0 if there is none. A failed attempt
 * brings nobody anywhere. The place of the subject, `here`, counts once the user is settled there: otherwise one login would
 * hide the journey of a thief.
 */
export const lastPlace = (
  arena: Arena,
  at: number,
  here: number,
  now: number,
  found: { place: number; at: number },
): void => {
  const { u32 } = arena;
  const first = 2 * at + FIRST_HALF;
  const end = first + relatedCount(arena, at) * RELATED_OF_USER;
  const second = secondOf(now);
  let last = 0;
  let only = 0;
  for (let i = first; i < end; i += RELATED_OF_USER) {
    if ((u32[i] as number) >>> HASH_BITS !== PLACE_CODE) continue;
    const age = pairAge(arena, i, second);
    if (Number.isNaN(age)) continue;
    if (((u32[i] as number) & HASH_MASK) === here && age < SETTLED_MS) {
      only = i;
      continue;
    }
    if (last === 0 || (u32[i + 1] as number) >= (u32[last + 1] as number)) last = i;
  }
  if (last === 0) last = only;
  found.place = last === 0 ? 0 : (u32[last] as number) & HASH_MASK;
  found.at = last === 0 ? 0 : (u32[last + 1] as number) * SECOND;
};
