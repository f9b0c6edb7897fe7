import type { DatabaseSync } from 'node:sqlite';
import { type Arena, entityCount, kindIndex, makeArena, newEntityGroup } from '@portcullis/engine';
import type { RestoreSubject } from '../../journal.ts';
import { adoptFormer } from './adopt-group.ts';
import { type FormerGroup, readFormerGroup } from './former-group.ts';
import type { JournalDigest } from './journal-digest.ts';
import { type Names, readNames } from './names.ts';
import type { NewFile } from './new-file.ts';

/** What became of the histories of a former file. */
export interface Conversion {
  kept: number;
  /** No stored screening names the entity. */
  unnamed: number;
  /** Two names of the stored screenings had one former key, so the history was a mixture. Rebuilt from the screenings. */
  forged: number;
  /** The words were no history. Rebuilt from the screenings. */
  damaged: number;
}

export type OnProgress = (what: string, done: number) => void;

const convertGroup = (
  arena: Arena,
  names: Names,
  digest: JournalDigest,
  tenant: number,
  { entities, profile }: FormerGroup,
  result: Conversion,
): number => {
  let group = newEntityGroup(arena);
  for (const [index, { key: former, words }] of entities.entries()) {
    const known = names.entity(tenant, former);
    if (known === undefined) result.unnamed++;
    else if (known === 'forged') result.forged++;
    else {
      const { kind } = known;
      const mapRelated = (relation: number, id: number) => names.related(tenant, former, relation, id);
      const isUser = kind === kindIndex.user;
      // The user of a group is its first entity, and only a user has a profile.
      const isPlausible = isUser ? index === 0 && profile !== undefined : true;
      const history = { ...known, words, profile };
      const whole = isPlausible ? adoptFormer(arena, group, digest, tenant, history, mapRelated) : 0;
      if (whole === 0) result.damaged++;
      else {
        group = whole;
        result.kept++;
      }
    }
  }
  return group;
};

/**
 * Converts a file of release 0.1, whose histories were found by an unkeyed hash of the name. The stored screenings name
 * the entities of the last 90 days; a history without a name cannot be distinguished from a forged one, and is left out.
 */
export const convertFormer = (
  former: DatabaseSync,
  target: NewFile,
  records: DatabaseSync,
  restore: RestoreSubject,
  digest: JournalDigest,
  onProgress: OnProgress,
): Conversion => {
  const result: Conversion = { kept: 0, unnamed: 0, forged: 0, damaged: 0 };
  const names = readNames(records, restore, (done) => onProgress('screenings read', done));
  const arena = makeArena(2 ** 16);
  let done = 0;
  try {
    for (const { tenant, through, bytes } of former.prepare('SELECT tenant, through, bytes FROM shelves').iterate()) {
      onProgress('histories converted', ++done);
      const group = readFormerGroup(bytes);
      if (group === undefined || !Number.isSafeInteger(tenant) || !Number.isSafeInteger(through)) {
        result.damaged++;
        continue;
      }
      arena.clear();
      const converted = convertGroup(arena, names, digest, tenant as number, group, result);
      if (entityCount(arena, converted) > 0) target.add(arena, converted, tenant as number, through as number);
    }
  } finally {
    names.close();
  }
  return result;
};
