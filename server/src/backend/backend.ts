import type { MessagePort } from 'node:worker_threads';

export type Value = string | number | null | Uint8Array;

export interface Statement {
  readonly sql: string;
  readonly params: readonly Value[];
  /** The unit is rolled back unless the statement changes this many rows. */
  readonly expect?: number;
  /**
   * The whole batch fails unless the statement changes this many rows. For units that are already counted in memory:
   * one of them cannot be undone alone, so the histories are read again from disk.
   */
  readonly must?: number;
  /** The error that `write` rejects with when `expect` is not met, for statements that were added by another module. */
  readonly refusal?: () => Error;
}

/** Statements that are written together or not at all. */
export type Unit = readonly Statement[];

/** `refused` is the index of the statement whose `expect` was not met; nothing of the unit was written then. */
export type Outcome = { readonly written: true } | { readonly written: false; readonly refused: number };

/** A unit whose write has not ended. */
export interface PendingWrite {
  readonly unit: Unit;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}
export const settleWrite = ({ unit, resolve, reject }: PendingWrite, outcome: Outcome): void => {
  const refusal = outcome.written ? undefined : unit[outcome.refused]?.refusal;
  if (refusal === undefined) resolve(outcome);
  else reject(refusal());
};

/** The store failed to write or read. The caller may retry later. */
export class Unavailable extends Error {
  override name = 'Unavailable';
}

/**
 * The store did not answer, so the unit may or may not be written. Once `ended` resolves, that cannot change any more,
 * and a read shows it. `ended` rejects where the store closes before.
 */
export class UnknownOutcome extends Unavailable {
  override name = 'UnknownOutcome';
  readonly ended: Promise<void>;
  constructor(ended: Promise<void>) {
    super('the store did not answer');
    this.ended = ended;
  }
}

/**
 * The store of this process, for another of its threads, which calls `openConnection`. Transfer the ports with the
 * message.
 */
export type Connection = { readonly ports: readonly MessagePort[] } & (
  | { readonly path: string }
  | { readonly url: string }
);

/** A page of a list. Where rows are large it ends early: `hasMore` is then true with fewer rows than the limit. */
export interface Page<Row> {
  readonly rows: Row[];
  readonly hasMore: boolean;
}
/** The size at which a page ends early, in characters and bytes: turning larger rows into JSON would delay screenings. */
export const PAGE_SIZE = 256 * 1024;

/** The tenant of reads that serve no tenant in particular, such as those of sweeps. Tenants are numbered from 1. */
export const NO_TENANT = 0;

export interface Backend {
  /**
   * Reads a few rows by key. The embedded store reads on the calling thread, where a long read would delay every
   * screening; on PostgreSQL, long reads would take the connections that screenings need.
   */
  read<Row>(sql: string, ...params: Value[]): Promise<Row[]>;
  /**
   * Reads any number of rows beside the screenings. Tenants take turns, so the long reads of one hardly delay another.
   * It sees every write that has resolved.
   */
  readLong<Row>(tenant: number, sql: string, ...params: Value[]): Promise<Row[]>;
  /** Reads at most `limit` rows in the same way. The store appends the LIMIT to `sql`. */
  readPage<Row>(tenant: number, limit: number, sql: string, ...params: Value[]): Promise<Page<Row>>;
  /** Resolves when the unit is durable. Units written at the same time share one transaction. */
  write(unit: Unit): Promise<Outcome>;
  /**
   * Starts writes in their order, and ends each with `resolve` or `reject`, which must not throw. It takes no promises,
   * and refuses no write while the store has room.
   */
  writeAll(writes: readonly PendingWrite[]): void;
  /**
   * Runs `task` while holding the lock of `key`, across all processes on the store. Waits for the lock. Between a read
   * and the write that depends on it, no other holder of the lock can write.
   */
  withLock<T>(key: string, task: () => Promise<T>): Promise<T>;
  /**
   * Runs a periodic job in one process at a time. Returns undefined, without running it, while another process does.
   */
  tryWithLock<T>(job: string, task: () => Promise<T>): Promise<T | undefined>;
  /**
   * Drops the parts of a table whose rows are all from before a time. Returns how many rows it dropped, and the tables
   * whose old rows are deleted one by one. Other rows past their retention stay until their part is dropped.
   */
  dropOld(table: TimedTable, before: number): Promise<DroppedRows>;
  close(): Promise<void>;
}

/** Tables that grow with time. PostgreSQL has them in parts, one per week. */
export type TimedTable = 'screenings' | 'deliveries';
export interface DroppedRows {
  readonly dropped: number;
  readonly rest: readonly string[];
}
/** For stores whose tables have no parts. */
export const dropNothing: Backend['dropOld'] = async (table) => ({ dropped: 0, rest: [table] });
