import { DatabaseSync as Database, type DatabaseSync } from 'node:sqlite';
import { type Arena, checkOf, entityCount, entityGroupWords, keyOf, kindOf } from '@portcullis/engine';
import { checksumOf, numbersChecksum } from '../../checksum.ts';
import { PAGE_BYTES, SCHEMA } from '../counters-schema.ts';
import { HAS_OWN_GROUP } from '../own-groups.ts';

/**
 * Writes groups into a new file of histories, in one transaction that is synced to disk at its end. Two groups with
 * one id get different ids.
 */
export const makeNewFile = (path: string) => {
  const database: DatabaseSync = new Database(path);
  database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY; BEGIN`);
  database.exec(SCHEMA);
  const addGroup = database.prepare(
    'INSERT INTO shelves (shelf, tenant, owner, through, checksum, bytes) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const addEntity = database.prepare(
    `INSERT INTO entities (tenant, key, "check", shelf, checksum) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET shelf = excluded.shelf, checksum = excluded.checksum`,
  );
  const hasId = database.prepare('SELECT 1 FROM shelves WHERE shelf = ?');
  let spare = 0;
  return {
    database,
    /** Adds a group in an arena. It must have at least one entity. */
    add: (arena: Arena, group: number, tenant: number, through: number): void => {
      const key = keyOf(arena, group, 0);
      const id = hasId.get(key) === undefined ? key : --spare;
      const bytes = arena.bytes.slice(group * 8, (group + entityGroupWords(arena, group)) * 8);
      const owner = checkOf(arena, group, 0);
      addGroup.run(id, tenant, owner, through, checksumOf(bytes, id, tenant, owner, through), bytes);
      for (let i = 0; i < entityCount(arena, group); i++) {
        const isFoundById = i === 0 && id === key && HAS_OWN_GROUP[kindOf(arena, group, i)];
        if (isFoundById) continue;
        const [entity, check] = [keyOf(arena, group, i), checkOf(arena, group, i)];
        addEntity.run(tenant, entity, check, id, numbersChecksum(tenant, entity, check, id));
      }
    },
    finish: (): void => {
      database.exec('COMMIT');
      database.close();
    },
    discard: (): void => {
      if (database.isOpen) database.close();
    },
  };
};
export type NewFile = ReturnType<typeof makeNewFile>;
