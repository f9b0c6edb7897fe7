import { estimateShare, type Group } from './statistics.ts';

/** How often a signal is active, and how often it is right, over all worlds. */
export interface SignalPrecision {
  readonly signal: string;
  readonly items: number;
  readonly frauds: number;
  readonly worlds: number;
  readonly precision: number;
  readonly low: number;
  readonly high: number;
  /** Share of all fraud in items with this signal. */
  readonly fraudShare: number;
}

/** Counts active signals by world. */
export const makeSignalCounts = () => {
  const signals = new Map<string, Map<string, { hits: number; of: number }>>();
  let allFrauds = 0;
  return {
    add: (world: string, active: readonly string[], label: 0 | 1): void => {
      allFrauds += label;
      for (const signal of active) {
        const worlds = signals.get(signal) ?? new Map<string, { hits: number; of: number }>();
        signals.set(signal, worlds);
        const count = worlds.get(world) ?? { hits: 0, of: 0 };
        worlds.set(world, count);
        count.of++;
        count.hits += label;
      }
    },
    /** Most precise first. */
    result: (): SignalPrecision[] =>
      [...signals]
        .map(([signal, worlds]) => {
          const groups: Group[] = [...worlds.values()];
          const { value, low, high } = estimateShare(groups);
          const frauds = groups.reduce((sum, { hits }) => sum + hits, 0);
          return {
            signal,
            items: groups.reduce((sum, { of }) => sum + of, 0),
            frauds,
            worlds: groups.length,
            precision: value,
            low,
            high,
            fraudShare: frauds / Math.max(1, allFrauds),
          };
        })
        .sort((a, b) => b.precision - a.precision || (a.signal < b.signal ? -1 : 1)),
  };
};
