import type { Facts } from '../history/facts.ts';
import type { Subject } from '../subject/subject.ts';
import type { Signal } from './signal.ts';
import { SIGNALS } from './signals.ts';

const isOn = ({ on }: Signal, type: Subject['type']): boolean => on === 'both' || on === type;

/** The indexes of the signals that can be active for each type of subject. */
const INDEXES: Readonly<Record<Subject['type'], Int32Array>> = {
  transaction: Int32Array.from([...SIGNALS.keys()].filter((i) => isOn(SIGNALS[i] as Signal, 'transaction'))),
  event: Int32Array.from([...SIGNALS.keys()].filter((i) => isOn(SIGNALS[i] as Signal, 'event'))),
};

/** Whether each of SIGNALS is active: 1 or 0. */
export type ActiveSignals = Uint8Array;
export const makeActiveSignals = (): ActiveSignals => new Uint8Array(SIGNALS.length);

/** Fills in whether each signal is active for the subject. */
export const evaluateSignals = (facts: Facts, subject: Subject, active: ActiveSignals): void => {
  active.fill(0);
  const indexes = INDEXES[subject.type];
  for (let i = 0; i < indexes.length; i++) {
    const index = indexes[i] as number;
    if ((SIGNALS[index] as Signal).active(facts, subject)) active[index] = 1;
  }
};
