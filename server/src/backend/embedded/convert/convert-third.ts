import type { DatabaseSync } from 'node:sqlite';
import {
  type Arena,
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
  readEntityGroup,
} from '@portcullis/engine';
import { GROUP_COLUMNS, type GroupRow, isIntact } from '../group-row.ts';
import { adoptFormer } from './adopt-group.ts';
import type { OnProgress } from './convert-former.ts';
import type { JournalDigest } from './journal-digest.ts';
import type { NewFile } from './new-file.ts';

/**
 * Layout 3: histories with one word less, in which a user and a related entity had only the times they were seen together.
 * Groups have the same form as now.
 */
export const THIRD_SCHEMA = `
CREATE TABLE shelves (
  shelf INTEGER PRIMARY KEY,
  tenant BIGINT NOT NULL,
  owner BIGINT NOT NULL,
  through BIGINT NOT NULL,
  checksum BIGINT NOT NULL,
  bytes BLOB NOT NULL
);
CREATE TABLE entities (
  tenant BIGINT NOT NULL,
  key BIGINT NOT NULL,
  "check" BIGINT NOT NULL,
  shelf BIGINT NOT NULL,
  checksum BIGINT NOT NULL,
  PRIMARY KEY (tenant, key, "check")
) WITHOUT ROWID;
CREATE TABLE counters_through (id INTEGER PRIMARY KEY, seq BIGINT NOT NULL, checksum BIGINT, identity TEXT);
`;
export const THIRD_LAYOUT = 3;

const wordsOf = (arena: Arena, from: number, end: number): Float64Array =>
  new Float64Array(arena.bytes.slice(from * 8, end * 8).buffer);

/** Reads a group of layout 3 and returns it in this layout; 0 if a history in it is damaged. */
export const convertThirdGroup = (
  former: Arena,
  arena: Arena,
  digest: JournalDigest,
  tenant: number,
  bytes: Uint8Array,
): number => {
  former.clear();
  const read = readEntityGroup(former, bytes);
  const words = entityGroupWords(former, read);
  const profile = profileAt(former, read) === read ? undefined : wordsOf(former, profileAt(former, read), read + words);
  const mapRelated = (relation: number, id: number): number[] => [
    relation === kindIndex.email ? digest.mailbox(tenant, id) : id,
  ];
  let group = newEntityGroup(arena);
  for (let index = 0; index < entityCount(former, read); index++) {
    const entity = {
      kind: kindOf(former, read, index),
      key: keyOf(former, read, index),
      check: checkOf(former, read, index),
      words: wordsOf(former, historyAt(former, read, index), historyEnd(former, read, index)),
      profile,
    };
    group = adoptFormer(arena, group, digest, tenant, entity, mapRelated);
    if (group === 0) return 0;
  }
  return group;
};

/** Converts every intact group. Returns how many, and how many were damaged and are rebuilt from the screenings. */
export const convertThird = (
  former: DatabaseSync,
  target: NewFile,
  digest: JournalDigest,
  onProgress: OnProgress,
): { kept: number; damaged: number } => {
  const [scratch, arena] = [makeArena(2 ** 16), makeArena(2 ** 16)];
  const rows = former.prepare(`SELECT ${GROUP_COLUMNS} FROM shelves s`);
  rows.setReturnArrays(true);
  const result = { kept: 0, damaged: 0 };
  for (const row of rows.iterate() as Iterable<unknown> as Iterable<GroupRow>) {
    onProgress('groups converted', result.kept + result.damaged + 1);
    const [, tenant, through, bytes] = row;
    arena.clear();
    const group = isIntact(row) ? convertThirdGroup(scratch, arena, digest, tenant, bytes) : 0;
    if (group === 0) result.damaged++;
    else {
      target.add(arena, group, tenant, through);
      result.kept++;
    }
  }
  return result;
};
