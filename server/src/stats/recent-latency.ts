import { LATENCY_SECONDS, type Metrics } from '../runtime/metrics.ts';

const SCREENINGS = ['screenTransaction', 'screenEvent'];
const SAMPLE_MS = 5000;
/** The oldest sample is a minute old. */
const SAMPLES = 12;

/** The value that a share of the counted responses does not exceed, in milliseconds: linear within its bucket. */
export const quantileOf = (counts: readonly number[], share: number): number => {
  const wanted = share * counts.reduce((sum, count) => sum + count, 0);
  let passed = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && passed + count >= wanted) {
      const low = LATENCY_SECONDS[bucket - 1] ?? 0;
      // The last bucket has no end.
      const high = LATENCY_SECONDS[bucket] ?? low;
      return Math.round((low + ((high - low) * (wanted - passed)) / count) * 1e5) / 100;
    }
    passed += count;
  }
  return 0;
};

export interface RecentLatency {
  readonly p50: number;
  readonly p99: number;
}

/** The response times of screenings in the last minute, from samples of the histogram that counts since the start. */
export const makeRecentLatency = ({ metrics }: { readonly metrics: Pick<Metrics, 'requestCounts'> }) => {
  const countsNow = (): number[] => metrics.requestCounts(SCREENINGS, 200);
  const samples = [countsNow()];
  const timer = setInterval(() => {
    samples.push(countsNow());
    if (samples.length > SAMPLES) samples.shift();
  }, SAMPLE_MS).unref();
  return {
    /** Null when nothing was screened. */
    read: (): RecentLatency | null => {
      const [oldest = []] = samples;
      const counts = countsNow().map((count, bucket) => count - (oldest[bucket] ?? 0));
      if (counts.every((count) => count === 0)) return null;
      return { p50: quantileOf(counts, 0.5), p99: quantileOf(counts, 0.99) };
    },
    stop: (): void => clearInterval(timer),
  };
};
