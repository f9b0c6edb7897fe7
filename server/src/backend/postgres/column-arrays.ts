import type { Value } from '../backend.ts';
import type { PostgresConnection } from './connection.ts';
import { type Row, UnitError } from './plan-batch.ts';
import { type Insert, type PreparedStatement, prepared } from './sql.ts';

/**
 * Many rows as one array per column, in PostgreSQL's binary format. A statement then has as many parameters as columns,
 * however many rows it writes, and neither side turns numbers into text.
 */

interface ColumnType {
  readonly oid: number;
  /** The length of a value in bytes. Throws where only PostgreSQL knows how to convert the value. */
  readonly sizeOf: (value: Value) => number;
  /** Returns the length. */
  readonly write: (to: Buffer, at: number, value: Value) => number;
}

const refuse = (): never => {
  throw new UnitError('a value does not have the type of its column');
};
const textOf = (value: Value): string => (typeof value === 'string' ? value : String(value));

/** The types that our columns have. */
const TYPES: Readonly<Record<string, ColumnType>> = {
  bigint: {
    oid: 20,
    sizeOf: (value) => (Number.isSafeInteger(value) ? 8 : refuse()),
    write: (to, at, value) => {
      const high = Math.floor((value as number) / 2 ** 32);
      to.writeInt32BE(high, at);
      to.writeUint32BE((value as number) - high * 2 ** 32, at + 4);
      return 8;
    },
  },
  'double precision': {
    oid: 701,
    sizeOf: (value) => (typeof value === 'number' ? 8 : refuse()),
    write: (to, at, value) => to.writeDoubleBE(value as number, at) - at,
  },
  text: {
    oid: 25,
    sizeOf: (value) => (value instanceof Uint8Array ? refuse() : Buffer.byteLength(textOf(value))),
    write: (to, at, value) => to.write(textOf(value), at),
  },
  bytea: {
    oid: 17,
    sizeOf: (value) => (value instanceof Uint8Array ? value.length : refuse()),
    write: (to, at, value) => {
      to.set(value as Uint8Array, at);
      return (value as Uint8Array).length;
    },
  },
};

const ARRAY_HEADER = 20;
const NULL_LENGTH = -1;

/** One parameter of all rows as an array. */
const arrayOf = (type: ColumnType, rows: readonly Row[], index: number): Buffer => {
  let total = ARRAY_HEADER;
  let hasNull = 0;
  for (const { params } of rows) {
    const value = params[index] as Value;
    total += 4;
    if (value === null) hasNull = 1;
    else total += type.sizeOf(value);
  }
  const bytes = Buffer.allocUnsafe(total);
  // Dimensions, whether there are nulls, type, length, and the number of the first element.
  let at = 0;
  for (const field of [1, hasNull, type.oid, rows.length, 1]) at = bytes.writeInt32BE(field, at);
  for (const { params } of rows) {
    const value = params[index] as Value;
    const length = value === null ? NULL_LENGTH : type.write(bytes, at + 4, value);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(length, 0);
  }
  return bytes;
};

/** An INSERT of many rows on one connection. */
export interface ArrayInsert {
  readonly plain: PreparedStatement;
  readonly returning: PreparedStatement;
  /** The types of its parameters. */
  readonly types: readonly ColumnType[];
}

export const arraysOf = ({ types }: ArrayInsert, rows: readonly Row[]): Buffer[] =>
  types.map((type, index) => arrayOf(type, rows, index));

const COLUMNS = prepared(
  `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
    WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped`,
);

const made = new WeakMap<PostgresConnection, Map<Insert, ArrayInsert>>();
const insertsOf = (connection: PostgresConnection): Map<Insert, ArrayInsert> => {
  const known = made.get(connection) ?? new Map<Insert, ArrayInsert>();
  made.set(connection, known);
  return known;
};

const makeArrayInsert = async (connection: PostgresConnection, insert: Insert): Promise<ArrayInsert> => {
  const { rows } = await connection.run<{ name: string; type: string }>(COLUMNS, [insert.table]);
  const names = insert.parameters.map((column) => rows.find(({ name }) => name === column)?.type ?? '');
  const types = names.map((name) => TYPES[name] ?? refuse());
  return { plain: insert.ofArrays(names, false), returning: insert.ofArrays(names, true), types };
};

/** Reads the types of the columns of these INSERTs, once per connection. */
export const provideArrayInserts = async (
  connection: PostgresConnection,
  inserts: Iterable<Insert>,
): Promise<ReadonlyMap<Insert, ArrayInsert>> => {
  const known = insertsOf(connection);
  for (const insert of inserts) if (!known.has(insert)) known.set(insert, await makeArrayInsert(connection, insert));
  return known;
};
