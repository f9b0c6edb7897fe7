const INITIAL_LIMIT = 4;
const MIN_LIMIT = 2;
const MAX_LIMIT = 128;
/** The limit rises while exchanges take at most this many times the fastest one, and falls beyond the second factor. */
const RAISE_WITHIN = 2;
const LOWER_BEYOND = 4;
/** Times are whole milliseconds; comparing shorter ones would compare noise. */
const MIN_MS = 1;
const FAST_MS = 1000;
/** Enough for one endpoint. A higher rate would only add duplicates after a crash. */
const MAX_PER_SECOND = 1000;
/** The fastest time fades slowly, so that a receiver that moved further away is not compared with its old time. */
const FADE = 1.001;
/** Deliveries leased per slot, so that some can start while the next ones are being leased. */
const LEASES_PER_SLOT = { min: 2, max: 16 };
/** When a worker dies, its leased deliveries wait for the lease to end. */
const MAX_LEASED = 256;

/**
 * The concurrency limit of one endpoint. It rises while deliveries are waiting and exchanges get no slower: a distant
 * receiver gets many at once, a near and busy one few. Few in flight also means few duplicates after a crash. It
 * falls on failures, because an exchange that hangs keeps its slot for ten seconds.
 */
export const makeConcurrency = () => {
  let limit = INITIAL_LIMIT;
  let fastestMs = Number.POSITIVE_INFINITY;
  let isFast = false;
  let leasesPerSlot = LEASES_PER_SLOT.min;
  return {
    limit: (): number => limit,
    /** How many deliveries to lease at once. The next lease begins when half of them have started. */
    leaseSize: (): number => Math.min(MAX_LEASED, leasesPerSlot * limit),
    /**
     * Every leased delivery started before the next lease: leasing takes longer than sending, as with a distant
     * store.
     */
    leasedTooFew: (): void => {
      if (isFast) leasesPerSlot = Math.min(LEASES_PER_SLOT.max, 2 * leasesPerSlot);
    },
    /** Whether the last exchange succeeded quickly. False before the first one: a new endpoint may hang. */
    isFast: (): boolean => isFast,
    succeeded: (tookMs: number, hasMore: boolean): void => {
      isFast = tookMs <= FAST_MS;
      fastestMs = Math.max(MIN_MS, Math.min(tookMs, fastestMs * FADE));
      const mayRaise = limit < INITIAL_LIMIT || tookMs <= RAISE_WITHIN * fastestMs;
      const max = Math.min(MAX_LIMIT, Math.max(INITIAL_LIMIT, (MAX_PER_SECOND * fastestMs) / 1000));
      if (mayRaise && hasMore && limit < max) limit++;
      else if (limit > INITIAL_LIMIT && tookMs > LOWER_BEYOND * fastestMs) limit--;
    },
    failed: (): void => {
      isFast = false;
      limit = Math.max(MIN_LIMIT, Math.floor(limit / 2));
      leasesPerSlot = LEASES_PER_SLOT.min;
    },
  };
};
export type Concurrency = ReturnType<typeof makeConcurrency>;
