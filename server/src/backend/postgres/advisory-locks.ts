import { createHash } from 'node:crypto';
import { MAX_PROCESSES, type Place } from '../../runtime/ids.ts';
import { serializeByKey } from '../../runtime/serialize-by-key.ts';
import { Unavailable } from '../backend.ts';
import { NEWEST_SEQ } from '../journal-sql.ts';
import { LOCKS, type PostgresConnection } from './connection.ts';
import { refuseUnfinishedCopy } from './migrate.ts';
import { makePool, type Pool } from './pool.ts';
import { type PreparedStatement, prepared } from './sql.ts';

/** The number of this process among those that serve the database, and the newest sequence number when it was taken. */
type ProcessPlace = Required<Place>;

const HEARTBEAT = prepared('SELECT 1');
const TAKE_NUMBER = prepared(
  `SELECT n AS number FROM generate_series(0, ${MAX_PROCESSES - 1}) n WHERE pg_try_advisory_lock(${LOCKS.process}, n) LIMIT 1`,
);
/** Read after the number is taken: its former holder writes nothing more. */
const NEWEST = prepared(NEWEST_SEQ);
const TRY_KEY = prepared(`SELECT pg_try_advisory_lock(${LOCKS.key}, ?) AS taken`);
const WAIT_FOR_KEY = prepared(`SELECT pg_advisory_lock(${LOCKS.key}, ?)`);
const UNLOCK_KEY = prepared(`SELECT pg_advisory_unlock(${LOCKS.key}, ?)`);
const TRY_JOB = prepared(`SELECT pg_try_advisory_lock(${LOCKS.job}, ?) AS taken`);
const UNLOCK_JOB = prepared(`SELECT pg_advisory_unlock(${LOCKS.job}, ?)`);

const takeNumber = async (connection: PostgresConnection): Promise<ProcessPlace> => {
  const { number } = (await connection.run<{ number: number }>(TAKE_NUMBER, [])).rows[0] ?? {};
  if (number === undefined)
    throw new Error(`${MAX_PROCESSES} processes serve this database already. Stop one of them first`);
  // Checked after the number is taken, by which a copy sees this process: one of the two always sees the other.
  await refuseUnfinishedCopy(connection);
  const { seq: after } = (await connection.run<{ seq: number }>(NEWEST, [])).rows[0] as { seq: number };
  return { number, after };
};

/** The lock number of a key. Two keys with the same number only wait for each other without need. */
const lockNumberOf = (key: string): number => createHash('sha256').update(key).digest().readInt32BE();

export interface LockOptions {
  readonly url: string;
  readonly timeoutMs: number;
  readonly isServing: boolean;
}

/** Connections that wait for locks which other processes hold. */
const WAITERS = 4;
const MAX_WAITING = 5000;
/**
 * A connection that waited for a lock is then held for its task: a wait for a writer and a write, each up to
 * the timeout.
 */
const HOLD_TIMEOUTS = 3;
/**
 * The server ends a session silent for longer: its process hangs or its machine is gone, and other processes want its
 * locks.
 */
const IDLE_TIMEOUTS = 4;

/** The session that holds the process number, and the locks that no other process held. */
interface Session {
  /** The server ends the session when it is idle for longer. */
  readonly idleMs: number;
  connection: PostgresConnection | undefined;
  place: (ProcessPlace & { readonly session: PostgresConnection }) | undefined;
  /** When the last answered statement was sent. */
  aliveAt: number;
  /** Tasks under a lock that have not ended. */
  readonly running: Set<Promise<unknown>>;
}

interface LockState {
  readonly session: Session;
  /** Pool of the session's one connection. */
  readonly sessionPool: Pool;
  /** Pool of connections that wait for locks of other processes. */
  readonly waiterPool: Pool;
  readonly runningJobs: Set<string>;
}

const endWhenIdle = (connection: PostgresConnection, idleMs: number): Promise<unknown> =>
  connection.exec(`SET idle_session_timeout = ${idleMs}`);

/**
 * Takes the process number on a new session. Waits until all tasks under locks of the lost session have ended:
 * other processes may hold those locks by now.
 */
const startSession = async (session: Session, connection: PostgresConnection, isServing: boolean): Promise<void> => {
  await Promise.allSettled(session.running);
  const sentAt = performance.now();
  await endWhenIdle(connection, session.idleMs);
  if (isServing) session.place = { ...(await takeNumber(connection)), session: connection };
  session.connection = connection;
  session.aliveAt = sentAt;
};

const sendHeartbeat = async ({ session, sessionPool }: LockState): Promise<void> => {
  if (session.connection === undefined || session.connection.isLost()) return;
  const sentAt = performance.now();
  await sessionPool.run((connection) => connection.run(HEARTBEAT, []));
  session.aliveAt = sentAt;
};

