import type { LabelValue } from '@portcullis/contract';
import type { Statement, Value } from '../backend/backend.ts';
import type { FollowedLabel, JournalPart, JournalPosition } from '../backend/journal-follow.ts';
import type { Projection, TermTable } from '../backend/projection.ts';
import { makeInsert } from './insert-rows.ts';
import type { SearchItem } from './item.ts';
import { NO_ENTITY, packTerms, splitTerms, unpackTerms } from './terms.ts';

/** The SQL that writes the projection. */

export interface Through extends JournalPosition {
  readonly part: JournalPart;
  /** How far the time in a number was ahead of the time of its screening, at most. */
  readonly drift: number;
  /** The journal that the position belongs to. */
  readonly source: string;
}

export const SELECT_THROUGH = 'SELECT part, follows, written, seq, drift, source FROM search_through';

export const insertThrough = ({ part, follows, written, seq, drift, source }: Through): Statement => ({
  sql: `INSERT INTO search_through (part, follows, written, seq, drift, source)
    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (part) DO NOTHING`,
  params: [part, follows, written, seq, drift, source],
});

/** Moves a position on. Nothing of the unit is written if another writer has moved it. */
export const moveThrough = (from: Through, to: Through): Statement => ({
  sql: `UPDATE search_through SET follows = ?, written = ?, seq = ?, drift = ?
    WHERE part = ? AND follows = ? AND written = ? AND seq = ? AND source = ?`,
  params: [to.follows, to.written, to.seq, to.drift, from.part, from.follows, from.written, from.seq, from.source],
  must: 1,
});

const insertItemRows = makeInsert(
  `INSERT INTO search_items
    (tenant, seq, user_term, at, type, event_type, outcome, score, decision, currency, usd, country, model, terms,
     label, label_seq, review_seq)`,
  '(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, 0, 0)',
  'ON CONFLICT (tenant, seq) DO NOTHING',
);
const insertTermsInto = (table: TermTable) =>
  makeInsert(`INSERT INTO ${table} (tenant, term, seq)`, '(?, ?, ?)', 'ON CONFLICT (tenant, term, seq) DO NOTHING');
const insertTermRows: Readonly<Record<TermTable, ReturnType<typeof makeInsert>>> = {
  search_terms: insertTermsInto('search_terms'),
  search_terms_new: insertTermsInto('search_terms_new'),
  search_terms_settled: insertTermsInto('search_terms_settled'),
};

/** Values of the rows of items. */
const itemValues = (items: readonly SearchItem[]): Value[] => {
  const values: Value[] = [];
  for (const item of items) {
    values.push(item.tenant, item.seq, item.userTerm, item.at, item.type, item.eventType, item.outcome, item.score);
    values.push(item.decision, item.currency, item.usd, item.country, item.model, packTerms(item.entities, item.names));
  }
  return values;
};

/** Room for the place of a term among those of a page, beside the first 32 of its 53 bits. */
const PLACES = 2 ** 21;

/**
 * Values of the rows of terms of one tenant, in the order of the table: rows of one page of the table are written
 * together. Plain numbers are sorted many times faster than rows. Terms with the same first bits keep their order.
 */
const termValues = (tenant: number, items: readonly SearchItem[]): Value[] => {
  const terms: number[] = [];
  const seqs: number[] = [];
  for (const { seq, entities, names } of items)
    for (const list of [entities, names])
      for (const term of list)
        if (term !== NO_ENTITY) {
          terms.push(term);
          seqs.push(seq);
        }
  const order = Float64Array.from(terms, (term, place) => term - (term % PLACES) + place).sort();
  const values: Value[] = [];
  for (const key of order) values.push(tenant, terms[key % PLACES] as number, seqs[key % PLACES] as number);
  return values;
};

/** Writes items and their terms. */
export const insertItems = (items: readonly SearchItem[], [newTerms]: Projection['termTables']): Statement[] => {
  const byTenant = Map.groupBy(items, ({ tenant }) => tenant);
  const terms = [...byTenant].flatMap(([tenant, of]) => insertTermRows[newTerms](termValues(tenant, of)));
  return [...insertItemRows(itemValues(items)), ...terms];
};

/** An item that the projection has, with the label that applies. */
export interface KnownItem {
  label: LabelValue | null;
  labelSeq: number;
}
interface ItemNumber {
  readonly tenant: number;
  readonly seq: number;
}
/** Numbers of items in one read. Each is a statement to prepare, and the last number is repeated to fill it up. */
const READ_SIZES = [1, 10, 100, 1000];

