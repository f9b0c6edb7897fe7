/** Reads entity groups of layout 2, which had no check, no kind and no checksum. Nothing in them is trusted. */

const HEAD = 2;
const ENTRY = 2;
const MAX_ENTITIES = 8;
const WORD = 8;

export interface FormerEntity {
  readonly key: number;
  readonly words: Float64Array;
}
export interface FormerGroup {
  readonly entities: readonly FormerEntity[];
  readonly profile: Float64Array | undefined;
}

/** Undefined if the bytes cannot be a group. */
export const readFormerGroup = (bytes: unknown): FormerGroup | undefined => {
  if (!(bytes instanceof Uint8Array) || bytes.length % WORD !== 0 || bytes.length < HEAD * WORD) return undefined;
  // A copy: the memory of a row may not be aligned.
  const words = new Float64Array(bytes.slice().buffer);
  const halves = new Uint32Array(words.buffer);
  const [, used, count, profileAt] = halves as unknown as [number, number, number, number];
  if (used !== words.length || count === 0 || count > MAX_ENTITIES) return undefined;
  const entities: FormerEntity[] = [];
  let next = HEAD + count * ENTRY;
  for (let i = 0; i < count; i++) {
    const entry = 2 * (HEAD + i * ENTRY);
    const [from, end] = [halves[entry + 2] as number, halves[entry + 3] as number];
    const key = words[HEAD + i * ENTRY] as number;
    if (from !== next || end < from || end > words.length || !Number.isSafeInteger(key)) return undefined;
    entities.push({ key, words: words.slice(from, end) });
    next = end;
  }
  if (profileAt !== 0 && profileAt !== next) return undefined;
  if (profileAt === 0 && next !== words.length) return undefined;
  return { entities, profile: profileAt === 0 ? undefined : words.slice(profileAt) };
};
