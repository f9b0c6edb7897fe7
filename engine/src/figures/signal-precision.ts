import { estimateShare, type Group } from './statistics.ts';

/** How often a signal is active, and how often it is right. */
export interface SignalPrecision {
  readonly signal: string;
  readonly items: number;
  /** Items with a label. */
  readonly labelled: number;
  readonly frauds: number;
  /** Groups in which it was active on a labelled item. */
  readonly groups: number;
  /** Share of fraud among labelled items, with its 95 % interval. NaN without labelled items. */
  readonly precision: number;
  readonly low: number;
  readonly high: number;
  /** Share of all fraud in items with this signal. */
  readonly fraudShare: number;
}

interface SignalTally {
  items: number;
  readonly groups: Map<string | number, { hits: number; of: number }>;
}

const precisionOf = ({ labelled, precision }: SignalPrecision): number => (labelled === 0 ? -1 : precision);

/**
 * Counts active signals in groups of items that resemble each other, such as those of one world or one day: the interval
 * allows for it.
 */
export const makeSignalCounts = () => {
  const signals = new Map<string, SignalTally>();
  let allFrauds = 0;
  return {
    add: (group: string | number, active: readonly string[], label: 0 | 1 | undefined): void => {
      allFrauds += label ?? 0;
      for (const signal of active) {
        const tally = signals.get(signal) ?? { items: 0, groups: new Map() };
        signals.set(signal, tally);
        tally.items++;
        if (label === undefined) continue;
        const count = tally.groups.get(group) ?? { hits: 0, of: 0 };
        tally.groups.set(group, count);
        count.of++;
        count.hits += label;
      }
    },
    /** Most precise first, those without labelled items last. */
    result: (): SignalPrecision[] =>
      [...signals]
        .map(([signal, { items, groups: byName }]) => {
          const groups: Group[] = [...byName.values()];
          const { value, low, high } = estimateShare(groups);
          const frauds = groups.reduce((sum, { hits }) => sum + hits, 0);
          return {
            signal,
            items,
            labelled: groups.reduce((sum, { of }) => sum + of, 0),
            frauds,
            groups: groups.length,
            precision: value,
            low,
            high,
            fraudShare: frauds / Math.max(1, allFrauds),
          };
        })
        .sort((a, b) => precisionOf(b) - precisionOf(a) || (a.signal < b.signal ? -1 : 1)),
  };
};
