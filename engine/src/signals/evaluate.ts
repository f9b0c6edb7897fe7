import type { Facts } from '../history/facts.ts';
import type { Subject } from '../subject/subject.ts';
import type { Signal } from './signal.ts';
import { SIGNALS } from './signals.ts';

const isOn = ({ on }: Signal, type: Subject['type']): boolean => on === 'both' || on === type;

const testsFor = (type: Subject['type']) => {
  const indexes = Int32Array.from([...SIGNALS.keys()].filter((i) => isOn(SIGNALS[i] as Signal, type)));
  return { indexes, tests: Array.from(indexes, (index) => (SIGNALS[index] as Signal).active) };
};
/** The signals that can be active for each type of subject: their indexes and conditions. */
const TESTS = { transaction: testsFor('transaction'), event: testsFor('event') };

/** Whether each of SIGNALS is active: 1 or 0. */
export type ActiveSignals = Uint8Array;
export const makeActiveSignals = (): ActiveSignals => new Uint8Array(SIGNALS.length);

/** Fills in whether each signal is active for the subject. */
export const evaluateSignals = (facts: Facts, subject: Subject, active: ActiveSignals): void => {
  active.fill(0);
  const { indexes, tests } = TESTS[subject.type];
  for (let i = 0; i < tests.length; i++)
    if ((tests[i] as Signal['active'])(facts, subject)) active[indexes[i] as number] = 1;
};
