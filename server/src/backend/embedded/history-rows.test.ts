import { expect, test } from 'vitest';
import { unpackGroups } from './history-rows.ts';

interface Group {
  readonly id: number;
  readonly tenant: number;
  readonly owner: number;
  readonly replaces: boolean;
  readonly entities: readonly (readonly [key: number, check: number])[];
  readonly words: readonly number[];
}

const packed = (groups: readonly Group[]): Float64Array<ArrayBuffer> =>
  Float64Array.from(
    groups.flatMap(({ id, tenant, owner, replaces, entities, words }) => [
      ...[id, tenant, owner, Number(replaces), words.length, entities.length],
      ...entities.flat(),
      ...words,
    ]),
  );

/** Keys of 52 bits, as those of names. Every seventh group has a spare id below 0. */
const makeGroups = (count: number): Group[] =>
  Array.from({ length: count }, (_, i) => {
    const key = (i * 2_654_435_761 * 1_000_003) % 2 ** 52;
    return {
      id: i % 7 === 0 ? -1 - i : key,
      tenant: 1 + (i % 3),
      owner: i,
      replaces: i % 5 === 0,
      entities: Array.from(
        { length: i % 4 },
        (_entity, j) => [(key * 3 + j * 2 ** 40) % 2 ** 52, 1000 * i + j] as const,
      ),
      words: Array.from({ length: 1 + (i % 6) }, (_word, j) => i + j / 8),
    };
  });

test('every group and every new entity arrives unchanged, in the order of the pages', () => {
  const groups = makeGroups(3000);
  const saved: Group[] = [];
  const entities: number[][] = [];
  unpackGroups(
    { count: groups.length, through: 0, completeThrough: 0, words: packed(groups) },
    (id, tenant, owner, replaces, bytes) => {
      const words = [...new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8)];
      saved.push({ id, tenant, owner, replaces, entities: [], words });
    },
    (...entity) => entities.push(entity),
  );
  expect(saved.toSorted((a, b) => a.owner - b.owner)).toEqual(groups.map((group) => ({ ...group, entities: [] })));
  expect(entities.toSorted((a, b) => (a[2] as number) - (b[2] as number))).toEqual(
    groups.flatMap(({ id, tenant, entities }) => entities.map(([key, check]) => [tenant, key, check, id])),
  );
  const page = (key: number): number => Math.floor(key / 2 ** 22);
  const ascends = (keys: readonly number[]): boolean =>
    keys.every((key, i) => i === 0 || page(keys[i - 1] as number) <= page(key));
  expect(ascends(saved.map(({ id }) => id))).toBe(true);
  expect(ascends(entities.map(([, key]) => key as number))).toBe(true);
});
