import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeProgress } from '../server/src/runtime/progress-bar.ts';

/**
 * `node bench/grow.ts FOLDER 10` copies the screenings of a filled data folder until it has ten times as many, with
 * their items of search. Storing ten million one by one takes more than an hour. Copies have users, devices, addresses
 * and cards of their own; shops, countries and signals, which many items share, stay the same. Histories do not grow.
 */
const [folder = '', factor = '10'] = process.argv.slice(2);
/** A term of more items than this is shared by many users. */
const SHARED_BY = 2000;
/** Added to the terms of each copy: far above the number of terms, far below 2^53 divided by the copies. */
const TERM_STEP = 97_777_777_777;

/** Added to the numbers of each copy. About one copy in 100,000 gets the number of another item, and is left out. */
const NUMBER_STEP = 100;

const open = (name: string): DatabaseSync => {
  const database = new DatabaseSync(join(folder, name));
  database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -3000000');
  return database;
};
const columnsOf = (database: DatabaseSync, table: string): string[] =>
  database
    .prepare(`SELECT name FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => String(name));

/** Copies all rows, with expressions for some columns. */
const copyRows = (database: DatabaseSync, table: string, source: string, changed: Record<string, string>): void => {
  const columns = columnsOf(database, table);
  const values = columns.map((column) => changed[column] ?? column);
  database.exec(`INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM ${source}`);
};

const copies = Number(factor) - 1;
const search = open('search.db');
search.exec(`CREATE TEMP TABLE shared AS SELECT term FROM search_terms GROUP BY tenant, term HAVING COUNT(*) > ${SHARED_BY};
  CREATE TEMP TABLE items AS SELECT * FROM search_items; CREATE TEMP TABLE terms AS SELECT * FROM search_terms;
  CREATE TEMP TABLE users AS SELECT * FROM search_users`);
const records = open('portcullis.db');
records.exec('CREATE TEMP TABLE originals AS SELECT seq FROM screenings');
const progress = makeProgress(`copying ${folder}`, copies);
for (let copy = 1; copy <= copies; copy++) {
  const shift = copy * TERM_STEP;
  const number = `seq + ${copy * NUMBER_STEP}`;
  copyRows(search, 'search_items', 'items', { seq: number, user_term: `user_term + ${shift}` });
  copyRows(search, 'search_users', 'users', {
    user_id: `user_id || '_${copy}'`,
    user_term: `user_term + ${shift}`,
  });
  copyRows(search, 'search_terms_settled', 'terms', {
    seq: number,
    term: `CASE WHEN term IN (SELECT term FROM shared) THEN term ELSE term + ${shift} END`,
  });
  copyRows(records, 'screenings', `screenings WHERE seq IN (SELECT seq FROM originals)`, { seq: number });
  progress.at(copy);
}
progress.end();
