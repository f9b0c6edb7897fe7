import { describe, expect, test } from 'vitest';
import { explain } from '../src/explain.ts';
import { DEFAULT_POLICY } from '../src/policy.ts';
import type { Signal } from '../src/signals.ts';
import { last, type Step } from './subjects.ts';

/** Sequences by what they show. The last subject of each is the one the signal speaks of. */
type Sequences = Readonly<Record<string, readonly Step[]>>;
export interface SignalCase {
  readonly active: Sequences;
  /** What a reviewer reads, for each of the active ones in turn. */
  readonly says: readonly string[];
  /** As close as it gets without the signal. */
  readonly near: Sequences;
}

/** One test per sequence, and one that fails for a signal without sequences of both kinds. */
export const checkSignals = (signals: readonly Signal[], table: Readonly<Record<string, SignalCase>>): void => {
  test('every signal is shown active and, by a hair, not active', () => {
    expect(Object.keys(table).sort()).toEqual(signals.map(({ name }) => name).sort());
    for (const { active, says, near } of Object.values(table)) {
      expect(Object.keys(active).length).toBeGreaterThan(0);
      expect(says).toHaveLength(Object.keys(active).length);
      expect(Object.keys(near).length).toBeGreaterThan(0);
    }
  });

  describe.each(Object.entries(table))('%s', (name, { active, says, near }) => {
    const shown = Object.entries(active).map(([what, steps], i) => [what, steps, says[i]] as const);
    const signal = signals.find((of) => of.name === name);

    test.each(shown)('is active for %s, and says so', (_, steps, description) => {
      const { verdict, subject, facts } = last(steps);
      expect(verdict.signals).toContain(name);
      expect(signal?.describe(facts, subject)).toBe(description);
      // What has no points is told, but is no reason for the score.
      const factor = explain(verdict, subject, facts).find((of) => of.signal === name);
      if (DEFAULT_POLICY.points[name] === 0) return expect(factor).toBeUndefined();
      expect(factor?.contribution).toBeGreaterThan(0);
      expect(factor?.description).toBe(description);
    });

    test.each(Object.entries(near))('is not active for %s', (_, steps) => {
      expect(last(steps).verdict.signals).not.toContain(name);
    });
  });
};
