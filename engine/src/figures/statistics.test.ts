import { describe, expect, test } from 'vitest';
import { makeRandom } from '../random.ts';
import { estimateMean, estimateShare } from './statistics.ts';

const random = makeRandom(3);
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
/** How many of 400 intervals contain the true value. */
const coverage = (interval: () => { low: number; high: number }, truth: number): number =>
  times(400, interval).filter(({ low, high }) => low <= truth && truth <= high).length / 400;

describe('a 95 % interval', () => {
  test('of a mean over few worlds contains the true mean in about 95 of 100 cases', () => {
    const normal = (): number => times(12, random).reduce((sum, value) => sum + value, 0) - 6;
    expect(coverage(() => estimateMean(times(5, normal)), 0)).toBeCloseTo(0.95, 1);
    expect(coverage(() => estimateMean(times(35, normal)), 0)).toBeCloseTo(0.95, 1);
  });

  test('of a share contains the true share, even if the items of a world resemble each other', () => {
    const world = (low: number, high: number) => {
      const share = low + (high - low) * random();
      return { hits: times(100, random).filter((luck) => luck < share).length, of: 100 };
    };
    expect(coverage(() => estimateShare(times(20, () => world(0.3, 0.3))), 0.3)).toBeGreaterThan(0.92);
    expect(coverage(() => estimateShare(times(20, () => world(0, 0.6))), 0.3)).toBeGreaterThan(0.9);
  });

  test('of a share without hits reaches above 0, and the more items, the less', () => {
    const { value, low, high } = estimateShare([{ hits: 0, of: 300 }]);
    expect([value, low]).toEqual([0, 0]);
    expect(high).toBeGreaterThan(0.009);
    expect(estimateShare([{ hits: 0, of: 3000 }]).high).toBeLessThan(high / 5);
  });
});
