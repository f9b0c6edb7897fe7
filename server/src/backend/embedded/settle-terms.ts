import type { DatabaseSync } from 'node:sqlite';

/**
 * Terms are spread over the whole table of terms: in a large one, each new row would read and write a page of its own.
 * So new rows go to a small table first. From there they move to the large one in the order of the key, a range at a
 * time, where many rows share a page. The view `search_terms` shows both.
 */
const NEW_TERMS = 'search_terms_new';
const SETTLED_TERMS = 'search_terms_settled';
/** The first one takes new terms. */
export const TERM_TABLES = [NEW_TERMS, SETTLED_TERMS] as const;
const COLUMNS = 'tenant, term, seq';

const tableOfTerms = (name: string): string => `CREATE TABLE IF NOT EXISTS ${name} (
  tenant BIGINT NOT NULL,
  term BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  PRIMARY KEY (tenant, term, seq)
) WITHOUT ROWID;`;
export const TERMS_SCHEMA = `
${TERM_TABLES.map(tableOfTerms).join('\n')}
CREATE VIEW IF NOT EXISTS search_terms AS
  ${TERM_TABLES.map((name) => `SELECT ${COLUMNS} FROM ${name}`).join(' UNION ALL ')};
`;

/** Rows that stay in the small table, which is then about 12 MB. */
const KEPT = 500_000;
/** Rows that move together. Fewer would share no pages, and more would take memory. */
const MOVED = 20_000;
/** Moves of one call. A page adds the rows of two. Without a limit, rows that another process wrote would block this thread. */
const MOST_MOVES = 4;

type Place = readonly [tenant: number, term: number];
const START: Place = [0, 0];
const END: Place = [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
const RANGE = 'WHERE (tenant, term) > (?, ?) AND (tenant, term) <= (?, ?)';

/** Returns a function that is called after each page, with the rows that it added at most. */
export const makeSettling = (database: DatabaseSync, kept = KEPT, moved = MOVED) => {
  const selectCount = database.prepare(`SELECT COUNT(*) AS rows FROM ${NEW_TERMS}`);
  const countNew = (): number => Number(selectCount.get()?.rows);
  const rowAfter = database.prepare(
    `SELECT tenant, term FROM ${NEW_TERMS} WHERE (tenant, term) > (?, ?) ORDER BY tenant, term LIMIT 1 OFFSET ?`,
  );
  const copy = database.prepare(
    `INSERT OR IGNORE INTO ${SETTLED_TERMS} SELECT ${COLUMNS} FROM ${NEW_TERMS} ${RANGE} ORDER BY ${COLUMNS}`,
  );
  const remove = database.prepare(`DELETE FROM ${NEW_TERMS} ${RANGE}`);
  let from = START;
  /** About the rows of the small table. They are counted before the first move, and after each round through the table. */
  let rows: number | undefined;

  /** Moves the rows after the place where the last move ended, to the end of a term. Returns how many. */
  const move = (): number => {
    const last = rowAfter.get(...from, moved - 1) as { tenant: number; term: number } | undefined;
    const to: Place = last === undefined ? END : [last.tenant, last.term];
    database.exec('BEGIN IMMEDIATE');
    try {
      copy.run(...from, ...to);
      const { changes } = remove.run(...from, ...to);
      database.exec('COMMIT');
      from = last === undefined ? START : to;
      return Number(changes);
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };

  return (added: number): void => {
    rows = rows === undefined ? countNew() : rows + added;
    for (let moves = 0; moves < MOST_MOVES && rows >= kept + moved; moves++) {
      rows -= move();
      if (from === START) rows = countNew();
    }
  };
};
