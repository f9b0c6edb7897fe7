import type { DatabaseSync } from 'node:sqlite';

const SCHEMA_OF = 'SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND type = ? AND sql IS NOT NULL';
const COPY = 'rewritten';

/**
 * Writes a table again, in the order of its key, and overwrites its old pages. SQLite overwrites a deleted row
 * (`secure_delete`), but not the copies of it that stay in a page whose rows were moved to others. The pages of a
 * dropped table are overwritten whole.
 */
export const rewriteTable = (database: DatabaseSync, table: string, key: string): void => {
  const sqlOf = (type: string): string[] =>
    database
      .prepare(SCHEMA_OF)
      .all(table, type)
      .map(({ sql }) => String(sql));
  const [create = ''] = sqlOf('table');
  const steps = [
    create.replace(/^CREATE TABLE "?\w+"?/, `CREATE TABLE ${COPY}`),
    `INSERT INTO ${COPY} SELECT * FROM ${table} ORDER BY ${key}`,
    `DROP TABLE ${table}`,
    `ALTER TABLE ${COPY} RENAME TO ${table}`,
    ...sqlOf('index'),
  ];
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const sql of steps) database.exec(sql);
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
};
