import {
  type Arena,
  addEntity,
  addProfile,
  checkOf,
  entityCount,
  entityGroupWords,
  historyAt,
  historyEnd,
  keyOf,
  kindIndex,
  kindOf,
  makeArena,
  newEntityGroup,
  profileAt,
  RELATED_KINDS,
  readEntityGroup,
} from '@portcullis/engine';
import { GROUP_COLUMNS, type GroupRow, isIntact } from '../embedded/group-row.ts';
import { baseOf } from '../redis/base.ts';
import type { Keys } from '../redis/keys.ts';
import { RECORD_BYTES } from '../redis/record.ts';
import type { Source } from './source.ts';

/** Turns the entity groups of the embedded store into values for Redis. The bytes of a history are the same in both. */

/** A value for Redis. `size` is the size of the records appended to it. */
export interface HistoryItem {
  readonly key: string;
  readonly base: Buffer;
  readonly size: number;
}

/** Copies a history into a group of its own, within the arena. */
const historyAlone = (arena: Arena, group: number, index: number): Buffer => {
  const [from, end] = [historyAt(arena, group, index), historyEnd(arena, group, index)];
  const alone = addEntity(arena, newEntityGroup(arena), kindOf(arena, group, index), 0, 0, end - from);
  arena.f64.copyWithin(historyAt(arena, alone, 0), from, end);
  return baseOf(arena, alone);
};
const profileAlone = (arena: Arena, group: number): Buffer => {
  const [from, end] = [profileAt(arena, group), group + entityGroupWords(arena, group)];
  const alone = addProfile(arena, newEntityGroup(arena), end - from);
  arena.f64.copyWithin(profileAt(arena, alone), from, end);
  return baseOf(arena, alone);
};

const itemsOf = (arena: Arena, keys: Keys, tenant: number, group: number): HistoryItem[] => {
  const items: HistoryItem[] = [];
  const identified = { hashes: RELATED_KINDS.map(() => 0), checks: RELATED_KINDS.map(() => 0) };
  for (let index = 0; index < entityCount(arena, group); index++) {
    const kind = kindOf(arena, group, index);
    identified.hashes[kind] = keyOf(arena, group, index);
    identified.checks[kind] = checkOf(arena, group, index);
    const key = keys.history(tenant, kind, identified);
    items.push({ key, base: historyAlone(arena, group, index), size: RECORD_BYTES[kind] as number });
    if (kind === kindIndex.user && profileAt(arena, group) !== group)
      items.push({ key: keys.profile(tenant, identified), base: profileAlone(arena, group), size: 0 });
  }
  return items;
};

/** Yields the values of each group in turn; undefined for a damaged row, whose histories cannot be copied. */
export function* readHistoryItems({ counters }: Source, keys: Keys): Generator<HistoryItem[] | undefined> {
  const arena = makeArena(2 ** 14);
  const rows = counters.prepare(`SELECT ${GROUP_COLUMNS} FROM shelves s`);
  rows.setReturnArrays(true);
  for (const row of rows.iterate() as Iterable<unknown> as Iterable<GroupRow>) {
    arena.clear();
    yield isIntact(row) ? itemsOf(arena, keys, row[1], readEntityGroup(arena, row[3])) : undefined;
  }
}

export const countGroups = ({ counters }: Source): number =>
  Number(counters.prepare('SELECT COUNT(*) AS count FROM shelves').get()?.count);
