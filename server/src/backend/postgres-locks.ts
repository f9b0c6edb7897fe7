import { createHash } from 'node:crypto';
import { MOST_PROCESSES, type Place } from '../ids.ts';
import { makeTurns } from '../turns.ts';
import { Unavailable } from './backend.ts';
import { type Link, LOCKS } from './postgres-link.ts';
import { checkWhole } from './postgres-migrate.ts';
import { makePool } from './postgres-pool.ts';
import { type Prepared, prepared } from './postgres-sql.ts';

/** The number of this process among those that serve the database, and the newest that was given to anything when it was taken. */
type Held = Required<Place>;

const STILL_HERE = prepared('SELECT 1');
const TAKE_NUMBER = prepared(
  `SELECT n AS number FROM generate_series(0, ${MOST_PROCESSES - 1}) n WHERE pg_try_advisory_lock(${LOCKS.process}, n) LIMIT 1`,
);
/** Asked when the number is held: whoever held it before has written all that they will. */
const NEWEST = prepared(
  'SELECT COALESCE(GREATEST((SELECT MAX(seq) FROM screenings), (SELECT MAX(seq) FROM labels)), 0) AS after',
);
const TRY = prepared(`SELECT pg_try_advisory_lock(${LOCKS.turn}, ?) AS taken`);
const WAIT = prepared(`SELECT pg_advisory_lock(${LOCKS.turn}, ?)`);
const GIVE_BACK = prepared(`SELECT pg_advisory_unlock(${LOCKS.turn}, ?)`);
const TRY_JOB = prepared(`SELECT pg_try_advisory_lock(${LOCKS.job}, ?) AS taken`);
const END_JOB = prepared(`SELECT pg_advisory_unlock(${LOCKS.job}, ?)`);

const takeNumber = async (link: Link): Promise<Held> => {
  const { number } = (await link.run<{ number: number }>(TAKE_NUMBER, [])).rows[0] ?? {};
  if (number === undefined) throw new Error(`${MOST_PROCESSES} processes serve this database already, and no more can`);
  // Asked when the number is held, by which a copy knows that this process serves: one of both sees the other.
  await checkWhole(link);
  const { after } = (await link.run<{ after: number }>(NEWEST, [])).rows[0] as { after: number };
  return { number, after };
};

/** Two keys of one number wait for each other now and then, and that is all. */
const numberOf = (key: string): number => createHash('sha256').update(key).digest().readInt32BE();

export interface LockOptions {
  readonly url: string;
  readonly limitMs: number;
  readonly isServing: boolean;
}

/** How many may wait for turns that other processes have. */
const WAITERS = 4;
const MAX_WAITING = 5000;
/** Whoever has waited for a turn needs as much again for what they do in it, twice: a wait for the writer, and the write. */
const HOLD_LIMITS = 3;
/** A session that was not heard of for longer is ended by the server: its process stands still, or its machine is gone, and others want what it holds. */
const IDLE_LIMITS = 4;

/**
 * What one process at a time may have, as locks of a session that is kept: they end with the process however that ends, and with its standing
 * still. A turn is mostly free, and its lock is taken in that session at once; only where another process has it, a connection of its own waits in
 * line for it. A process that has lost its session writes nothing until it has another, and that it gets when all that was begun in turns of the old one is over.
 */
export const makeLocks = async ({ url, limitMs, isServing }: LockOptions) => {
  const turns = makeTurns<string>();
  const underWay = new Set<string>();
  const acting = new Set<Promise<unknown>>();
  let held: (Held & { readonly session: Link }) | undefined;
  let opened: Link | undefined;
  /** When it was sent what it answered last. */
  let heardOf = 0;
  const idleMs = IDLE_LIMITS * limitMs;
  const endWhenIdle = (link: Link): Promise<unknown> => link.exec(`SET idle_session_timeout = ${idleMs}`);
  const session = await makePool({
    url,
    least: isServing ? 1 : 0,
    most: 1,
    limitMs,
    maxWaiting: MAX_WAITING,
    onOpen: async (link) => {
      await Promise.allSettled(acting);
      const sentAt = performance.now();
      await endWhenIdle(link);
      if (isServing) held = { ...(await takeNumber(link)), session: link };
      [opened, heardOf] = [link, sentAt];
    },
  });
  const holdMs = HOLD_LIMITS * limitMs;
  const line = await makePool({
    url,
    least: 0,
    most: WAITERS,
    limitMs,
    holdMs,
    maxWaiting: MAX_WAITING,
    onOpen: async (link) => void (await endWhenIdle(link)),
  });
  const beat = async (): Promise<void> => {
    if (opened === undefined || opened.isLost()) return;
    const sentAt = performance.now();
    await session.run((link) => link.run(STILL_HERE, []));
    heardOf = sentAt;
  };
  const beating = setInterval(() => void beat().catch(() => {}), limitMs / 2).unref();

  /** Not waited for: whoever takes it next in this process does so behind it. */
  const giveBack = (link: Link, number: number): void => void link.run(GIVE_BACK, [number]).catch(() => {});
  const unavailable = (): never => {
    throw new Unavailable('it was not possible to have a turn in time');
  };
  /** The session that has it now; undefined where another process has it. */
  const tryFor = (number: number, how: Prepared): Promise<Link | undefined> => {
    const take = async (link: Link): Promise<Link | undefined> =>
      (await link.run<{ taken: boolean }>(how, [number])).rows[0]?.taken ? link : undefined;
    return session.run(take).catch(unavailable);
  };
  const actIn = <T>(link: Link, number: number, what: () => Promise<T>): Promise<T> => {
    const acted = what();
    acting.add(acted);
    return acted.finally(() => {
      acting.delete(acted);
      giveBack(link, number);
    });
  };
  const act = async <T>(key: string, what: () => Promise<T>): Promise<T> => {
    const number = numberOf(key);
    const taken = await tryFor(number, TRY);
    if (taken !== undefined) return actIn(taken, number, what);
    let isMine = false;
    return line
      .run(async (link) => {
        await link.run(WAIT, [number]);
        isMine = true;
        return actIn(link, number, what);
      })
      .catch((error: unknown) => {
        if (isMine) throw error;
        return unavailable();
      });
  };
  return {
    /** Undefined when the session was lost, or must have been, and there is no other yet: another process may have the number by now. */
    held: (): Held | undefined =>
      held === undefined || held.session.isLost() || performance.now() - heardOf > idleMs ? undefined : held,
    inTurn: <T>(key: string, what: () => Promise<T>): Promise<T> => turns(key, () => act(key, what)),
    unlessBusy: async <T>(job: string, what: () => Promise<T>): Promise<T | undefined> => {
      // A session that has a lock is given it again.
      if (underWay.has(job)) return undefined;
      underWay.add(job);
      try {
        const number = numberOf(job);
        const taken = await tryFor(number, TRY_JOB);
        // Waited for, unlike a turn: nobody here is in a hurry, and others are to find it free when it is over.
        const giveBack = (): Promise<unknown> | undefined => taken?.run(END_JOB, [number]).catch(() => {});
        return taken === undefined ? undefined : await what().finally(giveBack);
      } finally {
        underWay.delete(job);
      }
    },
    close: async (): Promise<void> => {
      clearInterval(beating);
      await Promise.all([session.close(), line.close()]);
    },
  };
};
