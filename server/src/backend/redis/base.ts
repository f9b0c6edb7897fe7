import { type Arena, entityGroupWords, readEntityGroup } from '@portcullis/engine';
import { checksumOf } from '../checksum.ts';

/** The value of a key is not as this service wrote it. */
export class DamagedValue extends Error {
  override name = 'DamagedValue';
  constructor() {
    super('a value in Redis is damaged');
  }
}

const WORD = 8;
/** More than any history or profile has. */
const MAX_BASE_WORDS = 8000;

/** The checksum of a group: of its length and all words but the first, half of which is the arena's own. */
const groupChecksum = (arena: Arena, group: number, words: number): number =>
  checksumOf(arena.bytes.subarray((group + 1) * WORD, (group + words) * WORD), words);

/** A history as the bytes of a base: the group, whose first four bytes are cleared, and its checksum. */
export const baseOf = (arena: Arena, group: number): Buffer => {
  const words = entityGroupWords(arena, group);
  const base = Buffer.alloc((words + 1) * WORD);
  base.set(arena.bytes.subarray(group * WORD, (group + words) * WORD));
  base.writeUint32LE(0, 0);
  base.writeDoubleLE(groupChecksum(arena, group, words), words * WORD);
  return base;
};

/** Reads a base into an arena and returns its position. Throws if a byte of it was changed. */
export const readBase = (arena: Arena, base: Buffer): number => {
  const words = base.length / WORD - 1;
  if (!Number.isInteger(words) || words < 1 || words > MAX_BASE_WORDS) throw new DamagedValue();
  const group = readEntityGroup(arena, base.subarray(0, words * WORD));
  const isIntact =
    entityGroupWords(arena, group) === words && base.readDoubleLE(words * WORD) === groupChecksum(arena, group, words);
  if (!isIntact) throw new DamagedValue();
  return group;
};
