import { Unavailable } from './backend.ts';
import { isReadOnly, type Link, openLink, stateOf } from './postgres-link.ts';

export interface PoolOptions {
  readonly url: string;
  /** So many are always there. More, up to `most`, are opened when work waits for them. */
  readonly least: number;
  readonly most: number;
  /** How long one may wait for a connection, and how long the server may take for a statement. */
  readonly limitMs: number;
  /** How long one may hold a connection; as long as a statement may take unless it is said. */
  readonly holdMs?: number;
  readonly maxWaiting: number;
  /** A connection was opened, and is free when this is done. */
  readonly onOpen?: (link: Link) => Promise<void>;
  /** A connection is free, and nobody waits for it. */
  readonly onFree?: () => void;
}

interface Waiter {
  readonly start: (link: Link) => void;
  readonly giveUp: () => void;
  readonly since: number;
}

const AGAIN_MS = { first: 50, most: 1000 };
const LOOK_MS = 100;
const READ_ONLY = '25006';

/**
 * Connections that are used by one at a time. One that is lost is replaced, however long that takes. Whoever waits or works too long is told
 * so, and the connection is cut: nothing piles up behind a database that does not answer.
 */
export const makePool = async (options: PoolOptions) => {
  const { url, least, most, limitMs, holdMs = limitMs, maxWaiting } = options;
  const free: Link[] = [];
  const busy = new Map<Link, number>();
  const waiting: Waiter[] = [];
  let live = 0;
  let isOpening = false;
  let againMs = AGAIN_MS.first;
  let closed: (() => void) | undefined;

  const add = async (): Promise<void> => {
    let link: Link | undefined;
    const onLost = (): void => {
      if (link === undefined) return;
      live--;
      const at = free.indexOf(link);
      if (at >= 0) free.splice(at, 1);
      serve();
    };
    const opened = await openLink({ url, statementMs: limitMs, onLost });
    // Nobody holds it yet whom a look would find late: without this, one that answers nothing would keep all others from being opened.
    const late = setTimeout(opened.cut, holdMs + 2 * LOOK_MS).unref();
    try {
      if (await isReadOnly(opened)) throw new Unavailable('the database takes no writes');
      await options.onOpen?.(opened);
      // It may have become ready and been lost in one breath. Counted as there, it would never be replaced.
      if (opened.isLost()) throw new Unavailable('the connection was lost as soon as it was there');
    } catch (error) {
      opened.cut();
      throw error;
    } finally {
      clearTimeout(late);
    }
    link = opened;
    live++;
    free.push(link);
  };
  const open = async (): Promise<void> => {
    isOpening = true;
    try {
      await add();
      againMs = AGAIN_MS.first;
    } catch {
      await new Promise((done) => setTimeout(done, againMs).unref());
      againMs = Math.min(againMs * 2, AGAIN_MS.most);
    }
    isOpening = false;
    serve();
  };
  const openMore = (): void => {
    if (!isOpening && live < most) void open();
  };
  const serve = (): void => {
    while (free.length > 0 && waiting.length > 0) waiting.shift()?.start(free.pop() as Link);
    if (closed !== undefined) {
      for (const link of free.splice(0)) void link.end();
      if (busy.size === 0 && waiting.length === 0) closed();
      return;
    }
    if (live < least || waiting.length > 0) openMore();
    if (free.length > 0) options.onFree?.();
  };
  // One after the other: if the first fails, none is left behind open.
  for (let number = 0; number < least; number++) await add();

  const look = setInterval(() => {
    const now = performance.now();
    // A little later than the server ends a statement: what it ends by itself leaves the connection whole.
    // And a turn later: after a long turn of ours its answer may be here, but not read yet.
    for (const [link, since] of busy)
      if (now - since > holdMs + 2 * LOOK_MS) setImmediate(() => busy.get(link) === since && link.cut());
    while (waiting[0] !== undefined && now - waiting[0].since > limitMs) waiting.shift()?.giveUp();
    if (closed !== undefined) serve();
  }, LOOK_MS).unref();

  const use = async <T>(link: Link, work: (link: Link) => Promise<T>): Promise<T> => {
    busy.set(link, performance.now());
    try {
      return await work(link);
    } catch (error) {
      // Opened when it took writes, and now it does not. The next one may lead to the server that does.
      if (stateOf(error) === READ_ONLY) link.cut();
      throw error;
    } finally {
      busy.delete(link);
      if (!link.isLost()) free.push(link);
      serve();
    }
  };
  return {
    /** Lends a connection to work that is done with it when it resolves. */
    run: <T>(work: (link: Link) => Promise<T>): Promise<T> => {
      const link = free.pop();
      if (link !== undefined) return use(link, work);
      if (closed !== undefined || live < Math.min(least, 1) || waiting.length >= maxWaiting)
        return Promise.reject(new Unavailable('no connection to the store is free'));
      return new Promise((resolve, reject) => {
        waiting.push({
          since: performance.now(),
          start: (link) => use(link, work).then(resolve, reject),
          giveUp: () => reject(new Unavailable('no connection to the store became free in time')),
        });
        serve();
      });
    },
    hasFree: () => free.length > 0,
    /** Work waits that `run` was not asked to do. */
    openMore,
    isUp: () => live > 0,
    areAllHeld: () => live > 0 && free.length === 0,
    /** Waits for those who work. */
    close: async (): Promise<void> => {
      await new Promise<void>((done) => {
        closed = done;
        serve();
      });
      clearInterval(look);
    },
  };
};
export type Pool = Awaited<ReturnType<typeof makePool>>;
