import { describe, expect, test } from 'vitest';
import type { Signal } from '../src/signals.ts';
import type { Subject } from '../src/subject.ts';
import { last } from './subjects.ts';

/** Sequences by what they show. The last subject of each is the one the signal speaks of. */
type Sequences = Readonly<Record<string, readonly Subject[]>>;
export interface SignalCase {
  readonly active: Sequences;
  /** As close as it gets without the signal. */
  readonly near: Sequences;
}

/** One test per sequence, and one that fails for a signal without sequences of both kinds. */
export const checkSignals = (signals: readonly Signal[], table: Readonly<Record<string, SignalCase>>): void => {
  test('every signal is shown active and, by a hair, not active', () => {
    expect(Object.keys(table).sort()).toEqual(signals.map(({ name }) => name).sort());
    for (const { active, near } of Object.values(table)) {
      expect(Object.keys(active).length).toBeGreaterThan(0);
      expect(Object.keys(near).length).toBeGreaterThan(0);
    }
  });

  describe.each(Object.entries(table))('%s', (name, { active, near }) => {
    test.each(Object.entries(active))('is active for %s', (_, subjects) => {
      const { verdict } = last(subjects);
      expect(verdict.signals).toContain(name);
      const factor = verdict.factors.find((of) => of.signal === name);
      expect(factor?.contribution).toBeGreaterThan(0);
      expect(factor?.description).not.toMatch(/NaN|undefined|Infinity|^$/);
    });

    test.each(Object.entries(near))('is not active for %s', (_, subjects) => {
      expect(last(subjects).verdict.signals).not.toContain(name);
    });
  });
};
