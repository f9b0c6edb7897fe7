import { type Backend, type Outcome, tellOutcome, Unavailable, type Unit, type Value } from './backend.ts';
import { faultOf, isOurFault } from './postgres-link.ts';
import { makeLocks } from './postgres-locks.ts';
import { migratePostgres } from './postgres-migrate.ts';
import { makePool } from './postgres-pool.ts';
import { runBatch } from './postgres-run.ts';
import { prepared } from './postgres-sql.ts';

export interface PostgresOptions {
  readonly url: string;
  readonly onCommit?: (units: number, tookMs: number) => void;
  readonly onFault?: (message: string) => void;
  /** How long a statement, a batch, or the wait for either may take. Tests have less patience. */
  readonly limitMs?: number;
}

interface Waiting {
  readonly unit: Unit;
  readonly since: number;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

const LIMIT_MS = 5000;
/** Writes that wait beyond this many are refused: answering late is worse than saying so at once. */
const MAX_WAITING = 20_000;
const MAX_READS_WAITING = 5000;
/** A batch of more would keep the first of it waiting for the last. */
const MAX_UNITS = 128;
/** When no batch has come back for this part of the time it may take, the database hangs: who comes now is told at once instead of waiting, too. */
const HANGS_AFTER = 1 / 5;
const LOOK_MS = 100;

/** While one batch is committed the next gathers: with more writers than this, batches only get smaller. */
const WRITERS = 3;
const READERS = 4;
/** Of a thread, which has little to do. */
const FEW = 1;

const makeBackend = async (options: PostgresOptions, isServing: boolean) => {
  const { url, limitMs = LIMIT_MS } = options;
  const waiting: Waiting[] = [];
  let flying = 0;
  /** How often all writers were found waiting for the database, and none had come back since. Not the time: a long turn of ours is not its fault. */
  let looksInVain = 0;
  let scheduled = false;
  let drained: (() => void) | undefined;

  const hangs = (): boolean => looksInVain * LOOK_MS > limitMs * HANGS_AFTER;
  const commit = async (batch: readonly Waiting[]): Promise<void> => {
    const startedAt = performance.now();
    flying += batch.length;
    try {
      const units = batch.map(({ unit }) => unit);
      const outcomes = await writers.run((link) => runBatch(link, units));
      options.onCommit?.(batch.length, performance.now() - startedAt);
      for (const [at, outcome] of outcomes.entries()) {
        const writer = batch[at] as Waiting;
        if (outcome instanceof Error) {
          options.onFault?.(faultOf(outcome));
          writer.reject(new Unavailable('the store did not take the write'));
        } else tellOutcome(writer, outcome);
      }
    } catch (error) {
      options.onFault?.(faultOf(error));
      // When it hangs, those behind would only wait as long again, and then be told the same.
      const lost = hangs() ? [...batch, ...waiting.splice(0)] : batch;
      for (const { reject } of lost) reject(new Unavailable('the store did not take the write'));
    }
    flying -= batch.length;
    looksInVain = 0;
    if (flying + waiting.length === 0) drained?.();
  };
  const send = (): void => {
    scheduled = false;
    while (waiting.length > 0 && writers.hasFree()) void commit(waiting.splice(0, MAX_UNITS));
    if (waiting.length > 0) writers.openMore();
  };
  const schedule = (): void => {
    if (scheduled || waiting.length === 0) return;
    scheduled = true;
    // Requests that arrived in the same turn of the event loop share the batch.
    setImmediate(send);
  };
  const [most, mostReaders] = isServing ? [WRITERS, READERS] : [FEW, FEW];
  const [writers, readers, locks] = await Promise.all([
    makePool({ url, least: 1, most, limitMs, maxWaiting: 0, onFree: schedule }),
    makePool({ url, least: 1, most: mostReaders, limitMs, maxWaiting: MAX_READS_WAITING }),
    makeLocks({ url, limitMs, isServing }),
  ]);
  const look = setInterval(() => {
    looksInVain = writers.areAllHeld() ? looksInVain + 1 : 0;
    // Those whom no connection took in time.
    const late = performance.now() - limitMs;
    while (waiting[0] !== undefined && waiting[0].since < late)
      waiting.shift()?.reject(new Unavailable('the store took no write in time'));
    if (flying + waiting.length === 0) drained?.();
  }, LOOK_MS).unref();

  let closed = false;
  const hasRoom = (): boolean =>
    !closed && writers.isUp() && (!isServing || locks.held() !== undefined) && waiting.length < MAX_WAITING && !hangs();

  const backend: Backend = {
    read: async <Row>(sql: string, ...params: Value[]) => {
      try {
        return (await readers.run((link) => link.run<Row>(prepared(sql), params))).rows;
      } catch (error) {
        options.onFault?.(`a read failed: ${faultOf(error)}`);
        if (isOurFault(error)) throw new Error(`a read is wrong: ${faultOf(error)}`);
        throw new Unavailable('the store could not be read');
      }
    },
    write: (unit) => {
      if (!hasRoom()) return Promise.reject(new Unavailable('the store takes no writes now'));
      return new Promise((resolve, reject) => {
        waiting.push({ unit, resolve, reject, since: performance.now() });
        schedule();
      });
    },
    close: async () => {
      if (closed) return;
      closed = true;
      if (flying + waiting.length > 0) await new Promise<void>((done) => (drained = done));
      clearInterval(look);
      await Promise.all([writers.close(), readers.close(), locks.close()]);
    },
    inTurn: locks.inTurn,
    unlessBusy: locks.unlessBusy,
  };
  return { backend, hasRoom, waiting: () => waiting.length + flying, held: locks.held };
};

export { migratePostgres };

/** The store of many processes, in a database that is brought up to date first. */
export const openPostgres = async (options: PostgresOptions) => {
  await migratePostgres(options.url);
  return makeBackend(options, true);
};

/** The same store with few connections, for another thread, or for commands beside those who serve it. */
export const openPostgresBeside = async (options: PostgresOptions): Promise<Backend> =>
  (await makeBackend(options, false)).backend;
