import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  DISPUTE_BIT,
  ENTITY_KINDS,
  HASH_BITS,
  kindIndex,
  makeArena,
  RELATED_MAX,
  relatedIdOf,
  type Subject,
  updatePair,
  writePair,
} from '@portcullis/engine';
import { labelEffectOf, makeJournalReader, type RestoreSubject, type StoredLabel } from '../../journal.ts';

/**
 * What the stored screenings and labels say about facts that histories of layouts 2 and 3 lack: users with shipping
 * addresses and with recurring payments, the mailbox of each e-mail address, and whom fraud labels blame. SQLite moves the
 * tables to disk when they do not fit into memory.
 */
const SCHEMA = `
CREATE TABLE pairs (tenant, user, id, last, success, payment, counters, PRIMARY KEY (tenant, user, id)) WITHOUT ROWID;
CREATE TABLE mailboxes (tenant, former, id, PRIMARY KEY (tenant, former)) WITHOUT ROWID;
CREATE TABLE blamed (tenant, key, "check", at, dispute);
CREATE INDEX blamed_by_entity ON blamed (tenant, key, "check", at);
BEGIN`;
/** Kinds that no history of a user recorded before. */
const LATER_RELATIONS = [kindIndex.shipping, kindIndex.recurring];
const IDS = 2 ** HASH_BITS;
const PAYMENT = 'transaction';

/** A pair in five halves of memory, as `pair.ts` of the engine has it. */
const makePairs = (database: DatabaseSync) => {
  const find = database.prepare(
    'SELECT last, success, payment, counters FROM pairs WHERE tenant = ? AND user = ? AND id = ?',
  );
  const put = database.prepare('INSERT OR REPLACE INTO pairs VALUES (?, ?, ?, ?, ?, ?, ?)');
  find.setReturnArrays(true);
  const arena = makeArena(16);
  const pair = 2 * arena.allocate(8);
  const record = (tenant: number, user: number, id: number, subject: Subject): void => {
    const second = Math.floor(subject.at / 1000);
    const known = find.get(tenant, user, id) as unknown as number[] | undefined;
    if (known === undefined) writePair(arena, pair, id, second, subject.isFailed, subject.type === PAYMENT);
    else {
      arena.u32.set(known, pair + 1);
      updatePair(arena, pair, Math.max(second, known[0] as number), subject.isFailed, subject.type === PAYMENT);
    }
    put.run(tenant, user, id, ...arena.u32.subarray(pair + 1, pair + 5));
  };
  return (tenant: number, subject: Subject): void => {
    for (const relation of LATER_RELATIONS) {
      const hash = subject.hashes[relation] as number;
      const user = subject.hashes[kindIndex.user] as number;
      if (hash !== 0) record(tenant, user, relatedIdOf(relation, hash), subject);
    }
  };
};

/** The key of an e-mail address as it was identified before: by its spelling. */
export type SpelledEmail = (tenant: number, email: string) => number;

const makeMailboxes = (database: DatabaseSync, spelled: SpelledEmail) => {
  const put = database.prepare('INSERT OR IGNORE INTO mailboxes VALUES (?, ?, ?)');
  return (tenant: number, { request, hashes }: Subject): void => {
    if (request.email === undefined) return;
    const former = spelled(tenant, request.email.toLowerCase());
    const mailbox = hashes[kindIndex.email] as number;
    if (former !== mailbox) put.run(tenant, former % IDS, mailbox % IDS);
  };
};

const makeBlamed = (database: DatabaseSync, restore: RestoreSubject) => {
  const add = database.prepare('INSERT INTO blamed VALUES (?, ?, ?, ?, ?)');
  const remove = database.prepare(
    `DELETE FROM blamed WHERE rowid IN
      (SELECT rowid FROM blamed WHERE tenant = ? AND key = ? AND "check" = ? AND at = ? LIMIT 1)`,
  );
  const change = (statement: StatementSync, tenant: number, of: Subject, actors: number, at: number): void => {
    const more = statement === add ? [Number((actors & DISPUTE_BIT) !== 0)] : [];
    for (let kind = 0; kind < ENTITY_KINDS.length; kind++)
      if ((actors & (1 << kind)) !== 0)
        statement.run(tenant, of.hashes[kind] as number, of.checks[kind] as number, at, ...more);
  };
  return (row: StoredLabel): void => {
    if (row.type === null) return;
    const restored = restore(row.tenant, row);
    const effect = labelEffectOf(row, restored);
    if (effect === undefined) return;
    const { insteadOf } = effect;
    if (insteadOf !== undefined) change(remove, row.tenant, restored.subject, insteadOf.actors ?? 0, insteadOf.at);
    change(add, row.tenant, restored.subject, effect.actors ?? 0, effect.at);
  };
};

/** A fraud that blames an entity. */
export interface BlamedFraud {
  readonly at: number;
  readonly isDispute: boolean;
}

/** Reads the journal up to number `through`. `onRow` is called with the number of screenings read. */
export const digestJournal = (
  records: DatabaseSync,
  restore: RestoreSubject,
  spelled: SpelledEmail,
  through: number,
  onRow: (done: number) => void,
) => {
  const database = new DatabaseSync('');
  database.exec(SCHEMA);
  const [addPairs, addMailbox] = [makePairs(database), makeMailboxes(database, spelled)];
  const addBlamed = makeBlamed(database, restore);
  let done = 0;
  makeJournalReader(records)(
    0,
    (row) => {
      onRow(++done);
      const { subject } = restore(row.tenant, row);
      addMailbox(row.tenant, subject);
      if (row.seq <= through) addPairs(row.tenant, subject);
    },
    (row) => {
      if (row.seq <= through) addBlamed(row);
    },
  );
  const findPairs = database.prepare(
    'SELECT id, last, success, payment, counters FROM pairs WHERE tenant = ? AND user = ? ORDER BY last DESC, id',
  );
  const findMailbox = database.prepare('SELECT id FROM mailboxes WHERE tenant = ? AND former = ?');
  const findBlamed = database.prepare(
    'SELECT at, dispute FROM blamed WHERE tenant = ? AND key = ? AND "check" = ? ORDER BY at',
  );
  findPairs.setReturnArrays(true);
  return {
    /** The pairs of a user that a former history lacks: the most recent ones of each kind. */
    pairs: (tenant: number, user: number): number[][] => {
      const counts = new Map<number, number>();
      return (findPairs.all(tenant, user) as unknown as number[][]).filter(([id = 0]) => {
        const kind = id >>> HASH_BITS;
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
        return (counts.get(kind) as number) <= RELATED_MAX;
      });
    },
    /** The id of the mailbox that an e-mail address with the former id belongs to. */
    mailbox: (tenant: number, former: number): number => Number(findMailbox.get(tenant, former)?.id ?? former),
    blamed: (tenant: number, key: number, check: number): BlamedFraud[] =>
      findBlamed.all(tenant, key, check).map(({ at, dispute }) => ({ at: Number(at), isDispute: dispute === 1 })),
    close: (): void => database.close(),
  };
};
export type JournalDigest = ReturnType<typeof digestJournal>;
