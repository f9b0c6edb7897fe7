import type { Projection } from '../projection.ts';
import { provideFollowIndexes } from './follow-index.ts';
import { makeMaintenance } from './maintenance.ts';
import { CLEAR_SEARCH, createSearchWeeks, dropSearchWeeksBefore } from './search-weeks.ts';
import { openPostgresRecords } from './store.ts';

/** Every transaction below this number has ended, so no later commit has a lower one. */
const OLDEST_IN_PROGRESS = 'SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT) AS oldest';
/**
 * Transactions are numbered by the server. A database that was restored elsewhere has numbers of another one. The name
 * also says how the tables are partitioned: a projection of an earlier version, by the day, is written again.
 */
const SERVER = 'SELECT CAST(system_identifier AS TEXT) AS server FROM pg_control_system()';

const ANALYZE = 'ANALYZE search_items, search_terms, search_users, search_sums';

const SCREENINGS_PER_PAGE = 1000;

/** The projection in partitioned tables beside the records. */
export const openPostgresProjection = async (url: string, onError: (message: string) => void): Promise<Projection> => {
  const journal = await openPostgresRecords({ url, onError });
  const maintenance = makeMaintenance(url, onError);
  let isFollowing = false;
  return {
    journal,
    read: journal.read,
    write: journal.write,
    isCommittedInOrder: false,
    screeningsPerPage: SCREENINGS_PER_PAGE,
    source: async () => `${(await journal.read<{ server: string }>(SERVER))[0]?.server ?? ''} by week`,
    bound: async () => (await journal.read<{ oldest: number }>(OLDEST_IN_PROGRESS))[0]?.oldest ?? 0,
    prepareToFollow: () => {
      // An index that an interrupted attempt left unusable is made again after the next start.
      if (!isFollowing) maintenance.start(provideFollowIndexes, 'an index of search was not made');
      isFollowing = true;
    },
    termTables: ['search_terms'],
    settleTerms: () => {},
    makeRoom: (first, last) => createSearchWeeks(journal, first, last),
    analyze: () => maintenance.start((connection) => connection.exec(ANALYZE), 'search was not analyzed'),
    clear: CLEAR_SEARCH,
    dropBefore: (seq) => dropSearchWeeksBefore(journal, seq),
    dropFormerContent: async () => true,
    close: async () => {
      await maintenance.close();
      await journal.close();
    },
  };
};
