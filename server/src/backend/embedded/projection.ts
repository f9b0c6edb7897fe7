import type { Connection, Unit } from '../backend.ts';
import { NEWEST_SEQ } from '../journal-sql.ts';
import type { Projection } from '../projection.ts';
import { makeDirectStore } from './direct-store.ts';
import { openDatabase, truncateLog } from './open-database.ts';
import { rewriteTable } from './rewrite-table.ts';
import { openSearchFile, searchPathBeside } from './search-file.ts';
import { makeSettling, TERM_TABLES } from './settle-terms.ts';

const CLEAR: Unit = [...TERM_TABLES, 'search_items', 'search_users', 'search_sums', 'search_through'].map((table) => ({
  sql: `DELETE FROM ${table}`,
  params: [],
}));

/** They share pages of the tables: 4,000 cost a fifth less each than 1,000, and take 0.3 s. */
const SCREENINGS_PER_PAGE = 4000;

/**
 * The projection in `search.db`, beside the records. It only reads the records, so it needs no way to their writer: a
 * thread that waited for a writer that is gone would never end.
 */
export const openSqliteProjection = ({ path, ports }: Extract<Connection, { path: string }>): Projection => {
  for (const port of ports) port.close();
  const journal = makeDirectStore(openDatabase(path, { readOnly: true, cacheKib: 1024 }));
  const file = openSearchFile(searchPathBeside(path));
  const store = makeDirectStore(file);
  return {
    journal,
    read: store.read,
    write: store.write,
    isCommittedInOrder: true,
    screeningsPerPage: SCREENINGS_PER_PAGE,
    source: async () => '',
    bound: async () => (await journal.read<{ seq: number }>(NEWEST_SEQ))[0]?.seq ?? 0,
    prepareToFollow: () => {},
    makeRoom: async () => {},
    termTables: TERM_TABLES,
    settleTerms: makeSettling(file),
    // The order of joins is fixed in the queries, so SQLite needs no statistics.
    analyze: () => {},
    clear: CLEAR,
    dropBefore: undefined,
    dropFormerContent: async () => {
      rewriteTable(file, 'search_users', 'tenant, user_id');
      return truncateLog(file);
    },
    close: async () => {
      await journal.close();
      await store.close();
    },
  };
};
