import type { Statement, Value } from '../backend/backend.ts';

/** Rows of one statement. Each is a text to prepare; the last rows are inserted by smaller statements. */
const SIZES = [100, 10, 1];

/**
 * Returns a function that makes statements which insert many rows each: the cost of a statement is that of some rows. It
 * takes the values of all rows, one row after another.
 */
export const makeInsert = (into: string, row: string, onConflict: string) => {
  const width = row.split('?').length - 1;
  const texts = SIZES.map((size) => `${into} VALUES ${Array(size).fill(row).join(', ')} ${onConflict}`);
  return (values: readonly Value[]): Statement[] => {
    const statements: Statement[] = [];
    let at = 0;
    for (const [index, size] of SIZES.entries())
      for (const length = size * width; at + length <= values.length; at += length)
        statements.push({ sql: texts[index] as string, params: values.slice(at, at + length) });
    return statements;
  };
};