const placeOf = ({ place, aliveAt, idleMs }: Session): ProcessPlace | undefined =>
  place === undefined || place.session.isLost() || performance.now() - aliveAt > idleMs ? undefined : place;

const throwUnavailable = (): never => {
  throw new Unavailable('the lock was not free in time');
};

/** The session, if the lock was free and the session holds it now; undefined where another process holds it. */
const tryLock = (
  { sessionPool }: LockState,
  number: number,
  statement: PreparedStatement,
): Promise<PostgresConnection | undefined> =>
  sessionPool
    .run(async (connection) =>
      (await connection.run<{ taken: boolean }>(statement, [number])).rows[0]?.taken ? connection : undefined,
    )
    .catch(throwUnavailable);

/**
 * Runs a task under a lock held by a connection, then unlocks. The unlock is not waited for: the next statement
 * comes behind it.
 */
const runHolding = <T>(
  { running }: Session,
  connection: PostgresConnection,
  number: number,
  task: () => Promise<T>,
): Promise<T> => {
  const result = task();
  running.add(result);
  return result.finally(() => {
    running.delete(result);
    void connection.run(UNLOCK_KEY, [number]).catch(() => {});
  });
};

const runWithLock = async <T>(state: LockState, key: string, task: () => Promise<T>): Promise<T> => {
  const number = lockNumberOf(key);
  const holder = await tryLock(state, number, TRY_KEY);
  if (holder !== undefined) return runHolding(state.session, holder, number, task);
  let isHeld = false;
  return state.waiterPool
    .run(async (connection) => {
      await connection.run(WAIT_FOR_KEY, [number]);
      isHeld = true;
      return runHolding(state.session, connection, number, task);
    })
    .catch((error: unknown) => {
      if (isHeld) throw error;
      return throwUnavailable();
    });
};

const tryRunWithLock = async <T>(state: LockState, job: string, task: () => Promise<T>): Promise<T | undefined> => {
  // The lock alone is not enough: PostgreSQL grants it again to the session that holds it.
  if (state.runningJobs.has(job)) return undefined;
  state.runningJobs.add(job);
  try {
    const number = lockNumberOf(job);
    const holder = await tryLock(state, number, TRY_JOB);
    // Waited for, unlike in `runHolding`, so that other processes find the job free once this resolves.
    const unlock = (): Promise<unknown> | undefined => holder?.run(UNLOCK_JOB, [number]).catch(() => {});
    return holder === undefined ? undefined : await task().finally(unlock);
  } finally {
    state.runningJobs.delete(job);
  }
};

/**
 * Locks that one process at a time holds, in a session that stays open: they end with the process however it ends,
 * and when it hangs. A lock is mostly free, and the session takes it at once. Only where another process holds
 * it, a connection of its own waits for it. A process that has lost its session writes nothing until it has another.
 */
export const makeLocks = async ({ url, timeoutMs, isServing }: LockOptions) => {
  const idleMs = IDLE_TIMEOUTS * timeoutMs;
  const session: Session = { idleMs, connection: undefined, place: undefined, aliveAt: 0, running: new Set() };
  const sessionPool = await makePool({
    url,
    min: isServing ? 1 : 0,
    max: 1,
    timeoutMs,
    maxWaiting: MAX_WAITING,
    onOpen: (connection) => startSession(session, connection, isServing),
  });
  const waiterPool = await makePool({
    url,
    min: 0,
    max: WAITERS,
    timeoutMs,
    holdMs: HOLD_TIMEOUTS * timeoutMs,
    maxWaiting: MAX_WAITING,
    onOpen: async (connection) => void (await endWhenIdle(connection, idleMs)),
  });
  const state: LockState = { session, sessionPool, waiterPool, runningJobs: new Set() };
  const heartbeat = setInterval(() => void sendHeartbeat(state).catch(() => {}), timeoutMs / 2).unref();
  const serialize = serializeByKey<string>();
  return {
    /**
     * Undefined while the session is lost, or the server may have ended it: another process may hold the number by
     * now.
     */
    place: (): ProcessPlace | undefined => placeOf(session),
    withLock: <T>(key: string, task: () => Promise<T>): Promise<T> =>
      serialize(key, () => runWithLock(state, key, task)),
    tryWithLock: <T>(job: string, task: () => Promise<T>): Promise<T | undefined> => tryRunWithLock(state, job, task),
    close: async (): Promise<void> => {
      clearInterval(heartbeat);
      await Promise.all([sessionPool.close(), waiterPool.close()]);
    },
  };
};
