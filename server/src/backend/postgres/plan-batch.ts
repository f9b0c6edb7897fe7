import type { Statement, Unit, Value } from '../backend.ts';
import { type Insert, insertIn, wordsIn } from './sql.ts';

/** One unit cannot be written as it is. The other units of the batch can be written without it. */
export class UnitError extends Error {}

/** A row of an INSERT, and the index of its unit. */
export interface Row {
  readonly unit: number;
  readonly params: readonly Value[];
  /** The values of the conflict columns, where rows with the same ones must be told apart. */
  readonly key: string | undefined;
}
/** Rows that one INSERT writes together. */
export interface Rows {
  readonly insert: Insert;
  readonly rows: Row[];
  readonly keys: Set<string>;
}
/**
 * A step of a plan. `sole` is a unit of one statement that may be refused: a refused statement changed nothing, so no
 * savepoint is needed.
 */
export type Step =
  | Rows
  | { readonly statement: Statement; readonly unit: number }
  | { readonly sole: number }
  | { readonly guarded: number };

/** The steps of a batch, in an order with the same result as one unit after the other. */
export interface Plan {
  /** Written before all steps, and returning the rows written: a unit whose row is not among them is refused. */
  readonly guards: Rows[];
  /** The index of the guard in its unit, by unit. */
  readonly guardAt: ReadonlyMap<number, number>;
  readonly steps: Step[];
}

const keyOf = ({ conflict }: Insert, params: readonly Value[]): string =>
  JSON.stringify((conflict.keyAt as readonly number[]).map((index) => params[index]));
const rowOf = (insert: Insert, unit: number, params: readonly Value[]): Row => ({
  unit,
  params,
  key: insert.conflict.updates ? keyOf(insert, params) : undefined,
});

/**
 * The index of a unit's only statement that may be refused, where that is an INSERT that can be written first; else
 * undefined.
 */
const guardIndexOf = (unit: Unit): number | undefined => {
  const [guard, ...more] = [...unit.keys()].filter((at) => unit[at]?.expect !== undefined);
  const statement = unit[guard as number];
  if (statement?.expect !== 1 || more.length > 0) return undefined;
  const insert = insertIn(statement.sql);
  if (insert?.conflict.keyAt === undefined) return undefined;
  const touchesItsTable = ({ sql }: Statement, at: number): boolean => at !== guard && wordsIn(sql).has(insert.table);
  return unit.some(touchesItsTable) ? undefined : guard;
};

/**
 * Adds a row unless the same row is among them: one statement cannot update a row twice. Returns whether it was
 * added.
 */
const pushRow = (to: Rows | undefined, insert: Insert, row: Row): boolean => {
  if (to?.insert !== insert) return false;
  if (insert.conflict.updates) {
    if (to.keys.has(row.key as string)) return false;
    to.keys.add(row.key as string);
  }
  to.rows.push(row);
  return true;
};
const startRows = (insert: Insert, row: Row): Rows => ({ insert, rows: [row], keys: new Set([row.key as string]) });

/** Nulls come first. A column has values of one type. */
const compareValues = (a: Value, b: Value): number => (a === b ? 0 : a === null || (b !== null && a < b) ? -1 : 1);
const compareBy = (keyAt: readonly number[], a: Row, b: Row): number => {
  for (const index of keyAt) {
    const order = compareValues(a.params[index] as Value, b.params[index] as Value);
    if (order !== 0) return order;
  }
  return 0;
};

/** Sorts rows by key. Every process locks rows in this order, so two of them cannot deadlock. */
const sortRows = (rows: Rows): Rows => {
  const { keyAt } = rows.insert.conflict;
  if (keyAt !== undefined) rows.rows.sort((a, b) => compareBy(keyAt, a, b));
  return rows;
};

interface PlanState {
  readonly guards: Rows[];
  readonly guardAt: Map<number, number>;
  readonly steps: Step[];
  /** The INSERT that later rows of a table may join. */
  readonly open: Map<string, Rows>;
  /** Tables that a step touches, and other words of its SQL. */
  readonly touched: Set<string>;
}

/** A statement with these words cannot be passed by later rows of its tables. */
const touch = ({ open, touched }: PlanState, words: ReadonlySet<string>): void => {
  for (const table of open.keys()) if (words.has(table)) open.delete(table);
  for (const word of words) touched.add(word);
};

const addStatement = (state: PlanState, statement: Statement, unit: number): void => {
  const { open, touched, steps } = state;
  const insert = statement.must === undefined ? insertIn(statement.sql) : undefined;
  if (insert === undefined || (insert.conflict.updates && insert.conflict.keyAt === undefined)) {
    touch(state, wordsIn(statement.sql));
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

const addGuard = ({ guards }: PlanState, statement: Statement, unit: number): void => {
  const insert = insertIn(statement.sql) as Insert;
  const row = { unit, params: statement.params, key: keyOf(insert, statement.params) };
  if (!pushRow(guards.at(-1), insert, row)) guards.push(startRows(insert, row));
};

const addUnit = (state: PlanState, unit: Unit, number: number): void => {
  const { touched, steps, guardAt } = state;
  if (unit.every(({ expect }) => expect === undefined)) {
    for (const statement of unit) addStatement(state, statement, number);
    return;
  }
  const at = guardIndexOf(unit);
  const table = at === undefined ? undefined : insertIn((unit[at] as Statement).sql)?.table;
  if (at === undefined || touched.has(table as string)) {
    for (const { sql } of unit) touch(state, wordsIn(sql));
    steps.push(unit.length === 1 ? { sole: number } : { guarded: number });
    return;
  }
  guardAt.set(number, at);
  addGuard(state, unit[at] as Statement, number);
  for (const [index, statement] of unit.entries()) if (index !== at) addStatement(state, statement, number);
};

/**
 * Merges INSERTs of the same SQL. A merged row is written before statements that precede it, which has the same
 * result as long as none of them touches its table. After a statement that does, rows start a new INSERT.
 */
export const planOf = (units: readonly Unit[]): Plan => {
  const state: PlanState = { guards: [], guardAt: new Map(), steps: [], open: new Map(), touched: new Set() };
  for (const [number, unit] of units.entries()) addUnit(state, unit, number);
  const { guards, guardAt, steps } = state;
  return {
    guards: guards.map(sortRows),
    guardAt,
    steps: steps.map((step) => ('rows' in step ? sortRows(step) : step)),
  };
};

/** The units whose guard row was not written. Of several units with the same row, the first one wrote it. */
export const refusedBy = ({ rows }: Rows, returned: readonly object[]): number[] => {
  const written = new Set(returned.map((row) => JSON.stringify(Object.values(row))));
  const refused = rows.filter(({ key }) => !written.delete(key as string));
  if (written.size > 0) throw new UnitError('the store returned rows that no unit wrote');
  return refused.map(({ unit }) => unit);
};
