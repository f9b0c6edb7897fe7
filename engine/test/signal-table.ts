import { describe, expect, test } from 'vitest';
import { explain } from '../src/decide/explain.ts';
import type { Signal } from '../src/signals/signal.ts';
import { last, type Step } from './subjects.ts';

/** Sequences of subjects by description. The signal is checked on the last subject of each. */
type Sequences = Readonly<Record<string, readonly Step[]>>;
export interface SignalCase {
  readonly active: Sequences;
  /** The expected description for each active sequence, in order. */
  readonly descriptions: readonly string[];
  /** Sequences that just miss the condition of the signal. */
  readonly near: Sequences;
}

/** Adds one test per sequence, and one that fails for a signal without active and near sequences. */
export const checkSignals = (signals: readonly Signal[], table: Readonly<Record<string, SignalCase>>): void => {
  test('every signal has sequences for which it is active and just not active', () => {
    expect(Object.keys(table).sort()).toEqual(signals.map(({ name }) => name).sort());
    for (const { active, descriptions, near } of Object.values(table)) {
      expect(Object.keys(active).length).toBeGreaterThan(0);
      expect(descriptions).toHaveLength(Object.keys(active).length);
      expect(Object.keys(near).length).toBeGreaterThan(0);
    }
  });

  describe.each(Object.entries(table))('%s', (name, { active, descriptions, near }) => {
    const shown = Object.entries(active).map(([what, steps], i) => [what, steps, descriptions[i]] as const);
    const signal = signals.find((of) => of.name === name);

    test.each(shown)('is active for %s, with its description', (_, steps, description) => {
      const { verdict, subject, facts } = last(steps);
      expect(verdict.signals).toContain(name);
      expect(signal?.describe(facts, subject)).toBe(description);
      for (const text of [description, signal?.brief(facts, subject)]) {
        expect(text).toMatch(/^[\dA-Za-z].{3,}/);
        expect(text).not.toMatch(
          /NaN|undefined|Infinity|\$|feature|likeness|fingerprint|(?<![.,\d])1 [a-z-]+s\b|\b0 \w/,
        );
      }
      // Listed with its evidence, whatever it adds to the score.
      const factor = explain(verdict, subject, facts).find((of) => of.signal === name);
      expect(factor).toMatchObject({ description, theme: signal?.theme });
    });

    test.each(Object.entries(near))('is not active for %s', (_, steps) => {
      expect(last(steps).verdict.signals).not.toContain(name);
    });
  });
};
