import { makeFairQueue } from '../runtime/fair-queue.ts';
import type { Metrics } from '../runtime/metrics.ts';
import { ApiError } from '../validation/errors.ts';

export interface ShareLimits {
  /** Requests of a tenant in progress while it is the only active one: enough for full commits on a slow disk. */
  readonly alone: number;
  /** The same while others are active: their commits and reads wait for no more requests than these. */
  readonly besideOthers: number;
  /** Requests of a tenant that wait for one of its requests to end. Further ones are refused. */
  readonly waiting: number;
  /** Bytes of their bodies, which they keep in memory. At this size, further ones are refused. */
  readonly waitingBytes: number;
  /** How long a request may wait. An answer after that would come too late. */
  readonly waitMs: number;
}
const LIMITS: ShareLimits = {
  alone: 256,
  besideOthers: 16,
  waiting: 1000,
  waitingBytes: 16 * 1024 * 1024,
  waitMs: 5000,
};

/** How long a tenant counts as active after its last request. */
const ACTIVE_MS = 1000;
/** How long one turn of the event loop starts requests of several tenants. Then those that have just arrived are read. */
const TURN_MS = 1;
/**
 * The same for a tenant alone: enough to start every request it may have in progress, unless they are expensive. The
 * first request of another tenant waits for one such turn.
 */
const TURN_ALONE_MS = 25;
/**
 * Most requests that one turn starts. Screenings run at the end of the turn in which they are started, so the time that
 * has passed does not include them. A request counts once more for each `BYTES_PER_REQUEST` of its body.
 */
const TURN_REQUESTS = 16;
const TURN_ALONE_REQUESTS = 256;
const BYTES_PER_REQUEST = 4096;
const CHECK_EVERY_MS = 250;

/** A request to start when it is its turn. */
export interface SharedWork {
  /** Size of the body. */
  readonly bytes: number;
  /** Answers the request, with an error if it fails, and then calls `end` once. */
  readonly start: (end: () => void) => void;
  readonly refuse: (error: ApiError) => void;
  /** Whether nobody waits for the answer any more. */
  readonly isAbandoned: () => boolean;
}
interface Waiting {
  readonly share: Share;
  readonly work: SharedWork;
  readonly since: number;
}
interface Share {
  readonly tenant: number;
  running: number;
  waitingBytes: number;
}

interface SharesDeps {
  readonly metrics: Pick<Metrics, 'refused' | 'gauge'>;
  /** Smaller in tests. */
  readonly limits?: Partial<ShareLimits>;
  readonly now?: () => number;
  /** Calls a function in the next turn of the event loop. */
  readonly inNextTurn?: (call: () => void) => void;
}

const tooMany = (): ApiError =>
  new ApiError(
    'rate_limited',
    'Too many requests of this account and environment are in progress. Retry after 1 second.',
    { headers: { 'Retry-After': '1' } },
  );

/**
 * Shares the process between tenants. Requests of a tenant beyond its limit wait in its own queue. While several tenants
 * are active they take turns, and each turn of the event loop starts only as many requests as fit in a millisecond: a
 * tenant that sends more than the process can do delays itself, and others hardly. A tenant alone has the whole process,
 * in turns of 25 milliseconds.
 */
export const makeFairShares = (deps: SharesDeps) => {
  const { metrics, now = () => performance.now(), inNextTurn = setImmediate } = deps;
  const limits = { ...LIMITS, ...deps.limits };
  const shares = new Map<number, Share>();
  const queue = makeFairQueue<Waiting>();
  // The two tenants that were active last: with both times known, a tenant is alone or it is not.
  let last = { tenant: 0, at: Number.NEGATIVE_INFINITY };
  let lastOther = last;
  let turnStartedAt: number | undefined;
  /** How many requests this turn has started, counted by their size. */
  let startedInTurn = 0;
  let isTurnDue = false;
  metrics.gauge('portcullis_requests_waiting', 'Requests that wait for their turn.', queue.size);

  const shareOf = (tenant: number): Share => {
    let share = shares.get(tenant);
    if (share === undefined) {
      share = { tenant, running: 0, waitingBytes: 0 };
      shares.set(tenant, share);
    }
    return share;
  };
  const noteActive = (tenant: number, at: number): void => {
    if (last.tenant === tenant) last.at = at;
    else {
      lastOther = last;
      last = { tenant, at };
    }
  };
  const isAlone = (time: number): boolean => time - lastOther.at >= ACTIVE_MS;
  const limitAt = (time: number): number => (isAlone(time) ? limits.alone : limits.besideOthers);
  const hasTime = (time: number): boolean => {
    if (turnStartedAt === undefined) return true;
    const elapsed = time - turnStartedAt;
    return isAlone(time)
      ? elapsed < TURN_ALONE_MS && startedInTurn < TURN_ALONE_REQUESTS
      : elapsed < TURN_MS && startedInTurn < TURN_REQUESTS;
  };

  const scheduleTurn = (): void => {
    if (isTurnDue) return;
    isTurnDue = true;
    inNextTurn(takeTurn);
  };
  const begin = (share: Share, work: SharedWork): void => {
    share.running++;
    startedInTurn += 1 + work.bytes / BYTES_PER_REQUEST;
    work.start(() => {
      share.running--;
      if (queue.sizeOf(share.tenant) > 0) scheduleTurn();
    });
  };
  const takeTurn = (): void => {
    isTurnDue = false;
    turnStartedAt = undefined;
    startedInTurn = 0;
    for (let time = now(); queue.size() > 0; time = now()) {
      if (!hasTime(time)) {
        scheduleTurn();
        return;
      }
      turnStartedAt ??= time;
      const limit = limitAt(time);
      const next = queue.take((tenant) => shareOf(tenant).running < limit);
      if (next === undefined) return;
      next.share.waitingBytes -= next.work.bytes;
      if (!next.work.isAbandoned()) begin(next.share, next.work);
    }
  };

  const isFull = (tenant: number): boolean =>
    queue.sizeOf(tenant) >= limits.waiting || shareOf(tenant).waitingBytes >= limits.waitingBytes;
  const refuse = (reason: 'too_many_waiting' | 'waited_too_long'): ApiError => {
    metrics.refused.inc({ reason });
    return tooMany();
  };
  const checks = setInterval(() => {
    const oldest = now() - limits.waitMs;
    for (const { share, work } of queue.drop(({ since }) => since < oldest)) {
      share.waitingBytes -= work.bytes;
      if (!work.isAbandoned()) work.refuse(refuse('waited_too_long'));
    }
  }, CHECK_EVERY_MS).unref();

  return {
    /** Throws when too many requests of the tenant wait: refusing one before its body is read costs least. */
    check: (tenant: number): void => {
      if (isFull(tenant)) throw refuse('too_many_waiting');
    },
    /** Starts the work now or when it is the tenant's turn. */
    run: (tenant: number, work: SharedWork): void => {
      const time = now();
      noteActive(tenant, time);
      const share = shareOf(tenant);
      const hasPlace = share.running < limitAt(time);
      if (hasPlace && hasTime(time) && queue.sizeOf(tenant) === 0) {
        turnStartedAt ??= time;
        scheduleTurn();
        begin(share, work);
      } else if (isFull(tenant)) work.refuse(refuse('too_many_waiting'));
      else {
        queue.add(tenant, { share, work, since: time });
        share.waitingBytes += work.bytes;
        if (hasPlace) scheduleTurn();
      }
    },
    stop: (): void => clearInterval(checks),
  };
};
export type FairShares = ReturnType<typeof makeFairShares>;
