import type { Backend, Unit } from './backend.ts';

export type TermTable = 'search_terms' | 'search_terms_new' | 'search_terms_settled';

/**
 * The database of the projection that search reads, and the journal it is written from. Only this differs between the
 * stores; the rows and how they are made belong to `search/`.
 */
export interface Projection {
  readonly journal: Backend;
  readonly read: Backend['read'];
  readonly write: Backend['write'];
  /** Whether entries of the journal are committed in the order of `seq`. */
  readonly isCommittedInOrder: boolean;
  /** Screenings of one transaction: few enough that nobody waits long for it. */
  readonly screeningsPerPage: number;
  /** Identifies the journal. Positions in another journal mean nothing. */
  readonly source: () => Promise<string>;
  /**
   * What a pass may read: the newest `seq`, or the oldest transaction in progress. Every commit after this is beyond it.
   */
  readonly bound: () => Promise<number>;
  /** Called before entries are read in the order of their commits. Does not wait. */
  readonly prepareToFollow: () => void;
  /** Provides room for items numbered from `first` to `last`. */
  readonly makeRoom: (first: number, last: number) => Promise<void>;
  /** The tables of terms. The first one takes new terms. All are read from `search_terms`. */
  readonly termTables: readonly [TermTable, ...TermTable[]];
  /** Called after each page, with the number of terms that it added at most. */
  readonly settleTerms: (added: number) => void;
  /**
   * Renews the statistics of the query planner once the whole journal was scanned. Without them it would read whole days
   * until the database gets to it by itself, minutes later. Does not wait.
   */
  readonly analyze: () => void;
  /** Statements that empty the projection. */
  readonly clear: Unit;
  /** Drops whole days of items that end before a number. Undefined where items are deleted one by one. */
  readonly dropBefore: ((seq: number) => Promise<number>) | undefined;
  /** Removes the former content of changed rows from the file. Returns false where it has to be tried again. */
  readonly dropFormerContent: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}
