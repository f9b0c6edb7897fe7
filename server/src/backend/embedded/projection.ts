import type { Connection, Unit } from '../backend.ts';
import { NEWEST_SEQ } from '../journal-sql.ts';
import type { Projection } from '../projection.ts';
import { makeDirectStore } from './direct-store.ts';
import { openSearchFile, searchPathBeside } from './search-file.ts';
import { openSqliteConnection } from './store.ts';

const CLEAR: Unit = ['search_terms', 'search_items', 'search_through'].map((table) => ({
  sql: `DELETE FROM ${table}`,
  params: [],
}));

/** The projection in `search.db`, beside the records. */
export const openSqliteProjection = (
  connection: Extract<Connection, { path: string }>,
  onError: (message: string) => void,
): Projection => {
  const journal = openSqliteConnection(connection, onError);
  const store = makeDirectStore(openSearchFile(searchPathBeside(connection.path)));
  return {
    journal,
    read: store.read,
    write: store.write,
    isCommittedInOrder: true,
    source: async () => '',
    bound: async () => (await journal.read<{ seq: number }>(NEWEST_SEQ))[0]?.seq ?? 0,
    prepareToFollow: () => {},
    makeRoom: async () => {},
    clear: CLEAR,
    dropBefore: undefined,
    close: async () => {
      await journal.close();
      await store.close();
    },
  };
};
