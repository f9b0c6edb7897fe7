import { DatabaseSync } from 'node:sqlite';
import { ENTITY_KINDS, HASH_BITS, kindIndex, RELATED_KINDS, RELATION_INDEXES, type Subject } from '@portcullis/engine';
import { allScreenings, type RestoreSubject } from '../../journal.ts';
import { formerHashes, formerKey } from './former-identity.ts';

/** The identity of an entity in the stored screenings. */
export interface KnownEntity {
  readonly kind: number;
  readonly key: number;
  readonly check: number;
}

/** A related entity has this many ids in a history. */
const IDS = 2 ** HASH_BITS;
/** Kinds whose number in a history is not a hash. */
const NUMBERS: readonly number[] = [kindIndex.country, kindIndex.place];

/** SQLite moves the tables to disk when they do not fit into memory. */
const SCHEMA = `
CREATE TABLE names (tenant, former, kind, key, "check", forged DEFAULT 0, PRIMARY KEY (tenant, former)) WITHOUT ROWID;
CREATE TABLE related (tenant, kind, former, id, ambiguous DEFAULT 0, PRIMARY KEY (tenant, kind, former)) WITHOUT ROWID;
-- For ambiguous ids only: which of the names occurred together with an entity.
CREATE TABLE pairs (tenant, owner, kind, former, id, PRIMARY KEY (tenant, owner, kind, former, id)) WITHOUT ROWID;
BEGIN`;
const ADD_NAME = `INSERT INTO names (tenant, former, kind, key, "check") VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET forged = 1 WHERE key <> excluded.key OR "check" <> excluded."check"`;
const ADD_RELATED = `INSERT INTO related (tenant, kind, former, id) VALUES (?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET ambiguous = 1 WHERE id <> excluded.id`;

const rowKey = (...numbers: readonly number[]): string => numbers.join(':');

const readAmbiguous = (database: DatabaseSync): ReadonlySet<string> =>
  new Set(
    database
      .prepare('SELECT tenant, kind, former FROM related WHERE ambiguous = 1')
      .all()
      .map(({ tenant, kind, former }) => rowKey(Number(tenant), Number(kind), Number(former))),
  );

const addNames = (database: DatabaseSync) => {
  const addName = database.prepare(ADD_NAME);
  const addRelated = database.prepare(ADD_RELATED);
  return (tenant: number, subject: Subject, former: readonly number[]): void => {
    for (let kind = 0; kind < RELATED_KINDS.length; kind++) {
      const [hash, key] = [former[kind] as number, subject.hashes[kind] as number];
      if (hash === 0 || key === 0) continue;
      if (kind < ENTITY_KINDS.length)
        addName.run(tenant, formerKey(kind, hash), kind, key, subject.checks[kind] as number);
      if (!NUMBERS.includes(kind)) addRelated.run(tenant, kind, hash % IDS, key % IDS);
    }
  };
};

const addPairs = (database: DatabaseSync, ambiguous: ReadonlySet<string>) => {
  const add = database.prepare('INSERT OR IGNORE INTO pairs (tenant, owner, kind, former, id) VALUES (?, ?, ?, ?, ?)');
  return (tenant: number, subject: Subject, former: readonly number[]): void => {
    for (let kind = 0; kind < ENTITY_KINDS.length; kind++)
      for (const relation of former[kind] === 0 ? [] : (RELATION_INDEXES[kind] as readonly number[])) {
        const id = (former[relation] as number) % IDS;
        if (former[relation] === 0 || !ambiguous.has(rowKey(tenant, relation, id))) continue;
        const owner = formerKey(kind, former[kind] as number);
        add.run(tenant, owner, relation, id, (subject.hashes[relation] as number) % IDS);
      }
  };
};

/**
 * Reads the names of all entities in the stored screenings: which identity each former key stands for. `onRow` is
 * called with the number of screenings read.
 */
export const readNames = (records: DatabaseSync, restore: RestoreSubject, onRow: (done: number) => void) => {
  const database = new DatabaseSync('');
  database.exec(SCHEMA);
  let done = 0;
  const visit = (add: (tenant: number, subject: Subject, former: readonly number[]) => void): void => {
    for (const row of allScreenings(records)) {
      const { subject } = restore(row.tenant, row);
      add(row.tenant, subject, formerHashes(subject));
      onRow(++done);
    }
  };
  visit(addNames(database));
  const ambiguous = readAmbiguous(database);
  if (ambiguous.size > 0) visit(addPairs(database, ambiguous));
  const findName = database.prepare('SELECT kind, key, "check", forged FROM names WHERE tenant = ? AND former = ?');
  const findRelated = database.prepare('SELECT id FROM related WHERE tenant = ? AND kind = ? AND former = ?');
  const findPairs = database.prepare(
    'SELECT id FROM pairs WHERE tenant = ? AND owner = ? AND kind = ? AND former = ? ORDER BY id',
  );
  return {
    /** The entity of a former key; undefined when no stored screening names it, `forged` when two names have it. */
    entity: (tenant: number, former: number): KnownEntity | 'forged' | undefined => {
      const found = findName.get(tenant, former) as (KnownEntity & { forged: number }) | undefined;
      return found?.forged === 1 ? 'forged' : found;
    },
    /** The new ids of an entity related to `owner`: none when no stored screening names it. */
    related: (tenant: number, owner: number, kind: number, former: number): readonly number[] => {
      if (NUMBERS.includes(kind)) return [former];
      const isAmbiguous = ambiguous.has(rowKey(tenant, kind, former));
      const found = isAmbiguous ? findPairs.all(tenant, owner, kind, former) : findRelated.all(tenant, kind, former);
      return found.map(({ id }) => Number(id));
    },
    close: (): void => database.close(),
  };
};
export type Names = ReturnType<typeof readNames>;
