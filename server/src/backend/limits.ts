/** What became of one request: whether there was one left for it, and how many are left now. */
export interface Taken {
  readonly granted: boolean;
  readonly left: number;
}

/** How often somebody may ask: a bucket for each name, full at first, that refills steadily. */
export interface Limits {
  /** Takes one from the bucket of a name, which holds as many as a minute refills. Answers at once wherever that is known here. */
  take(name: string, perMinute: number, now: number): Taken | Promise<Taken>;
}

export const MINUTE_MS = 60_000;

/** Of one process: a restart begins anew. */
export const makeLocalLimits = () => {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    take: (name: string, perMinute: number, now: number): Taken => {
      const bucket = buckets.get(name) ?? { left: perMinute, at: now };
      bucket.left = Math.min(perMinute, bucket.left + (Math.max(0, now - bucket.at) * perMinute) / MINUTE_MS);
      bucket.at = now;
      buckets.set(name, bucket);
      const granted = bucket.left >= 1;
      if (granted) bucket.left -= 1;
      return { granted, left: bucket.left };
    },
  } satisfies Limits;
};