/** Finds those of up to 1,000 items that the projection has, by number. */
export const knownItems = async (
  { read }: Pick<Projection, 'read'>,
  items: readonly ItemNumber[],
): Promise<Map<number, KnownItem>> => {
  const known = new Map<number, KnownItem>();
  for (const [tenant, of] of Map.groupBy(items, (item) => item.tenant)) {
    const numbers = [...new Set(of.map(({ seq }) => seq))];
    const size = READ_SIZES.find((max) => numbers.length <= max) as number;
    const filled = Array.from({ length: size }, (_, index) => numbers[Math.min(index, numbers.length - 1)] as number);
    const rows = await read<{ seq: number; label: LabelValue | null; label_seq: number }>(
      `SELECT seq, label, label_seq FROM search_items WHERE tenant = ? AND seq IN (${filled.map(() => '?').join(', ')})`,
      tenant,
      ...filled,
    );
    for (const { seq, label, label_seq } of rows) known.set(seq, { label, labelSeq: label_seq });
  }
  return known;
};

/** The newest label by its number applies. The order in which labels arrive does not matter. */
export const applyLabel = ({ tenant, screening_seq, seq, label, origin }: FollowedLabel): Statement[] => {
  const of = [tenant, screening_seq, seq];
  const labelled = {
    sql: 'UPDATE search_items SET label = ?, label_seq = ? WHERE tenant = ? AND seq = ? AND label_seq < ?',
    params: [label, seq, ...of],
  };
  // A review, or the resolution of a case, also decides.
  if (origin === 'api') return [labelled];
  const decided = {
    sql: 'UPDATE search_items SET decision = ?, review_seq = ? WHERE tenant = ? AND seq = ? AND review_seq < ?',
    params: [label === 'fraud' ? 'block' : 'allow', seq, ...of],
  };
  return [labelled, decided];
};

/** Terms that an item is looked up by. */
const distinct = (terms: readonly number[]): number[] => [...new Set(terms)].filter((term) => term !== NO_ENTITY);

interface ItemTerms {
  readonly tenant: number;
  readonly seq: number;
  readonly terms: Uint8Array;
}
/** One step from key to key: a list of all tenants would read every item. */
const NEXT_TENANT = 'SELECT MIN(tenant) AS tenant FROM search_items WHERE tenant > ?';
const OLD_ITEMS = 'SELECT tenant, seq, terms FROM search_items WHERE tenant = ? AND seq < ? ORDER BY seq LIMIT ?';

const deleteTerms = (
  { termTables }: Pick<Projection, 'termTables'>,
  { tenant, seq }: ItemNumber,
  terms: readonly number[],
): Statement[] =>
  distinct(terms).flatMap((term) =>
    termTables.map((table) => ({
      sql: `DELETE FROM ${table} WHERE tenant = ? AND term = ? AND seq = ?`,
      params: [tenant, term, seq],
    })),
  );

/** Removes everything about an item. */
const deleteItem = (from: Pick<Projection, 'termTables'>, item: ItemTerms): Statement[] => [
  ...deleteTerms(from, item, unpackTerms(item.terms)),
  { sql: 'DELETE FROM search_items WHERE tenant = ? AND seq = ?', params: [item.tenant, item.seq] },
];

type Store = Pick<Projection, 'read' | 'write' | 'termTables'>;

/** Removes the entities of items. Their figures, signals and rules stay. */
export const eraseItems = async (store: Store, tenant: number, numbers: readonly number[]): Promise<void> => {
  const { read, write } = store;
  const statements: Statement[] = [];
  for (const seq of numbers) {
    const [item] = await read<ItemTerms>(
      'SELECT tenant, seq, terms FROM search_items WHERE tenant = ? AND seq = ?',
      tenant,
      seq,
    );
    if (item === undefined) continue;
    const { entities, names } = splitTerms(item.terms);
    statements.push(...deleteTerms(store, item, entities), {
      sql: `UPDATE search_items SET user_term = ${NO_ENTITY}, terms = ? WHERE tenant = ? AND seq = ?`,
      params: [
        packTerms(
          entities.map(() => NO_ENTITY),
          names,
        ),
        tenant,
        seq,
      ],
    });
  }
  if (statements.length > 0) await write(statements);
};

/** Deletes up to `limit` items numbered below `before`. Returns how many. */
export const deleteOldItems = async (store: Store, before: number, limit: number): Promise<number> => {
  const { read, write } = store;
  const old: ItemTerms[] = [];
  for (let tenant: number | null = 0; old.length < limit; ) {
    tenant = (await read<{ tenant: number | null }>(NEXT_TENANT, tenant))[0]?.tenant ?? null;
    if (tenant === null) break;
    old.push(...(await read<ItemTerms>(OLD_ITEMS, tenant, before, limit - old.length)));
  }
  if (old.length > 0) await write(old.flatMap((item) => deleteItem(store, item)));
  return old.length;
};
