import type { Statement, Unit, Value } from './backend.ts';
import { type Insert, insertIn, wordsIn } from './postgres-sql.ts';

/** One unit cannot be written as it is; the others can do without it. */
export class OneAtFault extends Error {}

/** A row of an INSERT, and the unit it is of. */
export interface Row {
  readonly unit: number;
  readonly params: readonly Value[];
  /** The values it may conflict by, where they can be told. */
  readonly key: string | undefined;
}
/** Rows that are written together. */
export interface Rows {
  readonly insert: Insert;
  readonly rows: Row[];
  readonly keys: Set<string>;
}
/** `sole` is a unit of one statement that may be refused: where it changed nothing, there is nothing to undo, and nobody has to wait for it. */
export type Step =
  | Rows
  | { readonly statement: Statement; readonly unit: number }
  | { readonly sole: number }
  | { readonly guarded: number };

/** What a batch does, in an order that comes to the same as one unit after the other. */
export interface Plan {
  /** Written before all else, each telling whom it wrote: a unit whose row is not among them is refused. */
  readonly guards: Rows[];
  /** Where in its unit the guard stands, by unit. */
  readonly guardAt: ReadonlyMap<number, number>;
  readonly steps: Step[];
}

const rowOf = (insert: Insert, unit: number, params: readonly Value[]): Row => {
  const { keyAt } = insert.conflict;
  return { unit, params, key: keyAt && JSON.stringify(keyAt.map((index) => params[index])) };
};

/** Where the one INSERT stands that may be refused, if that is all that may; else undefined. */
const soleGuard = (unit: Unit): number | undefined => {
  const [guard, ...more] = [...unit.keys()].filter((at) => unit[at]?.expect !== undefined);
  const statement = unit[guard as number];
  if (statement?.expect !== 1 || more.length > 0) return undefined;
  const insert = insertIn(statement.sql);
  if (insert?.conflict.keyAt === undefined) return undefined;
  const touchesItsTable = ({ sql }: Statement, at: number): boolean => at !== guard && wordsIn(sql).has(insert.table);
  return unit.some(touchesItsTable) ? undefined : guard;
};

/** Not where the same row is among them already: one statement cannot update it twice. */
const pushRow = (to: Rows | undefined, insert: Insert, row: Row): boolean => {
  if (to?.insert !== insert) return false;
  if (insert.conflict.updates && to.keys.has(row.key as string)) return false;
  to.keys.add(row.key as string);
  to.rows.push(row);
  return true;
};
const startRows = (insert: Insert, row: Row): Rows => ({ insert, rows: [row], keys: new Set([row.key as string]) });

/** In the same order by all who write the same rows, else two of them could each wait for the other. */
const inOrder = (rows: Rows): Rows => {
  if (rows.insert.conflict.keyAt !== undefined)
    rows.rows.sort((a, b) => (a.key === b.key ? 0 : (a.key as string) < (b.key as string) ? -1 : 1));
  return rows;
};

/**
 * Puts INSERTs of the same text together. A row is written earlier than its turn by that, which nobody can tell as long as no statement in
 * between touches its table; one that does has later rows begin anew behind it.
 */
export const planOf = (units: readonly Unit[]): Plan => {
  const guards: Rows[] = [];
  const guardAt = new Map<number, number>();
  const steps: Step[] = [];
  const open = new Map<string, Rows>();
  const touched = new Set<string>();

  const touch = (words: ReadonlySet<string>): void => {
    for (const table of open.keys()) if (words.has(table)) open.delete(table);
    for (const word of words) touched.add(word);
  };
  const add = (statement: Statement, unit: number): void => {
    const insert = statement.must === undefined ? insertIn(statement.sql) : undefined;
    if (insert === undefined || (insert.conflict.updates && insert.conflict.keyAt === undefined)) {
      touch(wordsIn(statement.sql));
      steps.push({ statement, unit });
      return;
    }
    touched.add(insert.table);
    const row = rowOf(insert, unit, statement.params);
    if (pushRow(open.get(insert.table), insert, row)) return;
    const rows = startRows(insert, row);
    open.set(insert.table, rows);
    steps.push(rows);
  };
  const guard = (statement: Statement, unit: number): void => {
    const insert = insertIn(statement.sql) as Insert;
    const row = rowOf(insert, unit, statement.params);
    if (!pushRow(guards.at(-1), insert, row)) guards.push(startRows(insert, row));
  };

  for (const [number, unit] of units.entries()) {
    if (unit.every(({ expect }) => expect === undefined)) {
      for (const statement of unit) add(statement, number);
      continue;
    }
    const at = soleGuard(unit);
    const table = at === undefined ? undefined : insertIn((unit[at] as Statement).sql)?.table;
    if (at === undefined || touched.has(table as string)) {
      for (const { sql } of unit) touch(wordsIn(sql));
      steps.push(unit.length === 1 ? { sole: number } : { guarded: number });
      continue;
    }
    guardAt.set(number, at);
    guard(unit[at] as Statement, number);
    for (const [index, statement] of unit.entries()) if (index !== at) add(statement, number);
  }
  return { guards: guards.map(inOrder), guardAt, steps: steps.map((step) => ('rows' in step ? inOrder(step) : step)) };
};

/** Of those who would write the same row, the first did, if it was written at all. */
export const refusedBy = ({ rows }: Rows, told: readonly object[]): number[] => {
  const written = new Set(told.map((row) => JSON.stringify(Object.values(row))));
  const refused = rows.filter(({ key }) => !written.delete(key as string));
  if (written.size > 0) throw new OneAtFault('the store wrote rows that nobody asked for');
  return refused.map(({ unit }) => unit);
};
